import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { createTable } from '../support/ddl.js'
import type { DialectName } from '../support/dialects.js'

// The users table of an app: the address is optional because some providers return none, and `profile()` fills the columns role and joined.

const usersTables = {
  sqlite: lite.sqliteTable('people', {
    id: lite.text().primaryKey(),
    email: lite.text().unique(),
    emailVerified: lite.integer({ mode: 'timestamp_ms' }),
    name: lite.text(),
    image: lite.text(),
    role: lite.text().notNull().default('member'),
    joined: lite.integer({ mode: 'timestamp_ms' }),
  }),
  pg: pg.pgTable('people', {
    id: pg.text().primaryKey(),
    email: pg.text().unique(),
    emailVerified: pg.timestamp({ precision: 3 }),
    name: pg.text(),
    image: pg.text(),
    role: pg.text().notNull().default('member'),
    joined: pg.timestamp({ precision: 3 }),
  }),
  mysql: my.mysqlTable('people', {
    id: my.varchar({ length: 100 }).primaryKey(),
    email: my.varchar({ length: 190 }).unique(),
    emailVerified: my.datetime({ fsp: 3 }),
    name: my.text(),
    image: my.text(),
    role: my.varchar({ length: 20 }).notNull().default('member'),
    joined: my.datetime({ fsp: 3 }),
  }),
}

const defined = {
  sqlite: { ...defineSqlite({ usersTable: usersTables.sqlite, foreignKeys: false }), quote: '`' as const },
  pg: { ...definePg({ usersTable: usersTables.pg, foreignKeys: false }), quote: '"' as const },
  mysql: { ...defineMysql({ usersTable: usersTables.mysql, foreignKeys: false }), quote: '`' as const },
}

/** The tables, and the statements that create them. */
export function tablesOf(dialect: DialectName): { tables: object; migrations: string[] } {
  const { quote, ...tables } = defined[dialect]
  const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = tables
  const key = (...names: string[]) => [`primary key (${names.map((name) => quote + name + quote).join(', ')})`]
  return {
    tables,
    migrations: [
      createTable(usersTable, quote),
      createTable(accountsTable, quote, key('provider', 'providerAccountId')),
      createTable(sessionsTable, quote),
      createTable(verificationTokensTable, quote, key('identifier', 'token')),
      createTable(authenticatorsTable, quote),
    ],
  }
}
