import { defineTables } from '../../../../node_modules/@auth/drizzle-adapter/lib/sqlite.js'

export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
