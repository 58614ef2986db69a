import { integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

export const usersTable = pgTable('user', {
  id: text('id')
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  name: text('name'),
  email: text('email').unique(),
  emailVerified: timestamp('emailVerified', { mode: 'date' }),
  image: text('image'),
})

const userId = () =>
  text('userId')
    .notNull()
    .references(() => usersTable.id, { onDelete: 'cascade' })

export const accountsTable = pgTable(
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

export const sessionsTable = pgTable('session', {
  sessionToken: text('sessionToken').primaryKey(),
  userId: userId(),
  expires: timestamp('expires', { mode: 'date' }).notNull(),
})
