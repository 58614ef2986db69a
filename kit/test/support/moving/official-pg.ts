import { defineTables } from '../../../../node_modules/@auth/drizzle-adapter/lib/pg.js'

export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
