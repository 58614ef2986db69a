import type { Table } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { models } from '../../src/contract.js'
import { mysql } from '../../src/mysql/dialect.js'
import { pg as postgres } from '../../src/pg/dialect.js'
import { createCodec } from '../../src/query/codec.js'
import type { Dialect } from '../../src/query/dialect.js'
import { sqlite } from '../../src/sqlite/dialect.js'

// What the codec does with columns that an app adds to the users table. The columns of the contract are tested through the adapter.

const codecOf = (table: unknown, dialect: Dialect) => createCodec(models.users, table as Table, dialect.sql)

// A custom type that would give any value to the driver.
const type = { dataType: () => 'text' }

const people = {
  pg: codecOf(
    pg.pgTable('people', {
      id: pg.text().primaryKey(),
      email: pg.text().notNull(),
      tags: pg.text('the tags').array(),
      big: pg.bigint({ mode: 'bigint' }),
      mood: pg.pgEnum('mood', ['glad', 'sad'])(),
      moods: pg.pgEnum('mood', ['glad', 'sad'])().array(),
      isActive: pg.boolean(),
      words: pg.text().array(),
      custom: pg.customType<{ data: unknown }>(type)(),
      data: pg.jsonb(),
      changedAt: pg.text().$onUpdate(() => 'now'),
      age: pg.integer(),
    }),
    postgres,
  ),
  mysql: codecOf(
    my.mysqlTable('people', {
      id: my.varchar({ length: 36 }).primaryKey(),
      email: my.varchar({ length: 255 }).notNull(),
      nick: my.varchar('nick name', { length: 20 }).notNull(),
      born: my.datetime(),
      custom: my.customType<{ data: unknown }>(type)(),
    }),
    mysql,
  ),
  sqlite: codecOf(
    lite.sqliteTable('people', {
      id: lite.text().primaryKey(),
      email: lite.text().notNull(),
      nick: lite.text().notNull(),
      custom: lite.customType<{ data: unknown }>(type)(),
      age: lite.integer(),
      size: lite.real(),
      note: lite.text(),
    }),
    sqlite,
  ),
}

type Name = keyof typeof people

const encode = (name: Name, values: object) => people[name].encodeInsert({ id: '1', email: 'ada@example.com', nick: 'ada', ...values })
const encoded = (name: Name, values: object) => expect(encode(name, values)).toMatchObject(values)
const failure = (kind: string, column?: string, table = 'people') =>
  expect.objectContaining({ kind, details: { table, ...(column && { column }) } })

/** What a call throws. */
function thrownBy(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  return 'nothing'
}

