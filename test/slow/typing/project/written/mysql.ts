import { int, mysqlTable, primaryKey, timestamp, varchar } from 'drizzle-orm/mysql-core'

export const usersTable = mysqlTable('user', {
  id: varchar('id', { length: 255 })
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  name: varchar('name', { length: 255 }),
  email: varchar('email', { length: 255 }).unique(),
  emailVerified: timestamp('emailVerified', { mode: 'date', fsp: 3 }),
  image: varchar('image', { length: 255 }),
})

const userId = () =>
  varchar('userId', { length: 255 })
    .notNull()
    .references(() => usersTable.id, { onDelete: 'cascade' })

export const accountsTable = mysqlTable(
  'account',
  {
    userId: userId(),
    type: varchar('type', { length: 255 }).$type<'oauth' | 'oidc' | 'email' | 'webauthn'>().notNull(),
    provider: varchar('provider', { length: 255 }).notNull(),
    providerAccountId: varchar('providerAccountId', { length: 255 }).notNull(),
    refresh_token: varchar('refresh_token', { length: 255 }),
    access_token: varchar('access_token', { length: 255 }),
    expires_at: int('expires_at'),
    token_type: varchar('token_type', { length: 255 }),
    scope: varchar('scope', { length: 255 }),
    id_token: varchar('id_token', { length: 255 }),
    session_state: varchar('session_state', { length: 255 }),
  },
  (t) => [primaryKey({ columns: [t.provider, t.providerAccountId] })],
)

export const sessionsTable = mysqlTable('session', {
  sessionToken: varchar('sessionToken', { length: 255 }).primaryKey(),
  userId: userId(),
  expires: timestamp('expires', { mode: 'date', fsp: 3 }).notNull(),
})
