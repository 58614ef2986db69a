import { sql } from 'drizzle-orm'
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

// Types that are text in code, and that the database compares in its own way.
// An app may give it the name of a type.
const mood = pg.pgEnum('interval', ['happy', 'sad'])
const customInteger = pg.customType<{ data: number; driverData: number }>({ dataType: () => 'integer' })
const tables = {
  pg: pg.pgTable('thing', {
    id: pg.text().primaryKey(),
    price: pg.numeric({ precision: 10, scale: 2 }),
    long: pg.numeric(),
    rate: pg.numeric({ precision: 10, scale: 2, mode: 'number' }),
    code: pg.numeric({ precision: 10, scale: 2 }).unique(),
    ref: pg.uuid().unique(),
    codes: pg.numeric({ precision: 10, scale: 2 }).array().unique(),
    mood: mood(),
    address: pg.inet(),
    network: pg.cidr(),
    device: pg.macaddr(),
    span: pg.interval(),
    custom: customInteger(),
    day: pg.date({ mode: 'string' }),
    clock: pg.time(),
    settings: pg.jsonb(),
    raw: pg.json(),
  }),
  mysql: my.mysqlTable('thing', {
    id: my.varchar({ length: 9 }).primaryKey(),
    price: my.decimal({ precision: 10, scale: 2 }),
    long: my.decimal({ precision: 30, scale: 5 }),
    rate: my.decimal({ precision: 10, scale: 2, mode: 'number' }),
    code: my.decimal({ precision: 10, scale: 2 }).unique(),
    mood: my.mysqlEnum(['happy', 'sad']),
    day: my.date({ mode: 'string' }),
    clock: my.time(),
    settings: my.json(),
  }),
  sqlite: lite.sqliteTable('thing', {
    id: lite.text().primaryKey(),
    price: lite.numeric(),
    long: lite.numeric(),
    rate: lite.numeric({ mode: 'number' }),
    code: lite.numeric().unique(),
    settings: lite.text({ mode: 'json' }),
  }),
}
const numbers = (long: string) =>
  `id varchar(9) primary key, price numeric(10, 2), ${long}, rate numeric(10, 2), code numeric(10, 2) unique`
const migrations: Record<DialectName, string[]> = {
  pg: [
    `create type public."interval" as enum ('happy', 'sad')`,
    `create table thing (${numbers('long numeric')}, mood public."interval", address inet, network cidr, device macaddr, span interval, custom integer, ref uuid unique, codes numeric(10, 2)[] unique, day date, clock time, settings jsonb, raw json)`,
  ],
  mysql: [`create table thing (${numbers('`long` numeric(30, 5)')}, mood enum('happy', 'sad'), day date, clock time, settings json)`],
  sqlite: [`create table thing (${numbers('long numeric')}, settings text)`],
}

/** A value of a column as it is stored, and as it is asked for. */
type Case = [column: string, stored: unknown, asked: unknown]

const ofAll: Case[] = [
  ['price', '1.5', '1.50'],
  ['price', '1.50', '1.5'],
  ['long', '1.50000', '1.5'],
  ['rate', 1.56, 1.56],
  ['settings', { b: ['x', 1.5], a: '"\\é' }, { b: ['x', 1.5], a: '"\\é' }],
  ['settings', 'text', 'text'],
]
const ofServers: Case[] = [
  ['long', '9007199254740993', '9007199254740993.00'],
  ['code', '1.50', '1.50'],
  ['mood', 'sad', 'sad'],
  ['day', '2030-01-02', '2030-01-02'],
  ['clock', '03:04:05', '03:04:05'],
]
const cases: Record<DialectName, Case[]> = {
  pg: [
    ...ofAll,
    ...ofServers,
    ['address', '10.0.0.1', '10.0.0.1'],
    ['network', '10.0.0.0/8', '10.0.0.0/8'],
    ['device', '08:00:2b:01:02:03', '08:00:2b:01:02:03'],
    ['span', '1 day 02:00:00', '1 day 02:00:00'],
    ['custom', 5, 5],
    ['settings', { a: [1], b: 'x' }, { b: 'x', a: [1] }],
    ['raw', { a: [1], b: 'x' }, { a: [1], b: 'x' }],
  ],
  mysql: [...ofAll, ...ofServers],
  sqlite: [...ofAll, ['code', '1.5', '1.5']],
}

const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
const ofScale2 = ['007.00', '-0.00', '7', '7.0', ' 7.00', '+7.00']

/** The spelling of a key, and others that the database takes for it. */
const spellings: Record<DialectName, [column: string, key: string, others: string[]][]> = {
  pg: [
    ['code', '7.00', ofScale2],
    ['ref', uuid, [uuid.toUpperCase(), `{${uuid}}`, uuid.replaceAll('-', '')]],
  ],
  mysql: [['code', '7.00', ofScale2]],
  sqlite: [['code', '7', ['007', '-0', '7.0', ' 7', '+7']]],
}

