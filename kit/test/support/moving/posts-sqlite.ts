import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { usersTable } from '../../../../test/support/schema/sqlite.js'

export * from '../../../../test/support/schema/sqlite.js'

export const posts = sqliteTable('post', { id: integer().primaryKey(), authorId: text().references(() => usersTable.id) })
