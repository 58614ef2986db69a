import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { dialects } from '../../../src/dialects.js'
import type { Comparison } from '../../../src/query/conditions.js'
import { connect } from '../../../src/query/connection.js'
import { openTable } from '../../../src/query/table.js'
import { openDatabase } from '../../support/databases.js'

// Better Auth compares columns of any type. Its adapter opens tables as this test does.
const tables = {
  pg: pg.pgTable('thing', {
    id: pg.integer().primaryKey(),
    count: pg.integer(),
    big: pg.bigint({ mode: 'bigint' }),
    custom: pg.customType<{ data: unknown }>({ dataType: () => 'integer', fromDriver: Number })(),
  }),
  mysql: my.mysqlTable('thing', {
    id: my.int().primaryKey(),
    count: my.int(),
    big: my.bigint({ mode: 'bigint' }),
    custom: my.customType<{ data: unknown }>({ dataType: () => 'integer', fromDriver: Number })(),
  }),
  sqlite: lite.sqliteTable('thing', {
    id: lite.integer().primaryKey(),
    count: lite.integer(),
    big: lite.customType<{ data: unknown }>({ dataType: () => 'integer', fromDriver: Number })(),
    custom: lite.customType<{ data: unknown }>({ dataType: () => 'integer', fromDriver: Number })(),
  }),
}

const stored = [-4, -3, 0, 3, 4]

/** Orderings, with the numbers that satisfy them. */
const orderings: [Comparison['is'], number, number[]][] = [
  ['gt', 3.5, [4]],
  ['gte', 3.5, [4]],
  ['lt', 3.5, [-4, -3, 0, 3]],
  ['lte', 3.5, [-4, -3, 0, 3]],
  ['gt', -3.5, [-3, 0, 3, 4]],
  ['gte', -3.5, [-3, 0, 3, 4]],
  ['lt', -3.5, [-4]],
  ['lte', -3.5, [-4]],
  ['lt', -0.5, [-4, -3]],
  ['gte', -0.5, [0, 3, 4]],
  ['gt', 3, [4]],
  ['gte', 3, [3, 4]],
  ['lt', 3, [-4, -3, 0]],
  ['lte', 3, [-4, -3, 0, 3]],
]

describe.each(inject('dialects'))('whole numbers in conditions on %s', (dialect) => {
  async function open() {
    const migrations = ['create table thing (id integer primary key, count integer, big bigint, custom integer)']
    const { db, close } = await openDatabase(dialect, { migrations })
    onTestFinished(close)
    const table = openTable(connect('test', dialects[dialect], db), tables[dialect], {}, ['id'])
    for (const [id, number] of stored.entries())
      await table.insert({ id, count: number, big: dialect === 'sqlite' ? number : BigInt(number), custom: number })
    return table
  }
  const columns = dialect === 'sqlite' ? ['count'] : ['count', 'big']

  test.each(columns)('an ordering by a fraction means what it says: %s', async (column) => {
    const table = await open()
    for (const [is, value, expected] of orderings) {
      const rows = await table.list({ column, is, value }, { orderBy: 'id' })
      expect(
        rows.map((row) => Number(row[column])),
        `${is} ${value}`,
      ).toEqual(expected)
    }
    expect(await table.deleteAll({ column, is: 'gt', value: 3.5 })).toBe(1)
  })

  test.each([...columns, 'custom'])('a fraction is refused as one of them: %s', async (column) => {
    const table = await open()
    for (const is of ['eq', 'ne', 'in', 'notIn'] as const)
      await expect(table.deleteAll({ column, is, value: is === 'in' || is === 'notIn' ? [3, 3.5] : 3.5 })).rejects.toMatchObject({
        kind: 'invalid',
        details: { column },
      })
    expect(await table.count({ and: [] })).toBe(stored.length)
  })

  // MySQL takes text that is no number for 0.
  test.each([...columns, 'custom'])('what is no whole number is refused: %s', async (column) => {
    const table = await open()
    for (const is of ['eq', 'ne', 'lt', 'gt'] as const)
      for (const value of ['none', '', '0x1', '3abc', Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
        await expect(table.deleteAll({ column, is, value }), `${is} ${value}`).rejects.toMatchObject({ kind: 'invalid' })
    await expect(table.updateByKey({ id: 0, [column]: '3abc' })).rejects.toMatchObject({ kind: 'invalid', details: { column } })
    expect(await table.count({ and: [] })).toBe(stored.length)
  })
})
