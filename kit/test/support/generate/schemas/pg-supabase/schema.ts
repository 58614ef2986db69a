/**
 * The tables of the app. Row level security is on for all of them.
 */
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, pgEnum, pgPolicy, pgSequence, pgTable, pgView, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import * as core from 'drizzle-orm'

export type Role = (typeof role.enumValues)[number]

/* Roles of the app */
export const role = pgEnum('role', ['admin', 'member'])
export const tickets = pgSequence('tickets', { startWith: 1000 })

const MINUTES = 60_000
export const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTES)

// Only the owner reads a row.
const ownRow = (column: string) => pgPolicy(`own_${column}`, { for: 'select', using: sql.raw(`true`) })

export const users = pgTable(
    'users', // plural in the database, too
    {
        id: uuid('id').primaryKey().defaultRandom(),
        name: text('name').notNull(),
        email: text('email').notNull(),
        emailVerified: boolean('email_verified').default(false).notNull(),
        image: text('image'), // a URL
        role: role('role').default('member').notNull(),
        greeting: text('greeting').$defaultFn(() => 'a  b'),
        createdAt: timestamp('created_at', { withTimezone: true }).defaultNow().notNull(),
        updatedAt: timestamp('updated_at', { withTimezone: true })
            .defaultNow()
            .$onUpdate(() => /* never stale */ new Date())
            .notNull() // no comma after this one
        // The end of the users.
    },
    (table) => [uniqueIndex('users_email').on(table.email), ownRow('users')]
).enableRLS()

export const sessions = pgTable('sessions', {
    id: uuid('id').primaryKey().defaultRandom(), token: text('token').notNull().unique(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).defaultNow().notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    userId: uuid('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
}, () => [ownRow('sessions')]).enableRLS()

export const accounts = pgTable('accounts', {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    userId: uuid('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: timestamp('access_token_expires_at', { withTimezone: true }),
    refreshTokenExpiresAt: timestamp('refresh_token_expires_at', { withTimezone: true }),
    scope: text('scope'),
    password: text('password'),
    createdAt: timestamp('created_at', { withTimezone: true }).defaultNow().notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
}, (t) => [index('accounts_user').on(t.userId)]).enableRLS()

export const verifications = pgTable('verifications', {
    id: uuid('id').primaryKey().defaultRandom(),
    identifier: text('identifier').notNull(),
    value: text('value').notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).defaultNow(),
}).enableRLS()

export const counters = pgTable('counters', { id: bigint('id', { mode: 'number' }).primaryKey(), note: text('note').default(core.sql`'it''s'`) })

export const admins = pgView('admins').as((query) => query.select({ id: users.id, name: users.name }).from(users).where(sql`${users.role} = 'admin'`))

// Nothing after this line, not even a newline.