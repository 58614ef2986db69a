import { pgTable, serial, text } from 'drizzle-orm/pg-core'
import { usersTable } from '../../support/schema/pg.js'

export * from '../../support/schema/pg.js'

export const posts = pgTable('post', { id: serial().primaryKey(), authorId: text().references(() => usersTable.id) })
