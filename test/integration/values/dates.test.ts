import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { dialects } from '../../../src/dialects.js'
import { connect } from '../../../src/query/connection.js'
import { openTable } from '../../../src/query/table.js'
import { openDatabase, openPg } from '../../support/databases.js'

// Columns of dates that hold text in code.
const tables = {
  pg: pg.pgTable('moment', {
    id: pg.text().primaryKey(),
    day: pg.date({ mode: 'string' }),
    at: pg.timestamp({ mode: 'string' }),
    zoned: pg.timestamp({ mode: 'string', withTimezone: true }),
    seen: pg.timestamp(),
    seenOn: pg.date({ mode: 'date' }),
  }),
  mysql: my.mysqlTable('moment', {
    id: my.varchar({ length: 9 }).primaryKey(),
    day: my.date({ mode: 'string' }),
    at: my.datetime({ mode: 'string', fsp: 3 }),
    zoned: my.timestamp({ mode: 'string', fsp: 3 }),
    seen: my.datetime(),
    seenOn: my.date(),
  }),
}
const zoned = { pg: 'timestamp with time zone', mysql: 'timestamp(3) null' }
const at = { pg: 'timestamp', mysql: 'datetime(3)' }

/** A text, and what of it is read. */
const stored: [column: string, text: string, read: Record<keyof typeof tables, string>][] = [
  ['day', '2030-01-02', { pg: '2030-01-02', mysql: '2030-01-02' }],
  ['at', '2030-01-02 03:04:05.678', { pg: '2030-01-02 03:04:05.678', mysql: '2030-01-02 03:04:05.678' }],
  ['at', '2030-01-02', { pg: '2030-01-02 00:00:00', mysql: '2030-01-02 00:00:00.000' }],
  ['at', '2030-01-02T03:04:05', { pg: '2030-01-02 03:04:05', mysql: '2030-01-02 03:04:05.000' }],
]
const onPostgres: typeof stored = [
  ['at', '2030-01-02T03:04:05.678Z', { pg: '2030-01-02 03:04:05.678', mysql: '' }],
  ['zoned', '2030-01-02T03:04:05+02:00', { pg: '2030-01-02 01:04:05+00', mysql: '' }],
]

const noDate = [
  ['day', '30-01-02'],
  ['at', '03:04:05'],
  ['at', 'now'],
  ['zoned', '03:04:05'],
] as const
const beyondMysql = [
  ['day', 'infinity'],
  ['at', '-infinity'],
  ['at', '12030-01-02'],
  ['seen', new Date('+012030-01-02')],
  ['seenOn', new Date('-000001-01-02')],
  ['day', '2030-13-01'],
  ['day', '2030-01-32'],
  ['at', '2030-01-32 03:04'],
  ['at', '2030-01-02 25:00'],
  ['at', '2030-01-02 03:61'],
  ['zoned', '2030-01-02 03:04:60'],
  ['day', '2029-02-29'],
  ['day', '2024-99-00'],
  ['at', '2024-00-99 10:00:00'],
] as const

const withDates = inject('dialects').filter((dialect) => dialect !== 'sqlite')

describe.each(withDates)('text for a date on %s', (dialect) => {
  const created = `create table moment (id varchar(9) primary key, day date, at ${at[dialect]}, zoned ${zoned[dialect]},
    seen ${at[dialect]}, ${dialect === 'pg' ? '"seenOn"' : 'seenOn'} date)`

  async function open() {
    const { db, close } = await openDatabase(dialect, { migrations: [created] })
    onTestFinished(close)
    const table = openTable(connect('test', dialects[dialect], db), tables[dialect], {}, ['id'])
    await table.insert({ id: 'a' })
    return table
  }

  test.each(dialect === 'pg' ? [...stored, ...onPostgres] : stored)('is stored in %s as it is: %s', async (column, text, read) => {
    const table = await open()
    expect(await table.updateByKey({ id: 'a', [column]: text })).toMatchObject({ [column]: read[dialect] })
    expect(await table.count({ column, is: 'eq', value: text })).toBe(1)
  })

  test.runIf(dialect === 'pg').each(['ISO, DMY', 'SQL, DMY', 'German, DMY', 'Postgres, MDY'])(
    'is read as it is written in the style ISO, and refused in others: %s',
    async (style) => {
      const { url, exec, close } = await openPg({ migrations: [created] })
      onTestFinished(close)
      const client = postgres(url, { max: 1, onnotice: () => {}, connection: { DateStyle: style, TimeZone: 'America/New_York' } })
      onTestFinished(() => client.end())
      const table = openTable(connect('test', dialects.pg, drizzle({ client })), tables.pg, {}, ['id'])
      for (const column of ['day', 'at', 'zoned'])
        for (const text of ['2030-02-01', '12030-02-01', '0044-02-01 BC', '1800-02-01', 'infinity']) {
          await exec(`delete from moment; insert into moment (id, ${column}) values ('a', '${text}')`)
          const found = table.lookup(['id'])({ id: 'a' })
          // JavaScript has neither infinity nor these years.
          if (style.startsWith('ISO') && !/BC|infinity/.test(text)) {
            const [stored] = await client.unsafe(`select ${column}::text as text from moment`)
            expect((await found)?.[column]).toBe(stored?.text)
          } else await expect(found, `${column} ${text}`).rejects.toMatchObject({ kind: 'garbled', details: { column } })
        }
    },
  )

  // In a comparison, MariaDB takes them for 0, so that every date would be later.
  test.runIf(dialect === 'mysql').each(beyondMysql)('is refused if MySQL has no such value in %s: %s', async (column, value) => {
    const table = await open()
    await expect(table.updateByKey({ id: 'a', [column]: value })).rejects.toMatchObject({ kind: 'invalid', details: { column } })
    await expect(table.count({ column, is: 'gt', value })).rejects.toMatchObject({ kind: 'invalid' })
  })

  test.each(noDate)('is refused if it is no date, in %s: %s', async (column, text) => {
    const table = await open()
    await expect(table.updateByKey({ id: 'a', [column]: text })).rejects.toMatchObject({ kind: 'invalid', details: { column } })
    await expect(table.count({ column, is: 'lt', value: text })).rejects.toMatchObject({ kind: 'invalid' })
  })
})
