import type { SQL, Table } from 'drizzle-orm'
import { Column, is, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import { drizzle as drizzleSqlite } from 'drizzle-orm/sqlite-proxy'
import { describe, expect, test } from 'vitest'
import { models } from '../../src/contract.js'
import { pg as postgres } from '../../src/pg/dialect.js'
import type { Codec } from '../../src/query/codec.js'
import { createCodec } from '../../src/query/codec.js'
import type { SqlDialect } from '../../src/query/dialect.js'
import type { Database } from '../../src/query/drizzle.js'
import { sqlite } from '../../src/sqlite/dialect.js'

// What is selected of a table, and what becomes of the values that the driver returns.

const noRows = async () => ({ rows: [] })

const sqliteTable = lite.sqliteTable('passkeys', {
  credentialID: lite.text(),
  userId: lite.integer(),
  counter: lite.integer(),
  credentialBackedUp: lite.integer({ mode: 'boolean' }),
  created: lite.integer({ mode: 'timestamp' }),
  ratio: lite.real(),
  data: lite.text({ mode: 'json' }),
  note: lite.text(),
})
const pgTable = pg.pgTable('passkeys', {
  credentialID: pg.text(),
  userId: pg.bigint({ mode: 'bigint' }),
  counter: pg.integer(),
  credentialBackedUp: pg.boolean(),
  created: pg.timestamp(),
  size: pg.bigint({ mode: 'bigint' }),
  ratio: pg.doublePrecision(),
  data: pg.jsonb(),
  price: pg.numeric(),
})
const uuidTable = pg.pgTable('passkeys', {
  credentialID: pg.text(),
  userId: pg.uuid(),
  secret: pg.customType<{ data: string }>({ dataType: () => 'text' })(),
})
const customTable = pg.pgTable('passkeys', {
  userId: pg.customType<{ data: string }>({ dataType: () => 'text', fromDriver: (raw) => `user ${raw}` })(),
})

const codecOf = (table: unknown, dialect: SqlDialect) => createCodec(models.authenticators, table as Table, dialect)
const codecs = {
  sqlite: codecOf(sqliteTable, sqlite.sql),
  pg: codecOf(pgTable, postgres.sql),
  uuid: codecOf(uuidTable, postgres.sql),
  custom: codecOf(customTable, postgres.sql),
  'without readers': codecOf(sqliteTable, { ...sqlite.sql, reader: undefined } as unknown as SqlDialect),
}
type Name = keyof typeof codecs

/** What a caller gets of a value that the driver has returned. `garbled` with the column's name if it is rejected. */
function decode(codec: Codec, field: string, raw: unknown): unknown {
  const selected = codec.fields()[field] as unknown as { decoder?: object }
  try {
    return ((selected.decoder ?? selected) as Column).mapFromDriverValue(raw)
  } catch (error) {
    const { kind, details } = error as { kind: string; details: { column: string } }
    return `${kind} ${details.column}`
  }
}

describe('a value that the driver has returned', () => {
  test.each<[Name, string, raw: unknown[], values: unknown[], garbled: unknown[]]>([
    ['sqlite', 'credentialID', ['text', ''], ['text', ''], [5, 5n, true, Buffer.from('x')]],
    ['sqlite', 'userId', [7, 7n, '7'], [7, 7, 7], [2 ** 53, 2n ** 60n, 'x', true]],
    ['sqlite', 'counter', [7, 7n, '7', -7, 0.5], [7, 7, 7, -7, 0.5], [2 ** 53, 'x', Number.NaN, Number.POSITIVE_INFINITY]],
    ['sqlite', 'credentialBackedUp', [1, 0, 1n, '0'], [true, false, true, false], [2, 'x']],
    ['sqlite', 'created', [4, 4n], [new Date(4000), new Date(4000)], ['x', true]],
    ['sqlite', 'ratio', [0.5, 7, 2 ** 60], [0.5, 7, 2 ** 60], ['x', Number.POSITIVE_INFINITY]],
    ['pg', 'userId', ['7', 7, `${2n ** 60n}`], [7n, 7n, 2n ** 60n], [2 ** 60, 'x', '', 0.5]],
    ['pg', 'size', ['7', 7, `${2n ** 60n}`], [7n, 7n, 2n ** 60n], [2 ** 60, 'x', '']],
    ['pg', 'counter', ['7', 7], [7, 7], ['x', 2 ** 60, `${2n ** 60n}`]],
    ['pg', 'credentialBackedUp', ['true', false], [true, false], ['t', 1]],
    ['pg', 'created', ['4000', -4000], [new Date(4000), new Date(-4000)], ['x']],
    ['pg', 'ratio', ['0.5', 2 ** 60], [0.5, 2 ** 60], ['x']],
    ['pg', 'data', ['{"a":1}', 'null'], [{ a: 1 }, null], []],
    ['pg', 'price', ['1.50'], ['1.50'], [2 ** 60]],
    ['uuid', 'userId', ['ada'], ['ada'], []],
    ['uuid', 'secret', ['text', 5], ['text', 5], []],
    ['custom', 'userId', ['ada', 5], ['user ada', 'user 5'], []],
    ['without readers', 'counter', [7, 0.5], [7, 0.5], [2 ** 53, 'x', 7n]],
  ])('of %s, as %s', (name, field, raw, values, garbled) => {
    expect(raw.map((each) => decode(codecs[name], field, each))).toEqual(values)
    for (const each of garbled) expect(decode(codecs[name], field, each)).toBe(`garbled ${field}`)
  })
})

describe('what is selected', () => {
  const databases = { sqlite: drizzleSqlite(noRows), pg: drizzlePg(noRows) } as unknown as Record<string, Database>

  /** The expressions of a statement that selects these fields. */
  const selected = (name: 'sqlite' | 'pg', fields: object) => {
    const { sql: text } = (databases[name] as Database)
      .select(fields)
      .from(name === 'pg' ? pgTable : sqliteTable)
      .toSQL()
    return text.replace(/^select (.*) from .*$/, '$1').split(', ')
  }

  test('is each column, by its name in code', () => {
    expect(Object.keys(codecs.sqlite.fields())).toEqual(Object.keys(codecs.sqlite.columns))
    expect(selected('sqlite', codecs.sqlite.fields())).toEqual(Object.keys(codecs.sqlite.columns).map((name) => `"${name}"`))
  })

  test('is the column itself where Drizzle reads it safely', () => {
    const { note, counter } = codecOf(sqliteTable, sqlite.sql).fields()
    expect(is(note, Column)).toBe(true)
    expect(is(codecs.pg.fields().credentialID, Column)).toBe(true)
    expect(is(counter, Column)).toBe(false)
    for (const field of Object.values(codecs['without readers'].fields())) expect(is(field, Column)).toBe(true)
  })

  test('is another expression where the dialect has one', () => {
    const [id, userId] = selected('pg', codecs.pg.fields())
    expect(id).toBe('"credentialID"')
    expect(userId).toBe('("userId")::text')
  })

  test('is decided once', () => expect(codecs.pg.fields()).toBe(codecs.pg.fields()))

  test.each(['sqlite', 'pg'] as const)('fails with the guard, on %s', (name) => {
    const plain = selected(name, codecs[name].fields())
    const guarded = selected(name, codecs[name].fields(sql`1 = 1`))
    expect(guarded).toEqual([expect.stringMatching(/^case when 1 = 1 then .*"credentialID" end$/), ...plain.slice(1)])
    expect(selected(name, codecs[name].fields())).toEqual(plain)
    const [first] = Object.values(codecs[name].fields(sql`1 = 1`)) as (SQL & { decoder: Column })[]
    expect(first?.decoder.mapFromDriverValue('text')).toBe('text')
  })
})
