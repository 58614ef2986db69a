import { randomUUID } from 'node:crypto'
import { customType, timestamp } from 'drizzle-orm/pg-core'

export const citext = customType<{ data: string }>({ dataType: () => 'citext' })
export const typedId = (name: string, prefix: string) =>
	customType<{ data: string }>({ dataType: () => 'varchar(60)' })(name).$defaultFn(() => `${prefix}_${randomUUID()}`)
export const createId = () => randomUUID()

export const timestamps = {
	createdAt: timestamp('createdAt', { withTimezone: true }).defaultNow().notNull(),
	updatedAt: timestamp('updatedAt', { withTimezone: true }).defaultNow().$onUpdate(() => new Date()).notNull(),
}
