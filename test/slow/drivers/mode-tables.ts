import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'

// Tables with numeric ids, and with a column for each type that a driver returns differently depending on its settings.
const pgUsers = pg.pgTable('user', {
  id: pg.bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  email: pg.text().notNull().unique(),
  emailVerified: pg.timestamp({ withTimezone: true, precision: 3 }),
  name: pg.text(),
  image: pg.text(),
  visits: pg.bigint({ mode: 'number' }),
  total: pg.bigint({ mode: 'bigint' }),
  admin: pg.boolean(),
  born: pg.date({ mode: 'string' }),
  settings: pg.jsonb(),
})

const mysqlUsers = my.mysqlTable('user', {
  id: my.bigint({ mode: 'bigint' }).primaryKey().autoincrement(),
  email: my.varchar({ length: 255 }).notNull().unique(),
  emailVerified: my.datetime({ fsp: 3 }),
  name: my.text(),
  image: my.text(),
  visits: my.bigint({ mode: 'number' }),
  total: my.bigint({ mode: 'bigint' }),
  admin: my.boolean(),
  born: my.date({ mode: 'string' }),
  settings: my.json(),
})

const sqliteUsers = lite.sqliteTable('user', {
  id: lite.integer().primaryKey({ autoIncrement: true }),
  email: lite.text().notNull().unique(),
  emailVerified: lite.integer({ mode: 'timestamp_ms' }),
  name: lite.text(),
  image: lite.text(),
  visits: lite.integer(),
  admin: lite.integer({ mode: 'boolean' }),
  settings: lite.text({ mode: 'json' }),
})

const added = { visits: 9_007_199_254_740_991, admin: true, settings: { dark: true, size: 12 } }
const addedExceptSqlite = { total: 9_007_199_254_740_991n, born: '1815-12-10' }

/** The tables of each dialect, and values for the columns that the app added. */
export const modeTables = {
  pg: { tables: definePg({ usersTable: pgUsers, foreignKeys: false }), added: { ...added, ...addedExceptSqlite } },
  mysql: {
    tables: defineMysql({ usersTable: mysqlUsers, foreignKeys: false }),
    added: { ...added, ...addedExceptSqlite },
  },
  sqlite: { tables: defineSqlite({ usersTable: sqliteUsers, foreignKeys: false }), added },
}
