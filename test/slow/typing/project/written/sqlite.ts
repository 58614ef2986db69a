import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const usersTable = sqliteTable('user', {
  id: text('id')
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  name: text('name'),
  email: text('email').unique(),
  emailVerified: integer('emailVerified', { mode: 'timestamp_ms' }),
  image: text('image'),
})

const userId = () =>
  text('userId')
    .notNull()
    .references(() => usersTable.id, { onDelete: 'cascade' })

export const accountsTable = sqliteTable(
  'account',
  {
    userId: userId(),
    type: text('type').$type<'oauth' | 'oidc' | 'email' | 'webauthn'>().notNull(),
    provider: text('provider').notNull(),
    providerAccountId: text('providerAccountId').notNull(),
    refresh_token: text('refresh_token'),
    access_token: text('access_token'),
    expires_at: integer('expires_at'),
    token_type: text('token_type'),
    scope: text('scope'),
    id_token: text('id_token'),
    session_state: text('session_state'),
  },
  (t) => [primaryKey({ columns: [t.provider, t.providerAccountId] })],
)

export const sessionsTable = sqliteTable('session', {
  sessionToken: text('sessionToken').primaryKey(),
  userId: userId(),
  expires: integer('expires', { mode: 'timestamp_ms' }).notNull(),
})
