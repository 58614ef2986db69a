// Adapters over tables that all have added columns: of defineTables, with a users table of the app, and written by hand.
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/mysql'
import { sql } from 'drizzle-orm'
import { boolean, char, datetime, int, mysqlTable, text, varchar } from 'drizzle-orm/mysql-core'
import type { MySql2Database } from 'drizzle-orm/mysql2'

declare const db: MySql2Database

const users = {
  role: varchar({ length: 20 }).notNull().default('member'),
  age: int(),
  tenant: text().notNull(),
  handle: text().generatedAlwaysAs(sql`lower(email)`),
}
const accounts = { note: text(), linkedBy: text().notNull() }
const sessions = { device: text().notNull(), visits: int().notNull().default(0), lastSeen: datetime() }
const verificationTokens = { purpose: varchar({ length: 20 }).notNull().default('sign-in'), attempts: int() }
const authenticators = { label: text(), trusted: boolean().notNull() }

export const defined = DrizzleAdapter(db, defineTables({ columns: { users, accounts, sessions, verificationTokens, authenticators } }))

const people = mysqlTable('people', {
  id: int().primaryKey().autoincrement(),
  email: text().notNull(),
  emailVerified: datetime(),
  ...users,
})
export const ownUsers = DrizzleAdapter(
  db,
  defineTables({ usersTable: people, columns: { accounts, sessions, verificationTokens, authenticators } }),
)

export const written = DrizzleAdapter(db, {
  usersTable: mysqlTable('users', {
    id: char({ length: 36 }).primaryKey(),
    email: text().notNull(),
    emailVerified: datetime(),
    ...users,
  }),
  accountsTable: mysqlTable('accounts', {
    userId: char({ length: 36 }).notNull(),
    type: text().$type<'oauth' | 'oidc'>().notNull(),
    provider: text().notNull(),
    providerAccountId: text().notNull(),
    ...accounts,
  }),
  sessionsTable: mysqlTable('sessions', {
    sessionToken: varchar({ length: 255 }).primaryKey(),
    userId: char({ length: 36 }).notNull(),
    expires: datetime().notNull(),
    ...sessions,
  }),
  verificationTokensTable: mysqlTable('tokens', {
    identifier: text().notNull(),
    token: text().notNull(),
    expires: datetime().notNull(),
    ...verificationTokens,
  }),
  authenticatorsTable: mysqlTable('authenticators', {
    credentialID: varchar({ length: 255 }).primaryKey(),
    userId: char({ length: 36 }).notNull(),
    providerAccountId: text().notNull(),
    credentialPublicKey: text().notNull(),
    counter: int().notNull(),
    credentialDeviceType: text().notNull(),
    credentialBackedUp: boolean().notNull(),
    ...authenticators,
  }),
})
