import type { Table } from 'drizzle-orm'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { drizzle as drizzleSqlite } from 'drizzle-orm/sqlite-proxy'
import { describe, expect, test } from 'vitest'
import type { DialectName, Tables } from '../../../../src/cli/core.js'
import { tableNames } from '../../../../src/cli/core.js'
import { oldTables, successors } from '../../../../src/cli/moving/successors.js'
import * as documented from '../../../integration/moving/documented-pg.js'
import * as officialMysql from '../../../integration/moving/official-mysql.js'
import * as officialPg from '../../../integration/moving/official-pg.js'
import * as officialSqlite from '../../../integration/moving/official-sqlite.js'
import * as mysqlSchema from '../../../support/schema/mysql.js'
import * as pgSchema from '../../../support/schema/pg.js'
import * as sqliteSchema from '../../../support/schema/sqlite.js'

// While the schema file still has the tables of the old adapter, the plan is made for the tables that will replace them.

const noRows = async () => ({ rows: [] })
const dbs = { pg: drizzlePg(noRows), mysql: drizzleMysql(noRows), sqlite: drizzleSqlite(noRows) }
const own = { pg: pgSchema, mysql: mysqlSchema, sqlite: sqliteSchema }
const official = { pg: officialPg, mysql: officialMysql, sqlite: officialSqlite }

const successorsOf = (tables: object, dialect: DialectName = 'pg') =>
  successors(dbs[dialect] as never, dialect, tables as unknown as Partial<Tables>) as Promise<Record<string, Table> | undefined>
const typesOf = (table: unknown) =>
  Object.fromEntries(
    Object.entries(getTableColumns(table as Table)).map(([field, column]) => [field, `${column.name} ${column.getSQLType()}`]),
  )
const without = (table: object, field: string) => {
  const { [field]: _, ...columns } = Object.fromEntries(
    Object.keys(getTableColumns(table as Table)).map((name) => [name, name === 'expires' ? pg.timestamp({ precision: 3 }) : pg.text()]),
  )
  return columns
}

describe('tables of the old adapter', () => {
  test.each(['pg', 'mysql', 'sqlite'] as const)(
    'on %s, those of the official adapter are replaced by those of defineTables()',
    async (dialect) => {
      const made = await successorsOf({ ...official[dialect] }, dialect)
      const wanted = own[dialect] as unknown as Record<string, Table>
      expect(Object.keys(made ?? {}).sort()).toEqual(Object.keys(wanted).sort())
      for (const [name, table] of Object.entries(wanted)) {
        expect(typesOf(made?.[name])).toEqual(typesOf(table))
        expect(getTableName(made?.[name] as Table)).toBe(getTableName(table))
      }
    },
  )

  test('those that the documentation shows are replaced, too', async () => {
    expect(Object.keys((await successorsOf({ ...documented })) ?? {})).toHaveLength(5)
  })

  test.each(['pg', 'mysql', 'sqlite'] as const)('on %s, those of defineTables() have no successors', async (dialect) => {
    expect(await successorsOf({ ...own[dialect] }, dialect)).toBeUndefined()
  })

  test('only the tables that are given are replaced', async () => {
    const { accountsTable, usersTable } = officialPg
    expect(Object.keys((await successorsOf({ usersTable, accountsTable })) ?? {})).toEqual(['usersTable', 'accountsTable'])
  })
})

describe('what makes a table an old one', () => {
  const sessions = { sessionToken: pg.text().primaryKey(), userId: pg.text().notNull(), expires: pg.timestamp({ precision: 3 }).notNull() }

  test.each([
    ['as defineTables() has it', sessions, false],
    ['with a column of the app', { ...sessions, device: pg.text() }, false],
    ['with ids of another type', { ...sessions, userId: pg.uuid().notNull() }, false],
    ['without the dates’ fraction', { ...sessions, expires: pg.timestamp() }, true],
    ['without a column', without(pgSchema.sessionsTable, 'expires'), true],
  ])('%s', async (_, columns, isOld) => {
    const made = await successorsOf({ sessionsTable: pg.pgTable('session', columns) })
    expect(made !== undefined).toBe(isOld)
  })

  test('a users table may be the app’s own', async () => {
    const usersTable = pg.pgTable('people', { id: pg.uuid().primaryKey(), email: pg.text().notNull() })
    expect(await successorsOf({ ...pgSchema, usersTable })).toBeUndefined()
  })
})

describe('names', () => {
  const old = { userId: pg.text('userId'), expires: pg.timestamp('expires'), identifier: pg.text(), token: pg.text() }

  test('of tables and their schema stay', async () => {
    const auth = pg.pgSchema('auth')
    const made = await successorsOf({
      sessionsTable: auth.table('the_sessions', old),
      accountsTable: pg.pgTable('logins', old),
      verificationTokensTable: pg.pgTable('tokens', old),
    })
    expect(tableNames(made?.sessionsTable as Table)).toEqual({ schema: 'auth', name: 'the_sessions' })
    expect(tableNames(made?.accountsTable as Table)).toEqual({ schema: undefined, name: 'logins' })
    expect(getTableName(made?.verificationTokensTable as Table)).toBe('tokens')
    expect(typesOf(made?.sessionsTable)).toMatchObject({ userId: 'userId text' })
  })

  test('in snake case stay in snake case', async () => {
    const made = await successorsOf({
      usersTable: pg.pgTable('users', { id: pg.text() }),
      sessionsTable: pg.pgTable('sessions', { ...old, userId: pg.text('user_id') }),
      verificationTokensTable: pg.pgTable('tokens', old),
      authenticatorsTable: pg.pgTable('passkeys', old),
    })
    expect(typesOf(made?.sessionsTable)).toMatchObject({ userId: 'user_id text', sessionToken: 'session_token text' })
    expect(Object.values(made ?? {}).map(getTableName)).toEqual(['users', 'sessions', 'tokens', 'passkeys'])
  })
})

test('the app is told that the plan is for other tables than the schema file has', () => {
  expect(oldTables).toMatchObject({ code: 'old-tables', severity: 'warning', fix: expect.stringContaining('--schema') })
})
