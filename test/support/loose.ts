import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { createTable } from './ddl.js'
import type * as mysqlSchema from './schema/mysql.js'
import type * as pgSchema from './schema/pg.js'
import type * as sqliteSchema from './schema/sqlite.js'

// Hand-written tables with only the columns of the contract. The database compares their keys without regard to case, and on MySQL to
// accents: the default collation on MySQL, citext on PostgreSQL, NOCASE on SQLite.

interface Column {
  notNull(): Column
  primaryKey(): Column
  unique(): Column
}

/** The column types of a dialect. */
interface Types {
  key(): Column
  text(): Column
  integer(): Column
  flag(): Column
  date(): Column
}

function looseTables(table: (name: string, columns: never) => unknown, { key, text, integer, flag, date }: Types): unknown {
  const columns: Record<string, [name: string, columns: Record<string, Column>]> = {
    usersTable: ['u', { id: key().primaryKey(), email: key().unique(), emailVerified: date(), name: text(), image: text() }],
    accountsTable: [
      'a',
      {
        userId: key(),
        type: key(),
        provider: key(),
        providerAccountId: key(),
        access_token: text(),
        refresh_token: text(),
        id_token: text(),
        scope: text(),
        token_type: text(),
        session_state: text(),
        expires_at: integer(),
        expires_in: integer(),
      },
    ],
    sessionsTable: ['s', { sessionToken: key().primaryKey(), userId: key(), expires: date().notNull() }],
    verificationTokensTable: ['v', { identifier: key(), token: key(), expires: date().notNull() }],
    authenticatorsTable: [
      'w',
      {
        credentialID: key().primaryKey(),
        userId: key(),
        providerAccountId: key(),
        credentialPublicKey: key(),
        counter: integer().notNull(),
        credentialDeviceType: key(),
        credentialBackedUp: flag().notNull(),
        transports: text(),
      },
    ],
  }
  return Object.fromEntries(Object.entries(columns).map(([name, [own, columns]]) => [name, table(own, columns as never)]))
}

// Drizzle's builders of the three dialects have no type in common.
const typesOf = (types: Record<keyof Types, () => unknown>) => types as unknown as Types

export const mysqlTables = looseTables(
  my.mysqlTable,
  typesOf({
    key: () => my.varchar({ length: 255 }).notNull(),
    text: my.text,
    integer: my.int,
    flag: my.boolean,
    date: () => my.datetime({ fsp: 3 }),
  }),
) as typeof mysqlSchema

const citext = pg.customType<{ data: string }>({ dataType: () => 'citext' })
export const pgTables = looseTables(
  pg.pgTable,
  typesOf({
    key: () => citext().notNull(),
    text: pg.text,
    integer: pg.integer,
    flag: pg.boolean,
    date: () => pg.timestamp({ withTimezone: true, precision: 3 }),
  }),
) as typeof pgSchema

const nocase = lite.customType<{ data: string }>({ dataType: () => 'text collate nocase' })
export const sqliteTables = looseTables(
  lite.sqliteTable,
  typesOf({
    key: () => nocase().notNull(),
    text: lite.text,
    integer: lite.integer,
    flag: () => lite.integer({ mode: 'boolean' }),
    date: () => lite.integer({ mode: 'timestamp_ms' }),
  }),
) as typeof sqliteSchema

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
