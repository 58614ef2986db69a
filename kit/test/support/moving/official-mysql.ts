import { defineTables } from '../../../../node_modules/@auth/drizzle-adapter/lib/mysql.js'

export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