describe('values of columns that the app added', () => {
  test.each(['pg', 'mysql', 'sqlite'] as const)('a custom type gets no symbol and no function, on %s', (name) => {
    encoded(name, { custom: 'text' })
    for (const custom of [Symbol('s'), () => 1]) expect(thrownBy(() => encode(name, { custom }))).toEqual(failure('invalid', 'custom'))
  })

  test('an array holds values, dates, expressions and arrays, and no objects', () => {
    for (const tags of [[], ['a', 'b'], [['a'], ['b']], [1, null], [new Date(0)], [sql`now()`]]) encoded('pg', { tags })
    for (const tags of [[{}], ['a', { b: 1 }], [['a'], [{}]], [Object.create(null)], {}, 'a', 5, new Date(0)])
      expect(thrownBy(() => encode('pg', { tags }))).toEqual(failure('invalid', 'the tags'))
  })

  test('every text of an array is well-formed', () => {
    encoded('pg', { words: ['a', '\u{1F600}'] })
    for (const words of [['\ud83d'], ['a', '\ud83d'], ['\ud83d', 'a'], [['a'], ['\ud83d']]])
      expect(thrownBy(() => encode('pg', { words }))).toEqual(failure('invalid', 'words'))
  })

  test('an enum has its values only', () => {
    encoded('pg', { mood: 'sad', moods: ['sad', 'glad'] })
    expect(thrownBy(() => encode('pg', { mood: 'angry' }))).toEqual(failure('invalid', 'mood'))
  })

  test('a boolean is true or false', () => {
    for (const isActive of [true, false]) encoded('pg', { isActive })
    for (const isActive of [1, 'true']) expect(thrownBy(() => encode('pg', { isActive }))).toEqual(failure('invalid', 'isActive'))
  })

  test('a date is one that the database can hold', () => {
    encoded('mysql', { born: new Date(0) })
    expect(thrownBy(() => encode('mysql', { born: new Date(4e14) }))).toEqual(failure('invalid', 'born'))
  })

  test('a bigint may be given as a number or as its decimal text', () => {
    for (const big of [2n ** 62n, 7, '7', `${2n ** 62n}`, '-1', '0']) expect(encode('pg', { big }).big).toBe(BigInt(big))
    for (const big of ['', '07', '1.0', 'x', 1.5, Number.NaN, {}, true, 2 ** 60])
      expect(thrownBy(() => encode('pg', { big }))).toEqual(failure('invalid', 'big'))
  })

  test('JSON that cannot be written is rejected', () => {
    encoded('pg', { data: { a: [1] } })
    const circular: Record<string, unknown> = {}
    circular.circular = circular
    for (const data of [circular, { big: 1n }, () => 1]) expect(thrownBy(() => encode('pg', { data }))).toEqual(failure('invalid', 'data'))
  })

  test('null in a column that must not be null is rejected where the database would store something else', () => {
    expect(thrownBy(() => people.mysql.encodeUpdate({ nick: null }, ['id']))).toEqual(failure('missing-value', 'nick name'))
    expect(people.mysql.encodeUpdate({ custom: null }, ['id'])).toEqual({ custom: null })
    expect(people.sqlite.encodeUpdate({ nick: null }, ['id'])).toEqual({ nick: null })
  })

  test('a default of an update is added to what is given, and to nothing else', () => {
    expect(people.pg.encodeUpdate({ id: '2', age: 5 }, ['id'])).toEqual({ age: 5, changedAt: 'now' })
    expect(people.pg.encodeUpdate({ id: '2' }, ['id'])).toEqual({})
    expect(people.pg.encodeUpdate({ age: 5, changedAt: 'then' }, ['id'])).toEqual({ age: 5, changedAt: 'then' })
  })

  test.each([undefined, null, 'text', 1])('a row that is %o is rejected', (row) => {
    expect(thrownBy(() => people.pg.encodeInsert(row as never))).toEqual(failure('invalid'))
    expect(people.pg.encodeKey(row as never, ['id'])).toBeNull()
  })

  test('a key without a value matches no row', () => {
    for (const key of [{}, { id: undefined }, { id: null }, { id: {} }, { id: 1.5 }]) expect(people.pg.encodeKey(key, ['id'])).toBeNull()
    expect(people.pg.encodeKey({ id: 7 }, ['id'])).toEqual({ id: '7' })
    // A text that reads like a missing value is a key like any other.
    expect(people.pg.encodeKey({ id: 'undefined' }, ['id'])).toEqual({ id: 'undefined' })
  })
})

describe('values that the driver has garbled', () => {
  const decoderOf = (name: Name, field: string) => {
    const selected = people[name].fields()[field] as { decoder?: unknown }
    return (selected.decoder ?? selected) as { mapFromDriverValue(raw: unknown): unknown }
  }
  const decode = (name: Name, field: string, raw: unknown) => thrownBy(() => decoderOf(name, field).mapFromDriverValue(raw))

  test('a number comes with the hint of the database', () => {
    const hint = sqlite.sql.failures.integerHint
    for (const raw of [2 ** 53, 'x', true])
      expect(decode('sqlite', 'age', raw)).toMatchObject({ kind: 'garbled', details: { table: 'people', column: 'age', hint } })
  })

  test('what is not a number comes without it', () => {
    expect(decode('sqlite', 'note', Buffer.from('x'))).toEqual(
      expect.objectContaining({ kind: 'garbled', details: { table: 'people', column: 'note' } }),
    )
  })

  test('a number in a column of text comes with it', () => {
    for (const raw of [5, 5n])
      expect(decode('sqlite', 'note', raw)).toMatchObject({ kind: 'garbled', details: { hint: expect.any(String) } })
  })

  test('a floating-point number is never taken for a rounded integer', () => {
    expect(decoderOf('sqlite', 'size').mapFromDriverValue(2 ** 60)).toBe(2 ** 60)
    expect(decoderOf('sqlite', 'size').mapFromDriverValue(0.5)).toBe(0.5)
  })

  test('a bigint is a bigint', () => {
    expect(decoderOf('pg', 'big').mapFromDriverValue('9007199254740993')).toBe(9_007_199_254_740_993n)
  })
})
