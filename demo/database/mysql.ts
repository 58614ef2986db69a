import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/mysql'
import type { Secrets } from 'drizzle-auth-adapter/secrets'
import { eq } from 'drizzle-orm'
import { datetime, text } from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import { migrate } from 'drizzle-orm/mysql2/migrator'
import mysql from 'mysql2/promise'
import type { Store } from './store.js'
import { migrationsOf } from './store.js'

const tables = defineTables({
  columns: {
    users: { passwordHash: text() },
    sessions: { signedInAt: datetime({ fsp: 3 }).$defaultFn(() => new Date()), userAgent: text(), ip: text() },
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

export function openMysql(url: string, secrets?: Secrets): Store {
  const client = mysql.createPool({ uri: url, connectTimeout: 5_000 })
  const db = drizzle({ client })
  return {
    name: 'MySQL',
    adapter: DrizzleAdapter(db, tables, { secrets }),
    async migrate() {
      for (const migrations of migrationsOf('mysql')) await migrate(db, migrations)
    },
    rows: async (name) => db.select().from(byName[name]),
    async deletePasskey(credentialID) {
      await db.delete(authenticatorsTable).where(eq(authenticatorsTable.credentialID, credentialID))
    },
    close: () => client.end(),
  }
}
