import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/mysql'
import type { Secrets } from 'drizzle-auth-adapter/secrets'
import { eq } from 'drizzle-orm'
import type { MigrationConfig } from 'drizzle-orm/migrator'
import type { MySqlTable } from 'drizzle-orm/mysql-core'
import { datetime, text } from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import { migrate } from 'drizzle-orm/mysql2/migrator'
import mysql from 'mysql2/promise'
import type { Row, Store } from './store.js'
import { keys, migrationsOf } from './store.js'

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

export function connect(url: string) {
  const client = mysql.createPool({ uri: url, connectTimeout: 5_000 })
  const db = drizzle({ client })
  return {
    name: 'MySQL',
    db,
    async migrate(all: MigrationConfig[]) {
      for (const migrations of all) await migrate(db, migrations)
    },
    rows: async (table: MySqlTable): Promise<Row[]> => db.select().from(table),
    close: () => client.end(),
  }
}

export function openStore(url: string, secrets?: Secrets): Store {
  const { name, db, migrate, rows, close } = connect(url)
  return {
    name,
    keys,
    adapter: DrizzleAdapter(db, tables, { secrets }),
    migrate: () => migrate(migrationsOf('mysql')),
    rows: (table) => rows(byName[table]),
    async deletePasskey(credentialID) {
      await db.delete(authenticatorsTable).where(eq(authenticatorsTable.credentialID, credentialID))
    },
    close,
  }
}
