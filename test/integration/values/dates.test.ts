import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import * as lite from 'drizzle-orm/sqlite-core'
import type { PoolOptions } from 'mysql2/promise'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { afterEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { openPool } from '../../support/pool.js'
import { openRows } from '../../support/table-sets.js'

// Databases store dates that JavaScript or a driver cannot represent. They are refused, never guessed.

const on = (dialect: DialectName) => describe.runIf(inject('dialects').includes(dialect))
const garbled = (column: string) => ({ kind: 'garbled', details: { column } })
const invalid = (column: string) => ({ kind: 'invalid', details: { column } })

type Rows = Awaited<ReturnType<typeof openRows>>['rows']
const read = async (rows: Rows, column: string) => (await rows.lookup(['id'])({ id: 'a' }))?.[column]

/** Columns that hold dates in code, and columns that hold text. */
const columns = {
  pg: () => ({
    id: pg.text().primaryKey(),
    plain: pg.timestamp(),
    instant: pg.timestamp({ withTimezone: true }),
    date: pg.date({ mode: 'date' }),
    day: pg.date({ mode: 'string' }),
    at: pg.timestamp({ mode: 'string' }),
    zoned: pg.timestamp({ mode: 'string', withTimezone: true }),
  }),
  mysql: () => ({
    id: my.varchar({ length: 9 }).primaryKey(),
    plain: my.datetime(),
    millis: my.datetime({ fsp: 3 }),
    micros: my.datetime({ fsp: 6 }),
    date: my.date(),
    day: my.date({ mode: 'string' }),
    at: my.datetime({ mode: 'string', fsp: 3 }),
  }),
}

on('pg').each(['postgres.js', 'node-postgres'])('dates on PostgreSQL with %s', (driver) => {
  async function open() {
    const opened = await openRows('pg', columns.pg())
    const connect = (settings: Record<string, string>) => {
      const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
      const client =
        driver === 'postgres.js'
          ? postgres(opened.url, { max: 1, onnotice: () => {}, connection: settings })
          : openPool({ connectionString: opened.url, max: 1, options: options.join(' ') })
      onTestFinished(() => client.end())
      return opened.rowsWith(driver === 'postgres.js' ? drizzlePg({ client } as never) : drizzleNodePg({ client } as never))
    }
    /** Stores a date that the database parses, and returns what the database says that it is. */
    const store = async (column: string, date: string) => {
      await opened.exec(`delete from thing; insert into thing (id, ${column}) values ('a', '${date}')`)
      const [row] = await opened.run(`select floor(extract(epoch from ${column}) * 1000)::text as ms, ${column}::text as text from thing`)
      return { instant: new Date(Number(row?.ms)), text: row?.text }
    }
    return { connect, store }
  }

  test.each(['plain', 'instant', 'date'])('are the stored instant, in any time zone, or refused: %s', async (column) => {
    const { connect, store } = await open()
    for (const TimeZone of ['UTC', 'America/St_Johns']) {
      const rows = connect({ TimeZone })
      for (const date of ['2026-06-05 01:02:03.456+00', '0007-06-05 00:00:00+00', '1969-12-31 23:59:59.001+00', '12026-06-05 01:02:03']) {
        const { instant } = await store(column, date)
        expect(await read(rows, column), `${date} in ${TimeZone}`).toEqual(instant)
      }
    }
    for (const date of ['infinity', '0044-03-15 12:00:00 BC', '290000-01-01']) {
      await store(column, date)
      await expect(read(connect({}), column), date).rejects.toMatchObject(garbled(column))
    }
  })

  test('are refused in another DateStyle than ISO, whatever they hold in code', async () => {
    const { connect, store } = await open()
    for (const DateStyle of ['ISO, DMY', 'SQL, DMY', 'German, DMY', 'Postgres, MDY'])
      for (const column of ['plain', 'day', 'at', 'zoned']) {
        const { text } = await store(column, '2026-02-01 01:02:03')
        const found = read(connect({ DateStyle, TimeZone: 'UTC' }), column)
        if (!DateStyle.startsWith('ISO')) await expect(found, `${column} ${DateStyle}`).rejects.toMatchObject(garbled(column))
        else expect(await found).toEqual(column === 'plain' ? new Date('2026-02-01T01:02:03Z') : text)
      }
    for (const date of ['infinity', '0044-02-01 BC']) {
      await store('at', date)
      await expect(read(connect({}), 'at'), date).rejects.toMatchObject(garbled('at'))
    }
  })
})

on('mysql')('dates on MySQL', () => {
  async function open(options: PoolOptions = {}) {
    const opened = await openRows('mysql', columns.mysql())
    const client = mysql.createPool({ uri: opened.url, connectionLimit: 1, ...options })
    onTestFinished(() => client.end())
    client.pool.on('connection', (connection) =>
      connection.query(`set sql_mode = 'STRICT_TRANS_TABLES,ALLOW_INVALID_DATES', time_zone = '+00:00'`),
    )
    const store = async (column: string, date: string) => {
      await client.query('delete from thing')
      await client.query(`insert into thing (id, ${column}) values ('a', '${date}')`)
    }
    return { rows: opened.rowsWith(drizzleMysql({ client })), run: opened.run, store }
  }

  test.each([
    ['millis', ['0000-00-00', '2026-00-00', '2026-06-00', '2026-02-31']],
    ['date', ['0000-00-00', '2026-02-31']],
  ])('of %s that do not exist are refused, and not deleted: %s', async (column, dates) => {
    const { rows, run, store } = await open()
    for (const date of dates) {
      await store(column, date)
      await expect(read(rows, column)).rejects.toMatchObject(garbled(column))
      await expect(rows.deleteOne({ and: [] })).rejects.toMatchObject(garbled(column))
      expect(await run('select id from thing')).toHaveLength(1)
    }
  })

  test.each([{}, { dateStrings: true }, { timezone: '+05:30' }, { typeCast: false }] as PoolOptions[])(
    'are the stored instant with %j',
    async (options) => {
      const { rows, store } = await open(options)
      for (const [column, date, instant] of [
        ['plain', '2026-06-05 01:02:03', '2026-06-05T01:02:03.000Z'],
        ['micros', '2026-06-05 01:02:03.456999', '2026-06-05T01:02:03.456Z'],
        ['date', '2026-06-05', '2026-06-05T00:00:00.000Z'],
        ['millis', '0050-06-05 01:02:03.456', '0050-06-05T01:02:03.456Z'],
      ] as const) {
        await store(column, date)
        expect(await read(rows, column), column).toEqual(new Date(instant))
      }
    },
  )

  const zone = process.env.TZ
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  test.each(['America/New_York', 'Pacific/Kiritimati'])('are the day in UTC that was given, in %s', async (TZ) => {
    const { rows } = await openRows('mysql', columns.mysql())
    process.env.TZ = TZ
    const date = new Date('2026-11-18')
    expect(await rows.insert({ id: 'a', date })).toMatchObject({ date })
    expect(await read(rows, 'date')).toEqual(date)
    for (const is of ['eq', 'gte', 'in'] as const)
      expect(await rows.count({ column: 'date', is, value: is === 'in' ? [date] : date }), is).toBe(1)
  })
})

on('sqlite').each([false, true])('dates on SQLite, with safe integers: %s', (isSafe) => {
  test.each(['seconds', 'millis'] as const)('in %s are the stored instant, or refused', async (column) => {
    const modes = { seconds: lite.integer({ mode: 'timestamp' }), millis: lite.integer({ mode: 'timestamp_ms' }) }
    const { client, exec, rowsWith } = await openRows('sqlite', { id: lite.text().primaryKey(), ...modes })
    const own = (client as never as { defaultSafeIntegers(isSafe: boolean): never }).defaultSafeIntegers(isSafe)
    const rows = rowsWith(drizzleSqlite({ client: own }))
    const store = (value: string) => exec(`delete from thing; insert into thing (id, ${column}) values ('a', ${value})`)
    for (const seconds of [0, 1_780_621_323, -62_135_596_801, 253_402_300_800]) {
      await store(String(column === 'seconds' ? seconds : seconds * 1000))
      expect(await read(rows, column)).toEqual(new Date(seconds * 1000))
    }
    for (const value of ['8640000000000001', '9223372036854775807', `'never'`, `''`, `x'00ff'`, '9e999']) {
      await store(value)
      await expect(read(rows, column), value).rejects.toMatchObject(garbled(column))
    }
  })
})

/** Texts, and what of them is read. */
const stored = {
  pg: [
    ['day', '2030-01-02', '2030-01-02'],
    ['at', '2030-01-02 03:04:05.678', '2030-01-02 03:04:05.678'],
    ['at', '2030-01-02T03:04:05.678Z', '2030-01-02 03:04:05.678'],
    ['zoned', '2030-01-02T03:04:05+02:00', '2030-01-02 01:04:05+00'],
  ],
  mysql: [
    ['day', '2030-01-02', '2030-01-02'],
    ['at', '2030-01-02 03:04:05.678', '2030-01-02 03:04:05.678'],
    ['at', '2030-01-02T03:04:05', '2030-01-02 03:04:05.000'],
  ],
} as const

const noDates = [
  ['day', '30-01-02'],
  ['at', '03:04:05'],
  ['at', 'now'],
] as const
// In a comparison, MariaDB takes these for 0, so that every date would be later.
const noDatesOfMysql = [
  ['day', 'infinity'],
  ['at', '12030-01-02'],
  ['plain', new Date('+012030-01-02')],
  ['date', new Date('-000001-01-02')],
  ['day', '2030-13-01'],
  ['at', '2030-01-02 25:00'],
  ['day', '2029-02-29'],
  ['day', '2024-99-00'],
] as const

const withDates = inject('dialects').filter((dialect) => dialect !== 'sqlite')

describe.each(withDates)('text for a date on %s', (dialect) => {
  test('is stored as it is, or refused if it is no date', async () => {
    const { rows } = await openRows(dialect, columns[dialect]())
    await rows.insert({ id: 'a' })
    for (const [column, text, expected] of stored[dialect]) {
      expect(await rows.updateByKey({ id: 'a', [column]: text })).toMatchObject({ [column]: expected })
      expect(await rows.count({ column, is: 'eq', value: text })).toBe(1)
    }
    for (const [column, value] of dialect === 'mysql' ? [...noDates, ...noDatesOfMysql] : noDates) {
      await expect(rows.updateByKey({ id: 'a', [column]: value }), `${value}`).rejects.toMatchObject(invalid(column))
      for (const is of ['lt', 'gt'] as const)
        await expect(rows.count({ column, is, value }), `${is} ${value}`).rejects.toMatchObject({ kind: 'invalid' })
    }
  })
})
