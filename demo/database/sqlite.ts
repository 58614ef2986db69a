import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Client from 'better-sqlite3'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import type { Secrets } from 'drizzle-auth-adapter/secrets'
import { defineTables } from 'drizzle-auth-adapter/sqlite'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import type { MigrationConfig } from 'drizzle-orm/migrator'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { integer, text } from 'drizzle-orm/sqlite-core'
import type { Row, Store } from './store.js'
import { keys, migrationsOf } from './store.js'

export const tables = defineTables({
  columns: {
    users: { passwordHash: text() },
    sessions: { signedInAt: integer({ mode: 'timestamp_ms' }).$defaultFn(() => new Date()), userAgent: text(), ip: text() },
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
  const file = url.replace(/^file:(\/\/)?/, '')
  mkdirSync(dirname(file), { recursive: true })
  const client = new Client(file)
  client.pragma('journal_mode = wal')
  client.pragma('foreign_keys = on')
  const db = drizzle({ client })
  return {
    name: 'SQLite',
    db,
    async migrate(all: MigrationConfig[]) {
      for (const migrations of all) await migrate(db, migrations)
    },
    rows: async (table: SQLiteTable): Promise<Row[]> => db.select().from(table),
    close: async () => void client.close(),
  }
}

export function openStore(url: string, secrets?: Secrets): Store {
  const { name, db, migrate, rows, close } = connect(url)
  return {
    name,
    keys,
    adapter: DrizzleAdapter(db, tables, { secrets }),
    migrate: () => migrate(migrationsOf('sqlite')),
    rows: (table) => rows(byName[table]),
    async deletePasskey(credentialID) {
      await db.delete(authenticatorsTable).where(eq(authenticatorsTable.credentialID, credentialID))
    },
    close,
  }
}
