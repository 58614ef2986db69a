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

// Better Auth compares columns of any type. Its adapter opens tables as this test does.
const tables = {
  pg: pg.pgTable('thing', {
    id: pg.real().primaryKey(),
    name: pg.text(),
    a: pg.real(),
    b: pg.doublePrecision(),
    c: pg.numeric({ precision: 10, scale: 2, mode: 'number' }),
    count: pg.integer(),
  }),
  mysql: my.mysqlTable('thing', {
    id: my.float().primaryKey(),
    name: my.varchar({ length: 9 }),
    a: my.float(),
    b: my.double(),
    c: my.decimal({ precision: 10, scale: 2, mode: 'number' }),
    count: my.int(),
  }),
  sqlite: lite.sqliteTable('thing', {
    id: lite.real().primaryKey(),
    name: lite.text(),
    a: lite.real(),
    b: lite.real(),
    c: lite.numeric({ mode: 'number' }),
    count: lite.integer(),
  }),
}
const types = { pg: ['real', 'double precision'], mysql: ['float', 'double'], sqlite: ['real', 'real'] }

describe.each(inject('dialects'))('numbers in conditions on %s', (dialect) => {
  async function open() {
    const { db, exec, close } = await openDatabase(dialect, { migrations: [] })
    onTestFinished(close)
    const [single, double] = types[dialect]
    await exec(`create table thing (id ${single} primary key, name varchar(9), a ${single}, b ${double}, c numeric(10, 2), count integer)`)
    const table = openTable(connect('test', dialects[dialect], db), tables[dialect], {}, ['id'])
    for (const [id, value] of [
      [0.1, 1.5],
      [0.2, 2.25],
      [0.3, -0.5],
    ] as const)
      await table.insert({ id, name: 'x', a: value, b: value, c: value, count: Math.round(value) })
    return table
  }

  const comparisons: [Comparison['is'], unknown, number[]][] = [
    ['eq', 1.5, [1.5]],
    ['ne', 1.5, [-0.5, 2.25]],
    ['in', [1.5, 7.5], [1.5]],
    ['notIn', [1.5], [-0.5, 2.25]],
    ['gt', 1.5, [2.25]],
    ['lte', 1.5, [-0.5, 1.5]],
    ['eq', 1.555, []],
  ]

  test.each(['a', 'b', 'c'])('compare with what column %s stores', async (column) => {
    const table = await open()
    for (const [is, value, expected] of comparisons) {
      const rows = await table.list({ column, is, value })
      expect(
        rows.map((row) => row[column] as number).sort((one, other) => one - other),
        `${is} ${value}`,
      ).toEqual(expected)
    }
    expect(await table.deleteAll({ column, is: 'ne', value: 1.5 })).toBe(2)
    expect(await table.count({ and: [] })).toBe(1)
  })

  test('are refused for an integer if they have a fraction', async () => {
    const table = await open()
    for (const is of ['eq', 'ne', 'gt', 'lt'] as const)
      await expect(table.deleteAll({ column: 'count', is, value: 0.5 })).rejects.toMatchObject({ kind: 'invalid' })
    expect(await table.count({ and: [] })).toBe(3)
  })

  test.runIf(dialect !== 'sqlite')('are stored in 32 bits only if this rounds no integer', async () => {
    const table = await open()
    for (const a of [16777215, 2 ** 31, -1900000256, 0.1, 1.23456789])
      expect((await table.updateByKey({ id: 0.1, a }))?.a).toBeCloseTo(a, 6)
    for (const a of [16777217, 1700000001, -(2 ** 31) - 1])
      await expect(table.updateByKey({ id: 0.1, a })).rejects.toMatchObject({ kind: 'invalid', details: { column: 'a' } })
  })

  test('identify rows, and end', async () => {
    const table = await open()
    expect(await table.lookup(['id'])({ id: 0.1 })).toMatchObject({ a: 1.5 })
    for (let left = 3; left > 0; left--) expect(await table.deleteOne({ column: 'name', is: 'eq', value: 'x' })).not.toBeNull()
    expect(await table.deleteOne({ column: 'name', is: 'eq', value: 'x' })).toBeNull()
  })
})

