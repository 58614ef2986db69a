import type { DialectName, Tables } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import { getTableColumns } from 'drizzle-orm'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { drizzle as drizzleSqlite } from 'drizzle-orm/sqlite-proxy'
import { describe, expect, test } from 'vitest'
import * as mysqlSchema from '../../../../test/support/schema/mysql.js'
import * as pgSchema from '../../../../test/support/schema/pg.js'
import * as sqliteSchema from '../../../../test/support/schema/sqlite.js'
import { tableNames } from '../../../src/doctor/table.js'
import { successors } from '../../../src/planning/successors.js'
import * as officialMysql from '../../support/moving/official-mysql.js'
import * as officialPg from '../../support/moving/official-pg.js'
import * as officialSqlite from '../../support/moving/official-sqlite.js'

// While the schema file still has the tables of the old adapter, the plan is made for the tables that will replace them.

const noRows = async () => ({ rows: [] })
const dbs = { pg: drizzlePg(noRows), mysql: drizzleMysql(noRows), sqlite: drizzleSqlite(noRows) }
const own = { pg: pgSchema, mysql: mysqlSchema, sqlite: sqliteSchema }
const official = { pg: officialPg, mysql: officialMysql, sqlite: officialSqlite }

const successorsOf = (tables: object, dialect: DialectName = 'pg') =>
  successors(dbs[dialect] as never, dialect, tables as unknown as Partial<Tables>) as Promise<Record<string, Table> | undefined>
const columnsOf = (table: unknown) =>
  Object.values(getTableColumns(table as Table)).map((column) => `${column.name} ${column.getSQLType()}`)

describe.each(['pg', 'mysql', 'sqlite'] as const)('on %s', (dialect) => {
  test('the tables of the official adapter are replaced by those of defineTables()', async () => {
    const made = await successorsOf({ ...official[dialect] }, dialect)
    for (const [name, table] of Object.entries(own[dialect])) expect(columnsOf(made?.[name])).toEqual(columnsOf(table))
  })

  test('the tables of defineTables() are not replaced', async () => {
    expect(await successorsOf({ ...own[dialect] }, dialect)).toBeUndefined()
  })
})

test.each([
  ['with a column of the app', { device: pg.text() }, false],
  ['with ids of another type', { userId: pg.uuid().notNull() }, false],
  ['without milliseconds', { expires: pg.timestamp() }, true],
])('whether a sessions table %s is replaced: %#', async (_, columns, isOld) => {
  const sessions = { sessionToken: pg.text().primaryKey(), userId: pg.text().notNull(), expires: pg.timestamp({ precision: 3 }).notNull() }
  const made = await successorsOf({ sessionsTable: pg.pgTable('session', { ...sessions, ...columns }) })
  expect(made !== undefined).toBe(isOld)
})

test('the new tables have the names, the schema and the casing of the old ones', async () => {
  const old = { userId: pg.text('user_id'), expires: pg.timestamp() }
  const made = await successorsOf({
    sessionsTable: pg.pgSchema('auth').table('the_sessions', old),
    accountsTable: pg.pgTable('logins', old),
    verificationTokensTable: pg.pgTable('tokens', { token: pg.text() }),
  })
  expect(Object.values(made ?? {}).map(tableNames)).toEqual([
    { schema: undefined, name: 'logins' },
    { schema: 'auth', name: 'the_sessions' },
    { schema: undefined, name: 'tokens' },
  ])
  expect(columnsOf(made?.sessionsTable)).toEqual(['session_token text', 'user_id text', 'expires timestamp (3)'])
})
