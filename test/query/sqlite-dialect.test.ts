import Database from 'better-sqlite3'
import type { Column } from 'drizzle-orm'
import { entityKind, getTableColumns, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dialectOfDatabase } from '../../src/query/detection.js'
import type { Query } from '../../src/query/drizzle.js'
import { sqlite } from '../../src/sqlite/dialect.js'
import { open } from './people.js'

const custom = (type: string) => lite.customType<{ data: unknown }>({ dataType: () => type })()

const table = lite.sqliteTable('t', {
  text: lite.text(),
  nocase: custom('text collate nocase'),
  numeric: lite.numeric(),
  numericNumber: lite.numeric({ mode: 'number' }),
  integer: lite.integer(),
  customInteger: custom('integer'),
  point: custom('point'),
  real: lite.real(),
  blob: lite.blob({ mode: 'buffer' }),
  boolean: lite.integer({ mode: 'boolean' }),
  seconds: lite.integer({ mode: 'timestamp' }),
  milliseconds: lite.integer({ mode: 'timestamp_ms' }),
  json: lite.text({ mode: 'json' }),
})
const columns = getTableColumns(table) as unknown as Record<string, Column>
const column = (name: string) => columns[name] as Column

test('a text with NUL cannot be stored unchanged', () => {
  expect(sqlite.sql.reasonToReject(column('text'), 'a\0b')).toBe('invalid')
  for (const value of ['', 'ab', 5, null, new Uint8Array(1)]) expect(sqlite.sql.reasonToReject(column('text'), value)).toBeUndefined()
})

test('sql.js drops a byte order mark, and other drivers keep it', () => {
  const reason = (kind: string, client: object | undefined, text = '\ufeffAda') => {
    const db = { session: { constructor: { [entityKind]: kind }, client } } as never
    return sqlite.forDriver?.(db, {}).reasonToReject(column('text'), text)
  }
  expect(reason('SQLJsSession', { getRowsModified: () => 1 })).toBe('garbled')
  expect(reason('SQLJsSession', { getRowsModified: () => 1 }, 'Ada')).toBeUndefined()
  // The session of node:sqlite has the same name in Drizzle 1.0.
  for (const client of [{}, undefined]) expect(reason('SQLJsSession', client)).toBeUndefined()
  expect(reason('BetterSQLiteSession', { getRowsModified: () => 1 })).toBeUndefined()
  expect(sqlite.forDriver?.({} as never, {}).reasonToReject(column('text'), '\ufeffAda')).toBeUndefined()
})

test('the spelling of decimals is the one that SQLite gives a number', () => {
  const spelling = sqlite.sql.decimalSpelling(column('numeric'))
  const right = ['0', '7', '-7', '10', '123456789012345678', '0.5', '-0.5', '1.25', '10.05', '12345678901234.5', '0.12345678901234']
  const wrong = ['', '-', '01', '1234567890123456789', '1.50', '0.0', '1.', '.5', '00.5', 'x1', '1x', '+1', '1e3', '1.5x', 'x.5']
  const tooLong = ['123456789012345.6', '0.123456789012345', '1.2.5']
  expect(right.filter((text) => !spelling.test(text))).toEqual([])
  expect([...wrong, ...tooLong].filter((text) => spelling.test(text))).toEqual([])
})

describe('conditions', () => {
  const same = (name: string) => {
    const query = drizzle
      .mock()
      .select({ one: sql`1` })
      .from(table)
      .where(sqlite.sql.same(column(name), sql`?`))
    return query.toSQL().sql.replaceAll('"t".', '').split(' where ')[1]
  }

  test.each(['integer', 'customInteger', 'numericNumber', 'real', 'blob'])('the values of %s are compared by the database', (name) =>
    expect(same(name)).toBe(`"${name}" = ?`),
  )

  test.each(['text', 'numeric', 'nocase', 'point'])(
    'the values of %s are compared as text, after a comparison that can use an index',
    (name) => {
      expect(same(name)).toContain(`"${name}" = ?`)
      expect(same(name)).toContain(`(cast("${name}" as text) || '') = (cast(? as text) || '')`)
    },
  )

  test('are exact, whatever the collation and the type of the column', () => {
    const client = new Database(':memory:')
    onTestFinished(() => void client.close())
    const db = drizzle({ client })
    client.exec(`create table t (${Object.values(columns).map(({ name }) => `"${name}" ${column(name).getSQLType()}`)})`)
    client.exec(`insert into t (nocase, numeric) values ('Ada', '1e3')`)
    const count = (name: string, value: string) =>
      db
        .select({ one: sql`1` })
        .from(table)
        .where(sqlite.sql.same(column(name), sql`${value}`))
        .all().length
    expect([count('nocase', 'Ada'), count('nocase', 'ada')]).toEqual([1, 0])
    expect([count('numeric', '1000'), count('numeric', '1e3')]).toEqual([1, 0])
  })
})

test('SQLite has the name by which its databases are known', () => {
  expect(sqlite.name).toBe(dialectOfDatabase(drizzle.mock() as never, 'test'))
})

test('a sweep deletes no more rows than it is told, and those in order', async () => {
  const { users, rows } = open()
  const { email, name } = users.columns as Record<'email' | 'name', Column>
  expect(await sqlite.writes.deleteSome(users, sql`${email} is not null`, name, 1)).toBe(1)
  expect(rows('select name from people')).toEqual([{ name: 'Ada' }])
})

describe('what is read', () => {
  const reader = (name: string) => sqlite.sql.reader?.(column(name))

  test.each<[string, [unknown, unknown][]]>([
    [
      'integer',
      [
        [5, 5],
        [5n, 5],
        ['5', 5],
        ['-15', -15],
        ['x5', 'x5'],
        ['5x', '5x'],
        ['1.5', '1.5'],
        [Buffer.from('5'), Buffer.from('5')],
        [null, null],
      ],
    ],
    ['real', [[0.5, 0.5]]],
    [
      'boolean',
      [
        [1, true],
        [0, false],
        [1n, true],
        ['0', false],
        [2, 2],
        ['true', 'true'],
      ],
    ],
    [
      'seconds',
      [
        [5, new Date(5000)],
        [5n, new Date(5000)],
        ['5', new Date(5000)],
      ],
    ],
    [
      'milliseconds',
      [
        [5, new Date(5)],
        [5n, new Date(5)],
        ['-5', new Date(-5)],
      ],
    ],
    [
      'milliseconds',
      [
        ['2026-03-01', new Date(Number.NaN)],
        [null, new Date(Number.NaN)],
      ],
    ],
  ])('%s', (name, values) => {
    expect(reader(name)?.expression).toBeUndefined()
    expect(values.map(([raw]) => reader(name)?.decode(raw))).toEqual(values.map(([, value]) => value))
  })

  test.each(['text', 'numeric', 'nocase', 'json'])('%s is left to Drizzle', (name) => expect(reader(name)).toBeUndefined())
})

test('a statement returns its rows, or is run', () => {
  const query = {
    prepare: () => ({ all: (parameters: object) => ['all', parameters], run: (parameters: object) => ['run', parameters] }),
  } as unknown as Query
  for (const method of ['prepare', 'once'] as const) {
    expect(sqlite.sql[method](query, true)({ id: '1' })).toEqual(['all', { id: '1' }])
    expect(sqlite.sql[method](query, false)({ id: '1' })).toEqual(['run', { id: '1' }])
  }
})
