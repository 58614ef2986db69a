import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import * as lite from 'drizzle-orm/sqlite-core'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { openPool } from '../../support/pool.js'
import { openRows, typesOf } from '../../support/table-sets.js'

// A column that an app adds accepts the values of its Drizzle type.

const mood = pg.pgEnum('mood', ['happy', 'sad'])
// Its name begins like that of a type.
const timeFormat = pg.pgEnum('time_format', ['12h', '24h'])
const textSize = pg.pgEnum('text_size', ['small', 'large'])

const columns = {
  sqlite: () => ({
    level: lite.integer(),
    flag: lite.integer({ mode: 'boolean' }),
    seen: lite.integer({ mode: 'timestamp_ms' }),
    notes: lite.text(),
    mood: lite.text({ enum: ['happy', 'sad'] }),
    data: lite.text({ mode: 'json' }),
    price: lite.numeric(),
  }),
  pg: () => ({
    level: pg.integer(),
    flag: pg.boolean(),
    seen: pg.timestamp({ precision: 3 }),
    notes: pg.text(),
    mood: mood(),
    clockStyle: timeFormat(),
    clockStyles: timeFormat().array(),
    textSize: textSize(),
    data: pg.jsonb(),
    huge: pg.bigint({ mode: 'bigint' }),
    tags: pg.text().array(),
    short: pg.varchar({ length: 4 }),
    padded: pg.char({ length: 4 }),
    levels: pg.integer().array(),
    codes: pg.varchar({ length: 3 }).array(),
    price: pg.numeric({ precision: 10, scale: 2 }),
    address: pg.inet(),
  }),
  mysql: () => ({
    level: my.int(),
    flag: my.boolean(),
    seen: my.datetime({ fsp: 3 }),
    notes: my.text(),
    mood: my.mysqlEnum(['happy', 'sad']),
    data: my.json(),
    huge: my.bigint({ mode: 'bigint' }),
    short: my.varchar({ length: 4 }),
    padded: my.char({ length: 4 }),
    price: my.decimal({ precision: 10, scale: 2 }),
    bytes: my.binary({ length: 3 }),
  }),
}

const types = [
  `create type mood as enum ('happy', 'sad')`,
  `create type time_format as enum ('12h', '24h')`,
  `create type text_size as enum ('small', 'large')`,
]

const date = new Date('2030-02-28T23:59:59.987Z')
const circular: unknown[] = []
circular.push(circular)

const accepted: [column: string, given: unknown, stored: unknown][] = [
  ['level', 5, 5],
  ['level', '5', 5],
  ['level', 5n, 5],
  ['flag', true, true],
  ['flag', false, false],
  ['seen', date, date],
  ['seen', date.toJSON(), date],
  ['notes', 'text', 'text'],
  ['notes', '', ''],
  ['notes', 5, '5'],
  ['mood', 'sad', 'sad'],
  ['data', { list: [1, { deep: null }], text: "O'Brien" }, { list: [1, { deep: null }], text: "O'Brien" }],
]

const sized: typeof accepted = [
  ['price', '1.25', '1.25'],
  ['short', 'ab  ', 'ab  '],
  ['padded', 'ab', 'ab'],
]

const acceptedByDialect: Record<DialectName, typeof accepted> = {
  sqlite: [
    ['level', 2 ** 40, 2 ** 40],
    ['price', '19.99', '19.99'],
  ],
  pg: [
    ...sized,
    ['short', '😀😀😀😀', '😀😀😀😀'],
    ['huge', 5n, 5n],
    ['huge', 5, 5n],
    ['huge', '4611686018427387905', 2n ** 62n + 1n],
    ['huge', -(2n ** 63n), -(2n ** 63n)],
    ['tags', ['a', "b'", '{c}'], ['a', "b'", '{c}']],
    ['tags', [], []],
    ['levels', [1, -20], [1, -20]],
    ['codes', ['abc', 'def'], ['abc', 'def']],
    ['address', '10.0.0.1', '10.0.0.1'],
    ['clockStyle', '24h', '24h'],
    ['clockStyles', ['24h'], ['24h']],
    ['textSize', 'large', 'large'],
  ],
  mysql: [...sized, ['huge', 5n, 5n], ['huge', 5, 5n], ['huge', '-5', -5n], ['bytes', 'abc', 'abc']],
}

type Rejected = [column: string, name: string, value: unknown]

const rejected: Rejected[] = [
  ['level', 'a fraction', 1.5],
  ['level', 'a number in another spelling', '007'],
  ['level', 'a number with a space', ' 12'],
  ['level', 'true', true],
  ['level', 'a number beyond 2^53 - 1', 2 ** 53],
  ['flag', 'the number 1', 1],
  ['flag', 'the text false', 'false'],
  ['seen', 'a number', 5],
  ['seen', 'an invalid date', new Date(Number.NaN)],
  ['seen', 'a day as text', '2030-01-01'],
  ['seen', 'a date that does not exist', '2030-02-30T12:00:00.000Z'],
  ['notes', 'a fraction', 1.5],
  ['notes', 'an object', {}],
  ['data', 'a function', () => 1],
  ['data', 'an object with a bigint', { id: 5n }],
  ['data', 'a circular array', circular],
]

