import { defineTables } from 'drizzle-auth-adapter/pg'
import { usersTable } from './users.js'

export const { accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables({ usersTable })
export { usersTable }
