// posts.ts
import { defineTables } from 'drizzle-auth-adapter/mysql'
import { customType, int, mysqlTable } from 'drizzle-orm/mysql-core'

export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()

const userId = customType<{ data: string; driverData: string | Uint8Array }>({
  dataType: () => 'varbinary(1020)',
  fromDriver: (value) => (typeof value === 'string' ? value : new TextDecoder().decode(value)),
})

export const posts = mysqlTable('post', {
  id: int('id').autoincrement().primaryKey(),
  authorId: userId('authorId')
    .notNull()
    .references(() => usersTable.id, { onDelete: 'cascade' }),
})
