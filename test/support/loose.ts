import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { createTable } from './ddl.js'

// Hand-written tables with only the columns of the contract. The database compares their keys without regard to case, and on MySQL to
// accents: the default collation on MySQL, citext on PostgreSQL, NOCASE on SQLite.

const varchar = () => my.varchar({ length: 255 }).notNull()
export const mysqlTables = {
  usersTable: my.mysqlTable('u', {
    id: varchar().primaryKey(),
    email: varchar().unique(),
    emailVerified: my.datetime({ fsp: 3 }),
    name: my.text(),
    image: my.text(),
  }),
  accountsTable: my.mysqlTable('a', {
    userId: varchar(),
    type: varchar(),
    provider: varchar(),
    providerAccountId: varchar(),
    access_token: my.text(),
    refresh_token: my.text(),
    id_token: my.text(),
    scope: my.text(),
    token_type: my.text(),
    session_state: my.text(),
    expires_at: my.int(),
    expires_in: my.int(),
  }),
  sessionsTable: my.mysqlTable('s', {
    sessionToken: varchar().primaryKey(),
    userId: varchar(),
    expires: my.datetime({ fsp: 3 }).notNull(),
  }),
  verificationTokensTable: my.mysqlTable('v', { identifier: varchar(), token: varchar(), expires: my.datetime({ fsp: 3 }).notNull() }),
  authenticatorsTable: my.mysqlTable('w', {
    credentialID: varchar().primaryKey(),
    userId: varchar(),
    providerAccountId: varchar(),
    credentialPublicKey: varchar(),
    counter: my.int().notNull(),
    credentialDeviceType: varchar(),
    credentialBackedUp: my.boolean().notNull(),
    transports: my.text(),
  }),
}

const citext = () =>
  pg
    .customType<{ data: string }>({ dataType: () => 'citext' })()
    .notNull()
export const pgTables = {
  usersTable: pg.pgTable('u', {
    id: citext().primaryKey(),
    email: citext().unique(),
    emailVerified: pg.timestamp({ precision: 3 }),
    name: pg.text(),
    image: pg.text(),
  }),
  accountsTable: pg.pgTable('a', {
    userId: citext(),
    type: pg.text().notNull(),
    provider: citext(),
    providerAccountId: citext(),
    access_token: pg.text(),
    refresh_token: pg.text(),
    id_token: pg.text(),
    scope: pg.text(),
    token_type: pg.text(),
    session_state: pg.text(),
    expires_at: pg.integer(),
    expires_in: pg.integer(),
  }),
  sessionsTable: pg.pgTable('s', {
    sessionToken: citext().primaryKey(),
    userId: citext(),
    expires: pg.timestamp({ withTimezone: true, precision: 3 }).notNull(),
  }),
  verificationTokensTable: pg.pgTable('v', { identifier: citext(), token: citext(), expires: pg.timestamp({ precision: 3 }).notNull() }),
  authenticatorsTable: pg.pgTable('w', {
    credentialID: citext().primaryKey(),
    userId: citext(),
    providerAccountId: citext(),
    credentialPublicKey: pg.text().notNull(),
    counter: pg.integer().notNull(),
    credentialDeviceType: pg.text().notNull(),
    credentialBackedUp: pg.boolean().notNull(),
    transports: pg.text(),
  }),
}

const nocase = () =>
  lite
    .customType<{ data: string }>({ dataType: () => 'text collate nocase' })()
    .notNull()
export const sqliteTables = {
  usersTable: lite.sqliteTable('u', {
    id: nocase().primaryKey(),
    email: nocase().unique(),
    emailVerified: lite.integer({ mode: 'timestamp_ms' }),
    name: lite.text(),
    image: lite.text(),
  }),
  accountsTable: lite.sqliteTable('a', {
    userId: nocase(),
    type: lite.text().notNull(),
    provider: nocase(),
    providerAccountId: nocase(),
    access_token: lite.text(),
    refresh_token: lite.text(),
    id_token: lite.text(),
    scope: lite.text(),
    token_type: lite.text(),
    session_state: lite.text(),
    expires_at: lite.integer(),
    expires_in: lite.integer(),
  }),
  sessionsTable: lite.sqliteTable('s', {
    sessionToken: nocase().primaryKey(),
    userId: nocase(),
    expires: lite.integer({ mode: 'timestamp_ms' }).notNull(),
  }),
  verificationTokensTable: lite.sqliteTable('v', {
    identifier: nocase(),
    token: nocase(),
    expires: lite.integer({ mode: 'timestamp_ms' }).notNull(),
  }),
  authenticatorsTable: lite.sqliteTable('w', {
    credentialID: nocase().primaryKey(),
    userId: nocase(),
    providerAccountId: nocase(),
    credentialPublicKey: lite.text().notNull(),
    counter: lite.integer().notNull(),
    credentialDeviceType: lite.text().notNull(),
    credentialBackedUp: lite.integer({ mode: 'boolean' }).notNull(),
    transports: lite.text(),
  }),
}

/** The CREATE TABLE statements of these tables. `suffix` is appended to each, such as a collation. */
export function createTables(tables: typeof mysqlTables | typeof pgTables | typeof sqliteTables, quote: '"' | '`', suffix = ''): string[] {
  const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = tables
  const q = (...names: string[]) => names.map((name) => quote + name + quote).join(', ')
  return [
    createTable(usersTable, quote),
    createTable(accountsTable, quote, [`primary key (${q('provider', 'providerAccountId')})`]),
    createTable(sessionsTable, quote),
    createTable(verificationTokensTable, quote, [`primary key (${q('identifier', 'token')})`]),
    createTable(authenticatorsTable, quote),
  ].map((statement) => statement + suffix)
}
