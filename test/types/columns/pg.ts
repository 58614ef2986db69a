// Adapters over tables that all have added columns: of defineTables, with a users table of the app, and written by hand.
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/pg'
import { sql } from 'drizzle-orm'
import { boolean, integer, pgTable, serial, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'

declare const db: PostgresJsDatabase

const users = {
  role: text().notNull().default('member'),
  age: integer(),
  tenant: text().notNull(),
  handle: text().generatedAlwaysAs(sql`lower(email)`),
}
const accounts = { note: text(), linkedBy: text().notNull() }
const sessions = { device: text().notNull(), visits: integer().notNull().default(0), lastSeen: timestamp() }
const verificationTokens = { purpose: text().notNull().default('sign-in'), attempts: integer() }
const authenticators = { label: text(), trusted: boolean().notNull() }

export const defined = DrizzleAdapter(db, defineTables({ columns: { users, accounts, sessions, verificationTokens, authenticators } }))

const people = pgTable('people', {
  id: serial().primaryKey(),
  email: text().notNull(),
  emailVerified: timestamp(),
  ...users,
})
export const ownUsers = DrizzleAdapter(
  db,
  defineTables({ usersTable: people, columns: { accounts, sessions, verificationTokens, authenticators } }),
)

export const written = DrizzleAdapter(db, {
  usersTable: pgTable('users', {
    id: uuid().primaryKey().defaultRandom(),
    email: text().notNull(),
    emailVerified: timestamp(),
    ...users,
  }),
  accountsTable: pgTable('accounts', {
    userId: uuid().notNull(),
    type: text().$type<'oauth' | 'oidc'>().notNull(),
    provider: text().notNull(),
    providerAccountId: text().notNull(),
    ...accounts,
  }),
  sessionsTable: pgTable('sessions', {
    sessionToken: text().primaryKey(),
    userId: uuid().notNull(),
    expires: timestamp().notNull(),
    ...sessions,
  }),
  verificationTokensTable: pgTable('tokens', {
    identifier: text().notNull(),
    token: text().notNull(),
    expires: timestamp().notNull(),
    ...verificationTokens,
  }),
  authenticatorsTable: pgTable('authenticators', {
    credentialID: text().primaryKey(),
    userId: uuid().notNull(),
    providerAccountId: text().notNull(),
    credentialPublicKey: text().notNull(),
    counter: integer().notNull(),
    credentialDeviceType: text().notNull(),
    credentialBackedUp: boolean().notNull(),
    ...authenticators,
  }),
})
