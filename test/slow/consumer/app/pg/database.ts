import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import type { Open } from '../app.js'
import { accountsTable, authenticatorsTable, sessionsTable, usersTable, verificationTokensTable } from './schema.js'

export const open: Open = async (url, migrationsFolder) => {
  const client = postgres(url, { onnotice: () => {} })
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