const operators = ['eq', 'ne', 'in', 'notIn'] as const
const comparison = (column: string, is: (typeof operators)[number], value: unknown): Comparison => ({
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

  test.runIf(dialect === 'mysql')('of JSON that the database cannot parse is one of texts', async () => {
    const table = await open('alter table thing modify settings longtext character set utf8mb4 collate utf8mb4_bin')
    await table.insert({ id: 'a', settings: 'x' })
    // Half a character, whose escape MariaDB cannot parse.
    await table.insert({ id: 'b', settings: '\ud800' })
    expect(await table.count(comparison('settings', 'eq', '\ud800'))).toBe(1)
    expect(await table.count(comparison('settings', 'ne', '\ud800'))).toBe(1)
    expect(await table.updateAll(comparison('settings', 'eq', 'x'), { mood: 'sad' })).toBe(1)
    expect(await table.updateAll(comparison('settings', 'ne', 'y'), { mood: 'happy' })).toBe(2)
  })

  test.runIf(dialect === 'mysql')('of JSON that is nested too deeply is refused, or is one of texts', async () => {
    const table = await open()
    const deep = JSON.parse(`${'['.repeat(200)}1${']'.repeat(200)}`)
    await table.insert({ id: 'a', settings: 'x' })
    await expect(table.insert({ id: 'b', settings: deep })).rejects.toMatchObject({ kind: 'invalid' })
    const others = table.count(comparison('settings', 'ne', deep))
    expect(await others.catch(({ kind }) => kind)).toBeOneOf([1, 'invalid'])
  })

  test.runIf(dialect === 'pg')('of a unique array compares its elements as numbers', async () => {
    const table = await open()
    await table.insert({ id: 'a', codes: ['1.5', '2'] })
    expect(await table.count(comparison('codes', 'eq', ['1.5', '2.00']))).toBe(1)
  })

  test.each(spellings[dialect])('of the key %s finds the one spelling that it stores, %s', async (column, key, others) => {
    const table = await open()
    for (const value of others) {
      await expect(table.insert({ id: 'a', [column]: value }), value).rejects.toMatchObject({ kind: 'invalid', details: { column } })
      expect(await table.lookup([column])({ [column]: value })).toBeNull()
    }
    for (const [id, value] of Object.entries({ a: key, b: null, c: sql`null` })) await table.insert({ id, [column]: value })
    expect(await table.lookup([column])({ [column]: key })).toMatchObject({ id: 'a' })
  })

  test.each(operators)('with %s refuses decimals that are read in another spelling', async (is) => {
    const table = await open()
    for (const column of ['price', 'long'])
      for (const value of ['007', '-007.5', '-0', '-0.00']) {
        await expect(table.insert({ id: 'a', [column]: value }), value).rejects.toMatchObject({ kind: 'invalid' })
        await expect(table.count(comparison(column, is, value)), value).rejects.toMatchObject({ kind: 'invalid' })
      }
  })

  test.each(operators)('with %s rounds no number', async (is) => {
    const table = await open()
    const others = is === 'eq' || is === 'in' ? 0 : 1
    await table.insert({ id: 'a', rate: 1.56, price: '1.56' })
    expect(await table.count(comparison('rate', is, 1.555))).toBe(others)
    expect(await table.count(comparison('price', is, '1.555'))).toBe(others)
    if (dialect === 'sqlite') return
    await table.insert({ id: 'b', long: '9007199254740993' })
    expect(await table.count(comparison('long', is, '9007199254740992'))).toBe(others)
  })

  test.each(operators)('with %s refuses what the column cannot hold', async (is) => {
    const table = await open()
    const texts = dialect === 'sqlite' ? {} : { mood: 'sad', day: '2030-01-01', clock: '00:00:00' }
    await table.insert({ id: 'a', price: '0', ...texts })
    for (const column of ['price', ...Object.keys(texts)])
      for (const value of ['abc', '', '1x'])
        await expect(table.deleteAll(comparison(column, is, value)), `${column} ${value}`).rejects.toMatchObject({ kind: 'invalid' })
    expect(await table.count({ and: [] })).toBe(1)
  })
})

test.runIf(inject('dialects').includes('pg'))(
  'a list on PostgreSQL has the values that it was given, neither rounded nor cut',
  async () => {
    const decimal = pg.customType<{ data: string }>({ dataType: () => 'decimal(10, 2)' })
    const things = pg.pgTable('thing', { id: pg.text().primaryKey(), price: decimal(), bits: pg.bit({ dimensions: 3 }) })
    const { db, close } = await openDatabase('pg', {
      migrations: ['create table thing (id text primary key, price decimal(10, 2), bits bit(3))'],
    })
    onTestFinished(close)
    const table = openTable(connect('test', dialects.pg, db), things, {}, ['id'])
    await table.insert({ id: 'a', price: '1.56', bits: '101' })
    for (const [column, stored, other] of [
      ['price', '1.56', '1.555'],
      ['bits', '101', '1011'],
    ] as const) {
      expect(await table.count({ column, is: 'in', value: [stored] })).toBe(1)
      expect(await table.count({ column, is: 'notIn', value: [stored] })).toBe(0)
      expect(await table.deleteAll({ column, is: 'in', value: [other] })).toBe(0)
    }
  },
)

test.runIf(inject('dialects').includes('pg')).each(['"C"', '"tr-TR-x-icu"'])(
  'a text on PostgreSQL equals itself without regard to case, whatever case means in the collation %s',
  async (collation) => {
    const { db, close } = await openDatabase('pg', {
      migrations: [`create table thing (id text primary key, name text collate ${collation})`],
    })
    onTestFinished(close)
    const things = pg.pgTable('thing', { id: pg.text().primaryKey(), name: pg.text() })
    const table = openTable(connect('test', dialects.pg, db), things, {}, ['id'])
    const name = 'INFO É'
    await table.insert({ id: 'a', name })
    const counts = { eq: 1, ne: 0, in: 1, notIn: 0, contains: 1, startsWith: 1, endsWith: 1 }
    for (const [is, count] of Object.entries(counts) as [Comparison['is'], number][])
      expect(await table.count({ column: 'name', is, value: is === 'in' || is === 'notIn' ? [name] : name, ignoresCase: true }), is).toBe(
        count,
      )
  },
)

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
