import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { dialects } from '../../../src/dialects.js'
import type { Comparison } from '../../../src/query/conditions.js'
import { equal } from '../../../src/query/conditions.js'
import { connect } from '../../../src/query/connection.js'
import { openTable } from '../../../src/query/table.js'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'

// An app may give it the name of a type.
const mood = pg.pgEnum('interval', ['happy', 'sad'])
const customInteger = pg.customType<{ data: number; driverData: number }>({ dataType: () => 'integer' })
const tables = {
  pg: pg.pgTable('thing', {
    id: pg.text().primaryKey(),
    ref: pg.uuid().unique(),
    mood: mood(),
    custom: customInteger(),
    day: pg.date({ mode: 'string' }),
    settings: pg.jsonb(),
    raw: pg.json(),
    price: pg.numeric({ precision: 10, scale: 2 }),
    ratio: pg.doublePrecision(),
    clock: pg.time(),
    address: pg.inet(),
    span: pg.interval(),
  }),
  mysql: my.mysqlTable('thing', {
    id: my.varchar({ length: 9 }).primaryKey(),
    mood: my.mysqlEnum(['happy', 'sad']),
    day: my.date({ mode: 'string' }),
    settings: my.json(),
    price: my.decimal({ precision: 10, scale: 2 }),
    ratio: my.double(),
    founded: my.year(),
    clock: my.time(),
  }),
  sqlite: lite.sqliteTable('thing', {
    id: lite.text().primaryKey(),
    settings: lite.text({ mode: 'json' }),
    price: lite.numeric(),
    ratio: lite.real(),
    bytes: lite.blob({ mode: 'buffer' }),
  }),
}
const migrations: Record<DialectName, string[]> = {
  pg: [
    `create type public."interval" as enum ('happy', 'sad')`,
    `create table thing (id varchar(9) primary key, ref uuid unique, mood public."interval", custom integer, day date, settings jsonb, raw json,
      price numeric(10, 2), ratio double precision, clock time, address inet, span interval)`,
  ],
  mysql: [
    `create table thing (id varchar(9) primary key, mood enum('happy', 'sad'), day date, settings json,
      price decimal(10, 2), ratio double, founded year, clock time)`,
  ],
  sqlite: ['create table thing (id varchar(9) primary key, settings text, price numeric, ratio real, bytes blob)'],
}

/** A value of a column as it is stored, and as it is asked for. */
type Case = [column: string, stored: unknown, asked: unknown]

const ofAll: Case[] = [
  ['settings', { b: ['x', 1.5], a: '"\\é' }, { b: ['x', 1.5], a: '"\\é' }],
  ['settings', 'text', 'text'],
]
const ofServers: Case[] = [
  ['mood', 'sad', 'sad'],
  ['day', '2030-01-02', '2030-01-02'],
]
const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
const cases: Record<DialectName, Case[]> = {
  pg: [
    ...ofAll,
    ...ofServers,
    ['ref', uuid, uuid],
    ['custom', 5, 5],
    ['settings', { a: [1], b: 'x' }, { b: 'x', a: [1] }],
    ['raw', { a: [1], b: 'x' }, { a: [1], b: 'x' }],
  ],
  mysql: [...ofAll, ...ofServers],
  sqlite: ofAll,
}

/** The types for which we do not compare values, of those that hold numbers, and of others, with a value that is stored in them. */
const outside: Record<DialectName, { numeric: Record<string, unknown>; other: Record<string, unknown> }> = {
  pg: { numeric: { price: '1.50', ratio: 1.5 }, other: { clock: '00:00:00', address: '10.0.0.1', span: '1 day' } },
  mysql: { numeric: { price: '1.50', ratio: 1.5 }, other: { clock: '00:00:00' } },
  sqlite: { numeric: { price: '1.5', ratio: 1.5 }, other: { bytes: Buffer.from('x') } },
}

const operators = ['eq', 'ne', 'in', 'notIn'] as const
const comparison = (column: string, is: Comparison['is'], value: unknown): Comparison => ({
  column,
  is,
  value: is === 'in' || is === 'notIn' ? [value] : value,
})

