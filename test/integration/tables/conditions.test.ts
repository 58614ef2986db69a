import { sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { dialects } from '../../../src/dialects.js'
import type { Comparison } from '../../../src/query/conditions.js'
import { equal } from '../../../src/query/conditions.js'
import { connect } from '../../../src/query/connection.js'
import { asPair } from '../../../src/query/lookup.js'
import { openTable } from '../../../src/query/table.js'
import type { DialectName } from '../../support/dialects.js'
import { creationOf, openRows, tableOf, typesOf } from '../../support/table-sets.js'

// Better Auth compares columns of any type with any value. Its adapter opens tables as these tests do.

const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
const json = { b: ['x', 1.5], a: '"\\é' }

/** Columns with a value that is stored and one that is asked for. */
type Case = [column: string, stored: unknown, asked: unknown]

interface Types {
  columns(): Record<string, object>
  before?: string[]
  found: Case[]
  /** Columns of types that are not compared: of numbers, and of others, with a value. */
  numeric: Record<string, unknown>
  other: Record<string, unknown>
}

const ofAll: Case[] = [
  ['settings', json, json],
  ['settings', 'text', 'text'],
]
const ofServers: Case[] = [
  ['mood', 'sad', 'sad'],
  ['day', '2030-01-02', '2030-01-02'],
]

const types: Record<DialectName, Types> = {
  pg: {
    columns: () => ({
      ref: pg.uuid().unique(),
      mood: pg.pgEnum('mood', ['happy', 'sad'])(),
      small: pg.customType<{ data: number; driverData: number }>({ dataType: () => 'integer' })(),
      day: pg.date({ mode: 'string' }),
      raw: pg.json(),
      price: pg.numeric({ precision: 10, scale: 2 }),
      ratio: pg.doublePrecision(),
      clock: pg.time(),
      address: pg.inet(),
    }),
    before: [`create type mood as enum ('happy', 'sad')`],
    found: [
      ...ofServers,
      ['ref', uuid, uuid],
      ['small', 5, 5],
      ['settings', { a: [1], b: 'x' }, { b: 'x', a: [1] }],
      ['raw', { a: [1], b: 'x' }, { a: [1], b: 'x' }],
    ],
    numeric: { price: '1.50', ratio: 1.5 },
    other: { clock: '00:00:00', address: '10.0.0.1' },
  },
  mysql: {
    columns: () => ({
      mood: my.mysqlEnum(['happy', 'sad']),
      day: my.date({ mode: 'string' }),
      price: my.decimal({ precision: 10, scale: 2 }),
      ratio: my.double(),
      clock: my.time(),
    }),
    found: ofServers,
    numeric: { price: '1.50', ratio: 1.5 },
    // MariaDB takes `abc` for the time 00:00:00.
    other: { clock: '00:00:00' },
  },
  sqlite: {
    columns: () => ({ price: lite.numeric(), ratio: lite.real(), bytes: lite.blob({ mode: 'buffer' }) }),
    found: [],
    numeric: { price: '1.5', ratio: 1.5 },
    other: { bytes: Buffer.from('x') },
  },
}

const operators = ['eq', 'ne', 'in', 'notIn'] as const
const comparison = (column: string, is: Comparison['is'], value: unknown): Comparison => ({
  column,
  is,
  value: is === 'in' || is === 'notIn' ? [value] : value,
})
const isEqual = (is: Comparison['is']) => is === 'eq' || is === 'in'

const numbers = [-4, -3, 0, 3, 4]

/** Orderings, with the numbers that satisfy them. */
const orderings: [Comparison['is'], number, number[]][] = [
  ['gt', 3.5, [4]],
  ['gte', 3.5, [4]],
  ['lt', 3.5, [-4, -3, 0, 3]],
  ['lte', 3.5, [-4, -3, 0, 3]],
  ['gt', -3.5, [-3, 0, 3, 4]],
  ['gte', -3.5, [-3, 0, 3, 4]],
  ['lt', -3.5, [-4]],
  ['lte', -0.5, [-4, -3]],
  ['gt', 3, [4]],
  ['gte', 3, [3, 4]],
  ['lt', 3, [-4, -3, 0]],
  ['lte', 3, [-4, -3, 0, 3]],
]

const looseText: Record<DialectName, string> = { pg: 'text collate loose', mysql: 'varchar(9)', sqlite: 'text collate nocase' }
const looseOnPg = `create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`

type Rows = Awaited<ReturnType<typeof openRows>>['rows']

const invalid = (column: string) => ({ kind: 'invalid', details: { column } })

describe.each(inject('dialects'))('a comparison on %s', (dialect) => {
  const { text, integer, bigint, flag, json: jsonColumn, custom } = typesOf[dialect]
  const { columns, before, found, numeric, other } = types[dialect]

  let rows: Rows
  beforeAll(async () => {
    const all = { id: text().primaryKey(), settings: jsonColumn(), ...columns() }
    rows = (await openRows(dialect, all, before, 20, afterAll)).rows
  })
  beforeEach(async () => void (await rows.deleteAll({ and: [] })))

  test.each([...ofAll, ...found])('of %s finds %s by %s', async (column, stored, asked) => {
    await rows.insert({ id: 'a', [column]: stored })
    await rows.insert({ id: 'b' })
    for (const is of operators) expect(await rows.count(comparison(column, is, asked)), is).toBe(isEqual(is) ? 1 : 0)
  })

  test('of JSON refuses an order', async () => {
    await expect(rows.count({ column: 'settings', is: 'lt', value: { a: 1 } })).rejects.toMatchObject(invalid('settings'))
    expect(await rows.count({ column: 'settings', is: 'ne', value: null })).toBe(0)
  })

  test.runIf(dialect === 'pg')('of a unique uuid knows one spelling: others are nobody’s, and are not stored', async () => {
    await rows.insert({ id: 'a', ref: uuid })
    for (const spelling of [uuid.toUpperCase(), `{${uuid}}`, uuid.replaceAll('-', '')]) {
      await expect(rows.insert({ id: 'b', ref: spelling }), spelling).rejects.toMatchObject(invalid('ref'))
      expect(await rows.lookup(['ref'])({ ref: spelling })).toBeNull()
    }
    expect(await rows.lookup(['ref'])({ ref: uuid })).toMatchObject({ id: 'a' })
  })

  test.runIf(dialect !== 'sqlite').each(operators)('with %s refuses what the column cannot hold', async (is) => {
    await rows.insert({ id: 'a', mood: 'sad', day: '2030-01-01' })
    for (const column of ['mood', 'day'])
      for (const value of ['abc', '', '1x'])
        await expect(rows.deleteAll(comparison(column, is, value)), `${column} ${value}`).rejects.toMatchObject({ kind: 'invalid' })
    expect(await rows.count({ and: [] })).toBe(1)
  })

  test.each(Object.keys(numeric))('of %s, a number that is not whole, takes a finite number and nothing else', async (column) => {
    await rows.insert({ id: 'a', ...numeric })
    await rows.insert({ id: 'b' })
    for (const is of [...operators, 'gte', 'gt'] as const) {
      expect(await rows.count(comparison(column, is, 1.5)), is).toBe(isEqual(is) || is === 'gte' ? 1 : 0)
      for (const value of ['1.5', 'abc', '', Number.NaN, Number.POSITIVE_INFINITY, true, new Date(0)])
        await expect(rows.deleteAll(comparison(column, is, value)), `${is} ${value}`).rejects.toMatchObject(invalid(column))
    }
    for (const is of ['eq', 'ne'] as const) expect(await rows.count({ column, is, value: null }), is).toBe(1)
  })

  test.each(Object.entries(other))('of %s, a type that is not compared, takes no value but null', async (column, value) => {
    await rows.insert({ id: 'a', [column]: value })
    for (const is of [...operators, 'gt', 'contains'] as const)
      for (const asked of [value, 'abc', 0])
        await expect(rows.deleteAll(comparison(column, is, asked)), `${is} ${asked}`).rejects.toMatchObject(invalid(column))
    expect(await rows.count({ column, is: 'ne', value: null })).toBe(1)
  })

  describe('of whole numbers', () => {
    const anInteger = () => custom({ dataType: () => 'integer', fromDriver: Number })
    const names = dialect === 'sqlite' ? ['count'] : ['count', 'big']

    let rows: Rows
    beforeAll(async () => {
      const all = { id: integer().primaryKey(), count: integer(), big: bigint(), custom: anInteger() }
      rows = (await openRows(dialect, all, [], 20, afterAll)).rows
    })
    beforeEach(async () => {
      await rows.deleteAll({ and: [] })
      for (const [id, number] of numbers.entries())
        await rows.insert({ id, count: number, big: dialect === 'sqlite' ? number : BigInt(number), custom: number })
    })

    test.each(names)('keeps the meaning of a fraction in an order: %s', async (column) => {
      for (const [is, value, expected] of orderings) {
        const ordered = await rows.list({ column, is, value }, { orderBy: 'id' })
        expect(
          ordered.map((row) => Number(row[column])),
          `${is} ${value}`,
        ).toEqual(expected)
      }
      expect(await rows.deleteAll({ column, is: 'gt', value: 3.5 })).toBe(1)
    })

    // MySQL takes text that is no number for 0.
    test.each([...names, 'custom'])('refuses what is none: %s', async (column) => {
      for (const is of operators)
        for (const value of [3.5, 'none', '', '0x1', '3abc', Number.NaN, 2 ** 53])
          await expect(rows.deleteAll(comparison(column, is, value)), `${is} ${value}`).rejects.toMatchObject(invalid(column))
      await expect(rows.updateByKey({ id: 0, [column]: '3abc' })).rejects.toMatchObject(invalid(column))
      expect(await rows.count({ and: [] })).toBe(numbers.length)
    })
  })

  test.each(operators)('with %s does not take a text for another that its collation takes for it', async (is) => {
    const loose = custom({ dataType: () => looseText[dialect] })
    const opened = await openRows(dialect, { id: integer().primaryKey(), word: loose, taken: flag() }, dialect === 'pg' ? [looseOnPg] : [])
    const { rows } = opened
    for (const [index, word] of ['Ada', 'ADA', 'ada'].entries()) await rows.insert({ id: index + 1, word, taken: false })
    const where = comparison('word', is, 'ADA')
    const meant = isEqual(is) ? [2] : [1, 3]
    expect(await rows.count(where)).toBe(meant.length)
    expect((await rows.list(where, { orderBy: 'id', limit: 2 })).map(({ id }) => id)).toEqual(meant)
    expect(await rows.updateOne({ and: [where, equal({ taken: false })] }, { taken: true })).toMatchObject({ id: meant[0] })
    expect(await rows.updateAll(where, { taken: true })).toBe(meant.length)
    expect(await rows.count(equal({ taken: true }))).toBe(meant.length)
    expect(await rows.deleteOne(where)).toMatchObject({ id: meant[0] })
    expect(await rows.deleteAll(where)).toBe(meant.length - 1)
    expect(await rows.count({ and: [] })).toBe(3 - meant.length)
  })

  test('with a custom type that sends SQL is refused at its first use, with a sentence', async () => {
    const code = custom({ dataType: () => 'varchar(9)', toDriver: (value: string) => sql`upper(${value})` })
    const { rows } = await openRows(dialect, { id: text().primaryKey(), code })
    const refused = {
      name: 'AdapterConfigError',
      message: expect.stringMatching(/column code of thing has a custom type that sends an SQL/),
    }
    await rows.insert({ id: '1' })
    const uses = {
      insert: () => rows.insert({ id: '2', code: 'x' }),
      update: () => rows.updateByKey({ id: '1', code: 'x' }),
      lookup: () => rows.lookup(['code'])({ code: 'x' }),
      count: () => rows.count(equal({ code: 'x' })),
    }
    for (const [name, use] of Object.entries(uses)) await expect(use(), name).rejects.toMatchObject(refused)
  })

  // MySQL reads a row first, then writes it by its key.
  test('with a value for which a custom type sends null is refused, and means neither all rows nor none', async () => {
    const letter = () => custom({ dataType: () => 'varchar(50)', toDriver: (value: string) => (/^\w$/.test(value) ? value : null) })
    const { rows, exec, run } = await openRows(dialect, { id: letter().primaryKey(), code: letter() })
    await rows.insert({ id: 'b', code: 'x' })
    for (const is of [...operators, 'gt'] as const)
      await expect(rows.count(comparison('code', is, 'no letter')), is).rejects.toMatchObject({ kind: 'invalid' })
    if (dialect !== 'mysql') return
    await exec(`insert into thing values ('no letter', 'a')`)
    const garbled = { kind: 'garbled', details: { table: 'thing', column: 'id' } }
    await expect(rows.deleteOne(equal({ code: 'a' }))).rejects.toMatchObject(garbled)
    await expect(rows.updateOne(equal({ code: 'a' }), { code: 'y' })).rejects.toMatchObject(garbled)
    expect(await run('select code from thing order by code')).toEqual([{ code: 'a' }, { code: 'x' }])
  })

  test('of a reference finds the row with the one it refers to, whose first column is empty', async () => {
    const parent = tableOf(dialect, 'parent', { note: text(), id: text().primaryKey(), other: jsonColumn() })
    const { db, rows: children } = await openRows(dialect, { id: text().primaryKey(), parentId: text() }, [creationOf(dialect, parent)])
    const parents = openTable(connect('test', dialects[dialect], db), parent, {}, ['id'])
    const other = await parents.insert({ id: 'parent' })
    const row = await children.insert({ id: 'child', parentId: 'parent' })
    const orphan = await children.insert({ id: 'orphan', parentId: 'nobody' })
    const lookup = children.lookupWith(['id'], parents, { from: 'parentId', to: 'id', isOptional: true }, asPair)
    expect(await lookup({ id: 'child' })).toEqual([row, other])
    expect(await lookup({ id: 'orphan' })).toEqual([orphan, null])
  })
})
