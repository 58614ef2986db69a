import { defineTables } from 'drizzle-auth-adapter/sqlite'

export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
