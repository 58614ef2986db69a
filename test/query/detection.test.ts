import Database from 'better-sqlite3'
import { Table } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { singlestoreTable } from 'drizzle-orm/singlestore-core'
import { drizzle as drizzleSingleStore } from 'drizzle-orm/singlestore-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import * as detection from '../../src/query/detection.js'
import type { Database as AnyDatabase } from '../../src/query/drizzle.js'
import { AdapterConfigError } from '../../src/query/errors.js'

const noRows = async () => ({ rows: [] })
const db = drizzle({ client: new Database(':memory:') })

/** A database or a table, without its type. */
const asDatabase = (value: unknown) => value as AnyDatabase

const configError = (message: RegExp) => expect.objectContaining({ name: 'AdapterConfigError', message: expect.stringMatching(message) })

describe('the database to query', () => {
  test('is the one that is given', () => expect(detection.primaryOf(db, 'DrizzleAdapter')).toBe(db))

  test('is the primary if there are replicas', () => {
    const primary = drizzlePg(noRows)
    expect(detection.primaryOf(pg.withReplicas(primary, [drizzlePg(noRows)]), 'DrizzleAdapter')).toBe(primary)
  })

  test.each([undefined, null, 'file:x.db', {}, { select: 1 }, { $primary: {} }, new Database(':memory:')])('is not %o', (value) => {
    expect(() => detection.primaryOf(value, 'deleteExpired')).toThrow(configError(/^deleteExpired: .* is not a Drizzle database/))
  })
})

test('a transaction is told from a database', () => {
  expect(detection.isTransaction(db)).toBe(false)
  expect(db.transaction((transaction) => detection.isTransaction(transaction))).toBe(true)
  expect(detection.isTransaction({ rollback: true })).toBe(false)
})

describe('the dialect', () => {
  test.each([
    ['pg', drizzlePg(noRows), pg.pgTable('people', { id: pg.text() })],
    ['mysql', drizzleMysql(noRows), my.mysqlTable('people', { id: my.int() })],
    ['sqlite', db, lite.sqliteTable('people', { id: lite.text() })],
  ])('is %s', (name, database, table) => {
    expect(detection.dialectOfDatabase(asDatabase(database), 'DrizzleAdapter')).toBe(name)
    expect(detection.dialectOfTable(table, 'usersTable')).toBe(name)
  })

  test('is that of a class that the database or the table extends', () => {
    const entityKind = Symbol.for('drizzle:entityKind')
    const own = class extends lite.SQLiteTable {
      static readonly [entityKind]: string = 'SoftDeleteTable'
    }
    expect(detection.dialectOfTable(Object.create(own.prototype), 'usersTable')).toBe('sqlite')
  })

  test('may be one that is not supported', () => {
    const database = asDatabase(drizzleSingleStore(noRows))
    expect(() => detection.dialectOfDatabase(database, 'DrizzleAdapter')).toThrow(
      configError(/^DrizzleAdapter: .* not supported \(SingleStoreDialect\).* PostgreSQL, MySQL and SQLite/),
    )
    expect(() => detection.dialectOfTable(singlestoreTable('people', {}), 'usersTable')).toThrow(
      configError(/^usersTable .* not supported \(SingleStoreTable\)/),
    )
  })

  test.each([undefined, null, {}, 'people', Object.create(null), Object.create(Table.prototype), lite.text('id'), db])(
    'is not known of what is no table: %#',
    (value) => {
      expect(() => detection.dialectOfTable(value, 'usersTable')).toThrow(configError(/^usersTable is not a Drizzle table/))
    },
  )

  test('is not known of what is no database', () => {
    const call = () => detection.dialectOfDatabase(asDatabase({ select: () => {} }), 'DrizzleAdapter')
    expect(call).toThrow(AdapterConfigError)
    expect(call).toThrow(configError(/^DrizzleAdapter: the database is not a Drizzle database/))
  })
})

describe("Drizzle's name for a class", () => {
  const column = lite.sqliteTable('people', { id: lite.text() }).id

  test('is found on an object of the class', () => {
    expect(detection.kindOf(column)).toBe('SQLiteText')
    for (const value of [undefined, null, 'x', {}, Object.create(null)]) expect(detection.kindOf(value)).toBeUndefined()
  })

  test('is found with those of the classes that it extends', () => {
    const kinds = detection.kindsOf(column)
    expect(kinds[0]).toBe('SQLiteText')
    expect(kinds).toContain('SQLiteColumn')
    expect(kinds.at(-1)).toBe('Column')
    expect(new Set(kinds).size).toBe(kinds.length)
    for (const value of [undefined, null, 'x', {}, new Date(), Object.create(null)]) expect(detection.kindsOf(value)).toEqual([])
  })

  test('counts once, also where a class has none of its own', () => {
    const own = class extends lite.SQLiteTable {}
    expect(detection.kindsOf(Object.create(own.prototype))).toEqual(['SQLiteTable', 'Table'])
  })
})

test('an alias of a table is told from the table', () => {
  const table = lite.sqliteTable('people', { id: lite.text() })
  expect(detection.isAlias(table)).toBe(false)
  expect(detection.isAlias(lite.alias(table, 'others'))).toBe(true)
})

test('a table is named with its schema', () => {
  expect(detection.uniqueNameOf(pg.pgSchema('auth').table('people', { id: pg.text() }))).toBe('auth.people')
  expect(detection.uniqueNameOf(pg.pgTable('people', { id: pg.text() }))).toBe('.people')
})
