import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/pg'
import type { Secrets } from 'drizzle-auth-adapter/secrets'
import { eq } from 'drizzle-orm'
import type { MigrationConfig } from 'drizzle-orm/migrator'
import type { PgTable } from 'drizzle-orm/pg-core'
import { text, timestamp } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import type { Row, Store } from './store.js'
import { keys, migrationsOf } from './store.js'

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

export function connect(url: string) {
  // After a lost connection, tries to reconnect every half second, instead of with increasing delays.
  const client = postgres(url, { connect_timeout: 5, backoff: () => 0.5, onnotice: () => {} })
  const db = drizzle({ client })
  return {
    name: 'PostgreSQL',
    db,
    async migrate(all: MigrationConfig[]) {
      for (const migrations of all) await migrate(db, migrations)
    },
    rows: async (table: PgTable): Promise<Row[]> => db.select().from(table),
    close: () => client.end({ timeout: 1 }),
  }
}

export function openStore(url: string, secrets?: Secrets): Store {
  const { name, db, migrate, rows, close } = connect(url)
  return {
    name,
    keys,
    adapter: DrizzleAdapter(db, tables, { secrets }),
    migrate: () => migrate(migrationsOf('pg')),
    rows: (table) => rows(byName[table]),
    async deletePasskey(credentialID) {
      await db.delete(authenticatorsTable).where(eq(authenticatorsTable.credentialID, credentialID))
    },
    close,
  }
}
