import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/pg'
import type { Secrets } from 'drizzle-auth-adapter/secrets'
import { eq } from 'drizzle-orm'
import { text, timestamp } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import type { Store } from './store.js'
import { migrationsOf } from './store.js'

const tables = defineTables({
  columns: {
    users: { passwordHash: text() },
    sessions: { signedInAt: timestamp({ precision: 3 }).$defaultFn(() => new Date()), userAgent: text(), ip: text() },
  },
})
const { authenticatorsTable } = tables
const byName = {
  user: tables.usersTable,
  account: tables.accountsTable,
  session: tables.sessionsTable,
  verificationToken: tables.verificationTokensTable,
  authenticator: authenticatorsTable,
}

export function openPg(url: string, secrets?: Secrets): Store {
  // After a lost connection, tries to reconnect every half second, instead of with increasing delays.
  const client = postgres(url, { connect_timeout: 5, backoff: () => 0.5, onnotice: () => {} })
  const db = drizzle({ client })
  return {
    name: 'PostgreSQL',
    adapter: DrizzleAdapter(db, tables, { secrets }),
    async migrate() {
      for (const migrations of migrationsOf('pg')) await migrate(db, migrations)
    },
    rows: async (name) => db.select().from(byName[name]),
    async deletePasskey(credentialID) {
      await db.delete(authenticatorsTable).where(eq(authenticatorsTable.credentialID, credentialID))
    },
    close: () => client.end({ timeout: 1 }),
  }
}
