import type { Column } from 'drizzle-orm'
import { getTableColumns, sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import * as read from '../../src/query/columns.js'

const columns = {
  ...getTableColumns(
    pg.pgTable('pg', {
      text: pg.text(),
      texts: pg.text().array(),
      char: pg.char({ length: 3 }),
      enum: pg.pgEnum('mood', ['glad', 'sad'])(),
      word: pg.text({ enum: ['glad', 'sad'] }),
      uuid: pg.uuid(),
      json: pg.jsonb(),
      boolean: pg.boolean(),
      timestamp: pg.timestamp(),
      smallint: pg.smallint(),
      integer: pg.integer(),
      bigint: pg.bigint({ mode: 'bigint' }),
      serial: pg.serial(),
      real: pg.real(),
      double: pg.doublePrecision(),
      numeric: pg.numeric(),
      money: pg.numeric({ precision: 12, scale: 2 }),
      custom: pg.customType<{ data: string }>({ dataType: () => 'CITEXT' })(),
      int4: pg.customType<{ data: string }>({ dataType: () => 'int4' })(),
      dec: pg.customType<{ data: string }>({ dataType: () => 'dec(20, 10)' })(),
      num: pg.customType<{ data: string }>({ dataType: () => 'num' })(),
      unreal: pg.customType<{ data: string }>({ dataType: () => 'unreal' })(),
      interval: pg.interval(),
      point: pg.point(),
      always: pg.integer().generatedAlwaysAsIdentity(),
      byDefault: pg.integer().generatedByDefaultAsIdentity(),
      computed: pg.text().generatedAlwaysAs(sql`'x'`),
    }),
  ),
  ...getTableColumns(
    my.mysqlTable('mysql', {
      tinyint: my.tinyint(),
      mediumint: my.mediumint(),
      decimal: my.decimal({ precision: 10, scale: 4 }),
      decimalPlain: my.decimal(),
      float: my.float(),
      mysqlEnum: my.mysqlEnum(['a', 'b']),
    }),
  ),
  ...getTableColumns(lite.sqliteTable('sqlite', { liteInteger: lite.integer(), stamp: lite.integer({ mode: 'timestamp' }) })),
} as unknown as Record<string, Column>

const those = (is: (column: Column) => unknown) =>
  Object.keys(columns)
    .filter((name) => is(columns[name] as Column))
    .sort()

const integers = ['always', 'bigint', 'byDefault', 'int4', 'integer', 'liteInteger', 'mediumint', 'serial', 'smallint', 'stamp', 'tinyint']

describe('what is read off a column', () => {
  test.each([
    ['text', 'string'],
    ['texts', 'array'],
    ['json', 'json'],
    ['boolean', 'boolean'],
    ['timestamp', 'date'],
    ['stamp', 'date'],
    ['integer', 'number'],
    ['bigint', 'bigint'],
    ['numeric', 'string'],
    ['custom', 'custom'],
  ])('%s holds a value of type %s', (name, data) => expect(read.dataOf(columns[name] as Column)).toBe(data))

  test.each([
    [{ dataType: 'object date' }, 'date'],
    [{ dataType: 'object json' }, 'json'],
    [{ dataType: 'object' }, 'object'],
    [{ dataType: 'number int32' }, 'number'],
    [{ dataType: 'bigint int64' }, 'bigint'],
    [{ dataType: 'string', dimensions: 1 }, 'array'],
    [{ dataType: 'string', dimensions: 0 }, 'string'],
    [{ dataType: 'string' }, 'string'],
    [{ dataType: 'date' }, 'date'],
    [{ dataType: 'array' }, 'array'],
  ])('%j holds a value of type %s, in the words of Drizzle 0.45 or 1.0', (column, data) =>
    expect(read.dataOf(column as unknown as Column)).toBe(data),
  )

  test('its SQL type is in lower case', () => expect(read.typeOf(columns.custom as Column)).toBe('citext'))

  test('which are integers', () => expect(those(read.isInteger)).toEqual(integers))
  test('which are decimals', () => expect(those(read.isDecimal)).toEqual(['dec', 'decimal', 'decimalPlain', 'money', 'num', 'numeric']))
  test('which are floating-point numbers', () => expect(those(read.isFloat)).toEqual(['double', 'float', 'real']))
  test('which hold numbers in code', () =>
    expect(those(read.isNumber)).toEqual(
      [...integers.filter((name) => !['int4', 'stamp'].includes(name)), 'double', 'float', 'real'].sort(),
    ))
  test('which are generated', () => expect(those(read.isGenerated)).toEqual(['always', 'computed']))

  test('the values of an enum', () => {
    expect(those(read.enumOf)).toEqual(['enum', 'mysqlEnum'])
    expect(read.enumOf(columns.enum as Column)).toEqual(['glad', 'sad'])
    expect(read.enumOf(columns.word as Column)).toBeNull()
  })

  test('the digits after the point', () => {
    expect(read.scaleOf(columns.money as Column)).toBe(2)
    expect(read.scaleOf(columns.decimal as Column)).toBe(4)
    expect(read.scaleOf(columns.dec as Column)).toBe(10)
    expect(read.scaleOf(columns.numeric as Column)).toBeUndefined()
    expect(read.scaleOf(columns.text as Column)).toBeUndefined()
  })

  test('is read once', () => {
    let reads = 0
    const name = read.ofColumn((column) => {
      reads++
      return column.name
    })
    expect([columns.text, columns.text, columns.uuid, columns.text].map((column) => name(column as Column))).toEqual([
      'text',
      'text',
      'uuid',
      'text',
    ])
    expect(reads).toBe(2)
  })
})

test.each([
  ['char(5)', true],
  ['CHARACTER(5)', true],
  ['nchar(5)', true],
  ['national character(5)', true],
  ['bpchar', true],
  ['character varying(5)', false],
  ['char varying(5)', false],
  ['national character varying(5)', false],
  ['varchar(5)', false],
  ['charset', false],
  ['text', false],
])('%s is padded: %s', (type, isPadded) => {
  const table = pg.pgTable('t', { column: pg.customType<{ data: string }>({ dataType: () => type })() })
  expect(read.isPadded(table.column as unknown as Column)).toBe(isPadded)
})

test.each([
  [0, ['0', '-0', '7', '-7', '120', '9007199254740993'], ['', '-', '00', '07', '1.', '1.0', '+1', ' 1', '1 ', 'x', '1x', 'x1']],
  [2, ['0.00', '-0.50', '12.34', '120.00'], ['0', '1.2', '1.234', '01.20', '.12', '1x20', 'x1.20', '1.20x', '1.ab']],
])('decimals with %i digits after the point', (scale, right, wrong) => {
  const spelling = read.decimalOf(scale)
  expect(right.filter((text) => !spelling.test(text))).toEqual([])
  expect(wrong.filter((text) => spelling.test(text))).toEqual([])
})

test.each([
  [16, false, [0, -32_768, 32_767, 32_767n], [32_768, -32_769, 2n ** 63n]],
  [8, true, [0, 255, 255n], [-1, 256, 2n ** 64n]],
  [64, false, [2n ** 63n - 1n, -(2n ** 63n)], [2n ** 63n, -(2n ** 63n) - 1n]],
])('integers of %i bits, unsigned: %s', (bits, unsigned, fitting, others) => {
  expect(fitting.filter((value) => !read.fitsBits(value, bits, unsigned))).toEqual([])
  expect(others.filter((value) => read.fitsBits(value, bits, unsigned))).toEqual([])
})

test('SQL expressions are told from everything else', () => {
  expect(read.isSql(sql`now()`)).toBe(true)
  for (const value of ['now()', null, undefined, 1, {}, [], new Date(), Object.create(null), columns.text])
    expect(read.isSql(value)).toBe(false)
})
