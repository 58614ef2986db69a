import { pgTable, serial, text } from 'drizzle-orm/pg-core'
import { usersTable } from '../../../../test/support/schema/pg.js'

export * from '../../../../test/support/schema/pg.js'

export const posts = pgTable('post', { id: serial().primaryKey(), authorId: text().references(() => usersTable.id) })
