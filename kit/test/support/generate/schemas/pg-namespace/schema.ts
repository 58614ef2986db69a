import { index, text, timestamp, varchar as string } from 'drizzle-orm/pg-core'
import { timestamps, typedId } from '@/columns'
import { auth, user } from './users.js'

export * from './users.js'

export const session = auth.table('session', {
	id: typedId('id', 'ses').primaryKey(),
	userId: string('userId', { length: 60 }).notNull().references(() => user.id, { onDelete: 'cascade' }),
	token: text('token').notNull().unique(),
	expiresAt: timestamp('expiresAt', { withTimezone: true }).notNull(),
	ipAddress: text('ipAddress'),
	userAgent: text('userAgent'),
	...timestamps,
}, (t) => ({
	byUser: index('session_by_user').on(t.userId),
}))

const accountColumns = {
	id: typedId('id', 'acc').primaryKey(),
	accountId: text('accountId').notNull(),
	providerId: text('providerId').notNull(),
	userId: string('userId', { length: 60 }).notNull().references(() => user.id, { onDelete: 'cascade' }),
	accessToken: text('accessToken'),
	refreshToken: text('refreshToken'),
	idToken: text('idToken'),
	accessTokenExpiresAt: timestamp('accessTokenExpiresAt', { withTimezone: true }),
	refreshTokenExpiresAt: timestamp('refreshTokenExpiresAt', { withTimezone: true }),
	scope: text('scope'),
	password: text('password'),
	...timestamps,
}
const account = auth.table('account', accountColumns)

const verification = auth.table('verification', {
	id: typedId('id', 'ver').primaryKey(),
	identifier: text('identifier').notNull(),
	value: text('value').notNull(),
	expiresAt: timestamp('expiresAt', { withTimezone: true }).notNull(),
	...timestamps,
})

export { account, verification }
