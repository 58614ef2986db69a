// auth.ts
import { DrizzleAdapter } from 'drizzle-auth-adapter' // was '@auth/drizzle-adapter'
import { db } from './db.js'
import { accountsTable, authenticatorsTable, sessionsTable, usersTable, verificationTokensTable } from './schema.js'

export const adapter = DrizzleAdapter(db, { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable })
