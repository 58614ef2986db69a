import Database from 'better-sqlite3'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import type { Open } from '../app.js'
import { accountsTable, authenticatorsTable, sessionsTable, usersTable, verificationTokensTable } from './schema.js'

export const open: Open = async (url, migrationsFolder) => {
  const client = new Database(url)
  const db = drizzle({ client })
  migrate(db, { migrationsFolder })
  return {
    adapter: DrizzleAdapter(db, { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable }),
    users: async () => db.select().from(usersTable).all(),
    sessions: async () => db.select().from(sessionsTable).all(),
    tokens: async () => db.select().from(verificationTokensTable).all(),
    close: async () => void client.close(),
  }
}
