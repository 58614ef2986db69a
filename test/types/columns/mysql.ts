// Adapters over tables that all have added columns: of defineTables, and with a users table of the app.
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/mysql'
import { sql } from 'drizzle-orm'
import { boolean, datetime, int, mysqlTable, text, varchar } from 'drizzle-orm/mysql-core'
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
