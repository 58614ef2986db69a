import { pgTable, serial, text } from 'drizzle-orm/pg-core'
import { usersTable } from '../schema/pg.js'

export * from '../schema/pg.js'

export const posts = pgTable('post', { id: serial().primaryKey(), authorId: text().references(() => usersTable.id) })
