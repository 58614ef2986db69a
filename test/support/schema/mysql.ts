import { defineTables } from 'drizzle-auth-adapter/mysql'

export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
