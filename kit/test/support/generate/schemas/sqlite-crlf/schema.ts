import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { moment } from './moment.ts'

export const user = sqliteTable(
  'user',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    emailVerified: integer('emailVerified', { mode: 'boolean' }).notNull(),
    image: text('image'),
    createdAt: moment('createdAt').notNull(),
    updatedAt: moment('updatedAt').notNull(),
  },
  (table) => ({ emailKey: uniqueIndex('user_email').on(table.email) }),
)

const session = sqliteTable('session', {
  id: text('id').primaryKey(),
  userId: text('userId').notNull().references(() => user.id, { onDelete: 'cascade' }),
  token: text('token').notNull().unique(),
  expiresAt: moment('expiresAt').notNull(),
  ipAddress: text('ipAddress'),
  userAgent: text('userAgent'),
  createdAt: moment('createdAt').notNull(),
  updatedAt: moment('updatedAt').notNull(),
})

const account = sqliteTable('account', {
  id: text('id').primaryKey(),
  accountId: text('accountId').notNull(),
  providerId: text('providerId').notNull(),
  userId: text('userId').notNull().references(() => user.id, { onDelete: 'cascade' }),
  accessToken: text('accessToken'),
  refreshToken: text('refreshToken'),
  idToken: text('idToken'),
  accessTokenExpiresAt: moment('accessTokenExpiresAt'),
  refreshTokenExpiresAt: moment('refreshTokenExpiresAt'),
  scope: text('scope'),
  password: text('password'),
  createdAt: moment('createdAt').notNull(),
  updatedAt: moment('updatedAt').notNull(),
})

const verification = sqliteTable('verification', {
  id: text('id').primaryKey(),
  identifier: text('identifier').notNull(),
  value: text('value').notNull(),
  expiresAt: moment('expiresAt').notNull(),
  createdAt: moment('createdAt'),
  updatedAt: moment('updatedAt'),
})

/** Not a table, and in the way of one: the organization that runs the app. */
const organization = 'Example'

export { account, session, verification, organization as owner }
