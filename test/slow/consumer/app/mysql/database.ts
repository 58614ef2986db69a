import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/mysql2'
import { migrate } from 'drizzle-orm/mysql2/migrator'
import { createPool } from 'mysql2/promise'
import type { Open } from '../app.js'
import { accountsTable, authenticatorsTable, sessionsTable, usersTable, verificationTokensTable } from './schema.js'

export const open: Open = async (url, migrationsFolder) => {
  const client = createPool(url)
  const db = drizzle({ client })
  await migrate(db, { migrationsFolder })
  return {
    adapter: DrizzleAdapter(db, { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable }),
    users: () => db.select().from(usersTable),
    sessions: () => db.select().from(sessionsTable),
    tokens: () => db.select().from(verificationTokensTable),
    close: () => client.end(),
  }
}
