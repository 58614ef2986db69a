import { boolean, pgSchema, varchar } from 'drizzle-orm/pg-core'
import { citext, createId, timestamps, typedId as id } from '@/columns'

export const auth = pgSchema('auth')

export const user = auth.table('user', {
	id: id('id', 'usr').primaryKey(),
	name: varchar('name', { length: 200 }).notNull(),
	email: citext('email').notNull().unique(),
	emailVerified: boolean('emailVerified').notNull().default(false),
	image: varchar('image'),
	slug: varchar('slug').$defaultFn(createId),
	...timestamps,
})
