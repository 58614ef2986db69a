import { defineTables } from 'drizzle-auth-adapter/pg'

export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