describe.runIf(inject('dialects').includes('mysql'))('numbers in conditions on MySQL', () => {
  test('of a float with 53 bits, and of an integer that a custom type reads, are compared as stored', async () => {
    const { db, exec, close } = await openDatabase('mysql', { migrations: [] })
    onTestFinished(close)
    await exec('create table measure (id integer primary key, exact float(53), score integer)')
    const score = my.customType<{ data: string }>({ dataType: () => 'integer' })
    const measures = my.mysqlTable('measure', { id: my.int().primaryKey(), exact: my.float({ precision: 53 }), score: score() })
    const table = openTable(connect('test', dialects.mysql, db), measures, {}, ['id'])
    await table.insert({ id: 1, exact: 0.1, score: '0' })
    expect(await table.count({ column: 'exact', is: 'eq', value: 0.1 })).toBe(1)
    // MySQL takes text that is no number for 0.
    await expect(table.count({ column: 'score', is: 'eq', value: 'none' })).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('of a float with 32 bits are read with all of their digits', async () => {
    const { db, exec, close } = await openDatabase('mysql', { migrations: [] })
    onTestFinished(close)
    await exec('create table measure (id float primary key, half float(10, 2))')
    const measures = my.mysqlTable('measure', { id: my.float().primaryKey(), half: my.float({ precision: 10, scale: 2 }) })
    const table = openTable(connect('test', dialects.mysql, db), measures, {}, ['id'])
    for (const id of [0.1, -1.5, 1234567, 16777215, 2 ** 31, 0.1234567, 1e-7, 1e21]) {
      expect(await table.insert({ id, half: 1.1 })).toEqual({ id, half: 1.1 })
      expect(await table.lookup(['id'])({ id })).toEqual({ id, half: 1.1 })
    }
    for (const id of [0.10000000149011612, 0.1000000015, 2 ** 31 + 1, 'x']) expect(await table.lookup(['id'])({ id })).toBeNull()
  })
})

test.runIf(inject('dialects').includes('pg'))('whole numbers in a real of PostgreSQL are read with all of their digits', async () => {
  const { db, close } = await openDatabase('pg', { migrations: ['create table measure (id real primary key)'] })
  onTestFinished(close)
  const table = openTable(connect('test', dialects.pg, db), pg.pgTable('measure', { id: pg.real().primaryKey() }), {}, ['id'])
  for (const id of [0.1, 1e-7, 16777215, 1900000256, 2 ** 31, 1e21]) {
    expect(await table.insert({ id })).toEqual({ id })
    expect(await table.lookup(['id'])({ id })).toEqual({ id })
  }
  for (const id of [0.1000000015, 16777215.1, 2 ** 31 + 1]) expect(await table.lookup(['id'])({ id })).toBeNull()
})

describe.each(inject('dialects'))('what a custom type sends as a number on %s', (dialect) => {
  const types = { pg: 'double precision', mysql: 'double', sqlite: 'real' }
  const { customType, table } = {
    pg: { customType: pg.customType, table: pg.pgTable },
    mysql: { customType: my.customType, table: my.mysqlTable },
    sqlite: { customType: lite.customType, table: lite.sqliteTable },
  }[dialect] as unknown as { customType: typeof pg.customType; table: typeof pg.pgTable }
  const custom = (type: string) => customType<{ data: unknown }>({ dataType: () => type, fromDriver: String })()

  async function open() {
    const statement = `create table measure (id integer primary key, score bigint, ratio ${types[dialect]}, infinity integer)`
    const { db, close } = await openDatabase(dialect, { migrations: [statement] })
    onTestFinished(close)
    const measures = table('measure', { id: custom('integer').primaryKey(), score: custom('bigint'), ratio: custom(types[dialect]) })
    const opened = openTable(connect('test', dialects[dialect], db), measures, {}, ['id'])
    await opened.insert({ id: 1, score: '0', ratio: '0' })
    return opened
  }

  test.each(['eq', 'ne', 'lt', 'gt'] as const)('is compared by %s only if it is one', async (is) => {
    const opened = await open()
    for (const value of ['none', '', Number.NaN])
      await expect(opened.deleteAll({ column: 'score', is, value }), `${value}`).rejects.toMatchObject({ kind: 'invalid' })
    expect(await opened.count({ and: [] })).toBe(1)
  })

  test('is stored only if it fits into 64 bits', async () => {
    const opened = await open()
    await expect(opened.insert({ id: 2, score: `${2n ** 63n}` })).rejects.toMatchObject({ kind: 'invalid' })
    expect(await opened.count({ and: [] })).toBe(1)
  })

  test.each(['1e-7', 1e-7])('is compared as a number where it is %j', async (value) => {
    const opened = await open()
    await opened.insert({ id: 2, ratio: 1e-7 })
    for (const [is, count] of Object.entries({ eq: 1, ne: 1, lt: 1, gte: 1 }) as [Comparison['is'], number][])
      expect(await opened.count({ column: 'ratio', is, value }), is).toBe(count)
    expect(await opened.count({ column: 'ratio', is: 'in', value: [value] })).toBe(1)
    expect(await opened.count({ column: 'ratio', is: 'notIn', value: [value] })).toBe(1)
  })

  test('is found in a list if it is larger than every integer that is safe', async () => {
    const opened = await open()
    await opened.insert({ id: 2, ratio: -70573937728660930 })
    const column = 'ratio'
    expect(await opened.count({ column, is: 'in', value: [-70573937728660930] })).toBe(1)
    expect(await opened.count({ and: [{ column, is: 'notIn', value: [-70573937728660930] }, equal({ id: 2 })] })).toBe(0)
  })

  test.runIf(dialect === 'mysql')('is neither the name of a column nor a text that MySQL takes for 0', async () => {
    const opened = await open()
    for (const value of ['none', '', '0x1', Number.POSITIVE_INFINITY, Number.NaN]) {
      await expect(opened.count({ column: 'ratio', is: 'eq', value }), `${value}`).rejects.toMatchObject({ kind: 'invalid' })
      await expect(opened.insert({ id: 2, ratio: value }), `${value}`).rejects.toMatchObject({ kind: 'invalid' })
    }
  })

  test.runIf(dialect === 'sqlite')('is not NaN, which SQLite stores as null', async () => {
    const opened = await open()
    await expect(opened.insert({ id: 2, ratio: Number.NaN })).rejects.toMatchObject({ kind: 'invalid' })
    await expect(opened.count({ column: 'ratio', is: 'notIn', value: [Number.NaN] })).rejects.toMatchObject({ kind: 'invalid' })
  })
})
