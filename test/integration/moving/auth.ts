// auth.ts
import { DrizzleAdapter } from 'drizzle-auth-adapter' // was '@auth/drizzle-adapter'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { accountsTable, authenticatorsTable, sessionsTable, usersTable, verificationTokensTable } from './schema.js'

export const db = drizzle({ client: postgres(process.env.DATABASE_URL ?? '') })
export const adapter = DrizzleAdapter(db, { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable })
