import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { usersTable } from '../../support/schema/sqlite.js'

export * from '../../support/schema/sqlite.js'

export const posts = sqliteTable('post', { id: integer().primaryKey(), authorId: text().references(() => usersTable.id) })
