import { boolean, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

// The tables as the official adapter documents them for PostgreSQL: with each composite key in an object inside the array. Drizzle 0.45
// silently ignores those, so these tables have no composite keys.
const userId = () =>
  text('userId')
    .notNull()
    .references(() => usersTable.id, { onDelete: 'cascade' })
const inObject = (key: ReturnType<typeof primaryKey>) => [{ compoundKey: key }] as never

export const usersTable = pgTable('user', {
  id: text('id').primaryKey(),
  name: text('name'),
  email: text('email').unique(),
  emailVerified: timestamp('emailVerified', { mode: 'date' }),
  image: text('image'),
})

export const accountsTable = pgTable(
  'account',
  {
    userId: userId(),
    type: text('type').notNull(),
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
  (t) => inObject(primaryKey({ columns: [t.provider, t.providerAccountId] })),
)

export const sessionsTable = pgTable('session', {
  sessionToken: text('sessionToken').primaryKey(),
  userId: userId(),
  expires: timestamp('expires', { mode: 'date' }).notNull(),
})

export const verificationTokensTable = pgTable(
  'verificationToken',
  {
    identifier: text('identifier').notNull(),
    token: text('token').notNull(),
    expires: timestamp('expires', { mode: 'date' }).notNull(),
  },
  (t) => inObject(primaryKey({ columns: [t.identifier, t.token] })),
)

export const authenticatorsTable = pgTable(
  'authenticator',
  {
    credentialID: text('credentialID').notNull().unique(),
    userId: userId(),
    providerAccountId: text('providerAccountId').notNull(),
    credentialPublicKey: text('credentialPublicKey').notNull(),
    counter: integer('counter').notNull(),
    credentialDeviceType: text('credentialDeviceType').notNull(),
    credentialBackedUp: boolean('credentialBackedUp').notNull(),
    transports: text('transports'),
  },
  (t) => inObject(primaryKey({ columns: [t.userId, t.credentialID] })),
)
