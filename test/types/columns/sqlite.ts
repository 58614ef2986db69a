// Adapters over tables that all have added columns: of defineTables, and with a users table of the app.
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/sqlite'
import { sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

declare const db: BetterSQLite3Database

const users = {
  role: text().notNull().default('member'),
  age: integer(),
  tenant: text().notNull(),
  handle: text().generatedAlwaysAs(sql`lower(email)`),
}
const accounts = { note: text(), linkedBy: text().notNull() }
const sessions = { device: text().notNull(), visits: integer().notNull().default(0), lastSeen: integer({ mode: 'timestamp_ms' }) }
const verificationTokens = { purpose: text().notNull().default('sign-in'), attempts: integer() }
const authenticators = { label: text(), trusted: integer({ mode: 'boolean' }).notNull() }

export const defined = DrizzleAdapter(db, defineTables({ columns: { users, accounts, sessions, verificationTokens, authenticators } }))

const people = sqliteTable('people', {
  id: integer().primaryKey({ autoIncrement: true }),
  email: text().notNull(),
  emailVerified: integer({ mode: 'timestamp_ms' }),
  ...users,
})
export const ownUsers = DrizzleAdapter(
  db,
  defineTables({ usersTable: people, columns: { accounts, sessions, verificationTokens, authenticators } }),
)
