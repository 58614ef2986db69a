import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Client from 'better-sqlite3'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import type { Secrets } from 'drizzle-auth-adapter/secrets'
import { defineTables } from 'drizzle-auth-adapter/sqlite'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { integer, text } from 'drizzle-orm/sqlite-core'
import type { Store } from './store.js'
import { migrationsOf } from './store.js'

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

export function openSqlite(file: string, secrets?: Secrets): Store {
  mkdirSync(dirname(file), { recursive: true })
  const client = new Client(file)
  client.pragma('journal_mode = wal')
  client.pragma('foreign_keys = on')
  const db = drizzle({ client })
  return {
    name: 'SQLite',
    adapter: DrizzleAdapter(db, tables, { secrets }),
    async migrate() {
      for (const migrations of migrationsOf('sqlite')) await migrate(db, migrations)
    },
    rows: async (name) => db.select().from(byName[name]),
    async deletePasskey(credentialID) {
      await db.delete(authenticatorsTable).where(eq(authenticatorsTable.credentialID, credentialID))
    },
    close: async () => void client.close(),
  }
}