const outOfRange: Rejected[] = [
  ['level', 'a number of 33 bits', 2 ** 32],
  ['huge', 'a bigint of 64 bits and a sign', 2n ** 63n],
  ['huge', 'a fraction', 1.5],
  ['mood', 'another word', 'angry'],
  ['mood', 'a word in capitals', 'SAD'],
  ['short', 'a text that is too long', 'abcde'],
]

// SQLite has neither integers of other sizes, nor enums, nor lengths.
const rejectedByDialect: Record<DialectName, Rejected[]> = {
  sqlite: [],
  pg: [
    ...outOfRange,
    ['tags', 'an array of objects', [{}]],
    // Drivers return the text NULL for null.
    ['tags', 'an array with null', ['a', null]],
    ['tags', 'an array with undefined', [undefined]],
    ['tags', 'an array of arrays with null', [['a'], [null]]],
    ['levels', 'a fraction', [1.5]],
  ],
  mysql: outOfRange,
}

const drivers = { 'better-sqlite3': 'sqlite', 'postgres.js': 'pg', 'node-postgres': 'pg', mysql2: 'mysql' } as const
const chosen = Object.entries(drivers).filter(([, dialect]) => inject('dialects').includes(dialect))

describe.each(chosen)('an added column, with %s,', (driver, dialect) => {
  let rows: Awaited<ReturnType<typeof openRows>>['rows']
  beforeAll(async () => {
    const all = { id: typesOf[dialect].text().primaryKey(), ...columns[dialect]() }
    const opened = await openRows(dialect, all, dialect === 'pg' ? types : [], 1, afterAll)
    rows = opened.rows
    if (driver === 'node-postgres') {
      const client = openPool({ connectionString: opened.url, max: 4 })
      afterAll(() => client.end())
      rows = opened.rowsWith(drizzleNodePg({ client }))
    }
    await rows.insert({ id: 'ada' })
  })

  let made = 0
  const someId = () => `row ${++made}`

  test.each([...accepted, ...acceptedByDialect[dialect]])('%s stores %s as %s', async (column, given, stored) => {
    const row = await rows.insert({ id: someId(), [column]: given })
    expect(row[column]).toEqual(stored)
    expect(await rows.lookup(['id'])({ id: row.id })).toEqual(row)
    expect(await rows.updateByKey({ id: 'ada', [column]: given })).toMatchObject({ [column]: stored })
  })

  test.each([...rejected, ...rejectedByDialect[dialect]])('%s rejects %s', async (column, _, value) => {
    // What PostgreSQL itself refuses has no column.
    const isNamed =
      dialect !== 'pg' || !(column === 'short' || column === 'levels' || typeof value === 'bigint' || typeof value === 'number')
    const rejection = { kind: column === 'short' ? 'too-long' : 'invalid', ...(isNamed && { details: { column } }) }
    await expect(rows.insert({ id: someId(), [column]: value })).rejects.toMatchObject(rejection)
    await expect(rows.updateByKey({ id: 'ada', [column]: value })).rejects.toMatchObject(rejection)
  })

  test('accepts null and undefined as no value', async () => {
    const names = Object.keys(columns[dialect]())
    const all = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]))
    expect(await rows.insert({ id: someId(), ...all(undefined) })).toMatchObject(all(null))
    expect(await rows.insert({ id: someId(), ...all(null) })).toMatchObject(all(null))
  })
})

test.runIf(inject('dialects').includes('mysql'))('bytes on MySQL are text, or refused', async () => {
  const bytes = { a: my.binary({ length: 2 }), b: my.varbinary({ length: 9 }) }
  const { rows, exec } = await openRows('mysql', { id: my.int().primaryKey(), ...bytes })
  expect(await rows.insert({ id: 1, a: 'é', b: '\u{feff}😀' })).toEqual({ id: 1, a: 'é', b: '\u{feff}😀' })
  for (const column of ['a', 'b']) {
    await exec(`update thing set a = 'é', b = ''`)
    await exec(`update thing set ${column} = x'fffe'`)
    await expect(rows.lookup(['id'])({ id: 1 })).rejects.toMatchObject({ kind: 'garbled', details: { column } })
  }
})

test.runIf(inject('dialects').includes('pg'))('arrays that a driver returns as text are read, or refused with what to change', async () => {
  const opened = await openRows('pg', { id: pg.text().primaryKey(), tags: pg.text().array() })
  await opened.rows.insert({ id: 'ada', tags: ['a'] })
  const client = postgres(opened.url, { max: 1, fetch_types: false })
  onTestFinished(() => client.end())
  const reading = opened.rowsWith(drizzlePg({ client })).lookup(['id'])({ id: 'ada' })
  // Drizzle 1.0 leaves arrays to the driver.
  if (process.env.DRIZZLE === '1.0')
    await expect(reading).rejects.toMatchObject({ kind: 'garbled', message: expect.stringContaining('fetch_types: true') })
  else expect(await reading).toMatchObject({ tags: ['a'] })
})
