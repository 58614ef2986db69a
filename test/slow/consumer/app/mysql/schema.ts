import { defineTables, exactText } from 'drizzle-auth-adapter/mysql'
import { int, mysqlTable } from 'drizzle-orm/mysql-core'

export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()

export const posts = mysqlTable('post', {
  id: int().autoincrement().primaryKey(),
  authorId: exactText()
    .notNull()
    .references(() => usersTable.id, { onDelete: 'cascade' }),
})