describe.each(inject('dialects'))('a comparison on %s', (dialect) => {
  async function open(...more: string[]) {
    const { db, close } = await openDatabase(dialect, { migrations: [...migrations[dialect], ...more] })
    onTestFinished(close)
    return openTable(connect('test', dialects[dialect], db), tables[dialect], {}, ['id'])
  }

  test.each(cases[dialect])('of %s finds %s by %s', async (column, stored, asked) => {
    const table = await open()
    await table.insert({ id: 'a', [column]: stored })
    await table.insert({ id: 'b' })
    for (const is of operators) expect(await table.count(comparison(column, is, asked)), is).toBe(is === 'eq' || is === 'in' ? 1 : 0)
  })

  test('of JSON refuses an order', async () => {
    const table = await open()
    const order = table.count({ column: 'settings', is: 'lt', value: { a: 1 } })
    await expect(order).rejects.toMatchObject({ kind: 'invalid', details: { column: 'settings' } })
    expect(await table.count({ column: 'settings', is: 'ne', value: null })).toBe(0)
  })

  test.runIf(dialect === 'pg')('of a unique uuid knows one spelling: others are nobody’s, and are not stored', async () => {
    const table = await open()
    await table.insert({ id: 'a', ref: uuid })
    for (const other of [uuid.toUpperCase(), `{${uuid}}`, uuid.replaceAll('-', '')]) {
      await expect(table.insert({ id: 'b', ref: other }), other).rejects.toMatchObject({ kind: 'invalid', details: { column: 'ref' } })
      expect(await table.lookup(['ref'])({ ref: other })).toBeNull()
    }
    expect(await table.lookup(['ref'])({ ref: uuid })).toMatchObject({ id: 'a' })
  })

  test.runIf(dialect !== 'sqlite').each(operators)('with %s refuses what the column cannot hold', async (is) => {
    const table = await open()
    await table.insert({ id: 'a', mood: 'sad', day: '2030-01-01' })
    for (const column of ['mood', 'day'])
      for (const value of ['abc', '', '1x'])
        await expect(table.deleteAll(comparison(column, is, value)), `${column} ${value}`).rejects.toMatchObject({ kind: 'invalid' })
    expect(await table.count({ and: [] })).toBe(1)
  })

  const { numeric, other } = outside[dialect]

  test.each(Object.keys(numeric))('of %s, a number that is not whole, takes a finite number and nothing else', async (column) => {
    const table = await open()
    await table.insert({ id: 'a', ...numeric })
    await table.insert({ id: 'b' })
    for (const is of [...operators, 'gte', 'gt'] as const) {
      expect(await table.count(comparison(column, is, 1.5)), is).toBe(is === 'eq' || is === 'in' || is === 'gte' ? 1 : 0)
      for (const value of ['1.5', 'abc', '', Number.NaN, Number.POSITIVE_INFINITY, true, new Date(0)])
        await expect(table.deleteAll(comparison(column, is, value)), `${is} ${value}`).rejects.toMatchObject({
          kind: 'invalid',
          details: { column },
        })
    }
    for (const is of ['eq', 'ne'] as const) expect(await table.count({ column, is, value: null }), is).toBe(1)
  })

  // MariaDB takes `abc` for the time 00:00:00.
  test.each(Object.entries(other))('of %s, a type that is not compared, takes no value but null', async (column, value) => {
    const table = await open()
    await table.insert({ id: 'a', [column]: value })
    for (const is of [...operators, 'gt', 'lt', 'contains'] as const)
      for (const asked of [value, 'abc', 0])
        await expect(table.deleteAll(comparison(column, is, asked)), `${is} ${asked}`).rejects.toMatchObject({
          kind: 'invalid',
          details: { column },
        })
    expect(await table.count({ column, is: 'ne', value: null })).toBe(1)
  })
})

// Columns that the database compares without regard to case.
const loose = {
  pg: { table: pg.pgTable('word', { id: pg.integer().primaryKey(), word: pg.text(), taken: pg.boolean() }), collation: ' collate loose' },
  mysql: {
    table: my.mysqlTable('word', { id: my.int().primaryKey(), word: my.varchar({ length: 9 }), taken: my.boolean() }),
    collation: '',
  },
  sqlite: {
    table: lite.sqliteTable('word', { id: lite.integer().primaryKey(), word: lite.text(), taken: lite.integer({ mode: 'boolean' }) }),
    collation: ' collate nocase',
  },
}

describe.each(inject('dialects'))('a text on %s that its collation takes for another', (dialect) => {
  async function open() {
    const { table, collation } = loose[dialect]
    const created = `create table word (id integer primary key, word varchar(9)${collation}, taken boolean)`
    const createCollation = `create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`
    const { db, close } = await openDatabase(dialect, { migrations: dialect === 'pg' ? [createCollation, created] : [created] })
    onTestFinished(close)
    const words = openTable(connect('test', dialects[dialect], db), table, {}, ['id'])
    for (const [index, word] of ['Ada', 'ADA', 'ada'].entries()) await words.insert({ id: index + 1, word, taken: false })
    return words
  }

  test.each(operators)('is another one in counts, lists, updates and deletions with %s', async (is) => {
    const words = await open()
    const where = comparison('word', is, 'ADA')
    const meant = is === 'eq' || is === 'in' ? [2] : [1, 3]
    expect(await words.count(where)).toBe(meant.length)
    expect((await words.list(where, { orderBy: 'id', limit: 2 })).map(({ id }) => id)).toEqual(meant)
    expect(await words.updateOne({ and: [where, equal({ taken: false })] }, { taken: true })).toMatchObject({ id: meant[0] })
    expect(await words.updateAll(where, { taken: true })).toBe(meant.length)
    expect(await words.count(equal({ taken: true }))).toBe(meant.length)
    expect(await words.deleteOne(where)).toMatchObject({ id: meant[0] })
    expect(await words.deleteAll(where)).toBe(meant.length - 1)
    expect(await words.count({ and: [] })).toBe(3 - meant.length)
  })
})
