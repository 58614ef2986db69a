import Database from 'better-sqlite3'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js'
import * as lite from 'drizzle-orm/sqlite-core'
import type { PoolOptions } from 'mysql2/promise'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { afterEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { mysql as mysqlDialect } from '../../../src/mysql/dialect.js'
import { connect } from '../../../src/query/connection.js'
import { openTable } from '../../../src/query/table.js'
import { openMysql, openPg } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'
import { openPool } from '../../support/pool.js'

// Each database stores dates that JavaScript or a driver cannot represent. They are refused, never guessed.

const on = (dialect: 'pg' | 'mysql' | 'sqlite') => describe.runIf(inject('dialects').includes(dialect))

interface Dates {
  getUser(id: string): Promise<{ emailVerified: Date | null } | null>
  getSessionAndUser(token: string): Promise<{ session: { expires: Date } } | null>
}

async function expectDate(adapter: Dates, date: Date, about: string) {
  expect((await adapter.getUser('u'))?.emailVerified, about).toEqual(date)
  expect((await adapter.getSessionAndUser('s'))?.session.expires, about).toEqual(date)
}

async function expectGarbled(adapter: Dates) {
  await expect(adapter.getUser('u')).rejects.toMatchObject({ kind: 'garbled', column: 'emailVerified' })
  await expect(adapter.getSessionAndUser('s')).rejects.toMatchObject({ kind: 'garbled' })
}

on('pg').each(['postgres.js', 'node-postgres'])('dates on PostgreSQL with %s', (driver) => {
  const columns = {
    timestamp: () => pg.timestamp(),
    'timestamp with time zone': () => pg.timestamp({ withTimezone: true }),
    date: () => pg.date({ mode: 'date' }) as unknown as ReturnType<typeof pg.timestamp>,
  }

  async function openTables(column: () => ReturnType<typeof pg.timestamp>) {
    const usersTable = pg.pgTable('user', { id: pg.text().primaryKey(), email: pg.text().notNull(), emailVerified: column() })
    const { accountsTable } = definePg({ usersTable })
    const sessionsTable = pg.pgTable('session', {
      sessionToken: pg.text().primaryKey(),
      userId: pg.text().notNull(),
      expires: column().notNull(),
    })
    const tables = { usersTable, accountsTable, sessionsTable }
    const { url, exec, run, close } = await openPg({ migrations: Object.values(tables).map((table) => createTable(table, '"')) })
    onTestFinished(close)

    /** An adapter whose connections have these settings. */
    const connect = (settings: Record<string, string>) => {
      const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
      if (driver === 'node-postgres') {
        const client = openPool({ connectionString: url, max: 1, options: options.join(' ') })
        onTestFinished(() => client.end())
        return DrizzleAdapter(drizzleNodePg({ client }), tables)
      }
      const client = postgres(url, { max: 1, onnotice: () => {}, connection: settings })
      onTestFinished(() => client.end())
      return DrizzleAdapter(drizzlePostgresJs({ client }), tables)
    }

    /** Stores a date that the database parses, and returns the instant that the database computes for it. */
    const store = async (date: string) => {
      await exec(`truncate "user", session`)
      await exec(`insert into "user" values ('u', 'e', '${date}')`)
      await exec(`insert into session values ('s', 'u', '${date}')`)
      const [row] = await run(`select floor(extract(epoch from "emailVerified") * 1000)::text as ms from "user"`)
      return new Date(Number(row?.ms))
    }
    return { connect, store, run }
  }

  test.each(Object.entries(columns))('of the type %s are the stored instant, in any time zone', async (_type, column) => {
    const { connect, store } = await openTables(column)
    for (const TimeZone of ['UTC', 'America/St_Johns']) {
      const adapter = connect({ TimeZone })
      for (const date of ['2026-06-05 01:02:03.456+00', '0007-06-05 00:00:00+00', '1969-12-31 23:59:59.001+00', '12026-06-05 01:02:03'])
        await expectDate(adapter, await store(date), `${date} in ${TimeZone}`)
    }
  })

  test.each(Object.entries(columns))('of the type %s are refused outside of the range of JavaScript', async (_type, column) => {
    const { connect, store } = await openTables(column)
    const adapter = connect({})
    for (const date of ['infinity', '-infinity', '0044-03-15 12:00:00 BC', '290000-01-01']) {
      await store(date)
      await expectGarbled(adapter)
    }
  })

  test.each(['SQL, DMY', 'German, DMY', 'Postgres, MDY'])('are refused in the DateStyle %s', async (DateStyle) => {
    const { connect, store, run } = await openTables(columns.timestamp)
    const adapter = connect({ DateStyle })
    await store('2026-06-05 01:02:03.456')
    await expectGarbled(adapter)
    const emailVerified = new Date('2026-06-05T00:00:00Z')
    await expect(adapter.createUser({ id: 'v', email: 'f', emailVerified })).rejects.toThrow('the write itself happened')
    expect(await run(`select "emailVerified"::text as date from "user" where id = 'v'`)).toEqual([{ date: '2026-06-05 00:00:00' }])
  })
})

on('mysql')('dates on MySQL', () => {
  const columns = {
    datetime: () => my.datetime(),
    'datetime(3)': () => my.datetime({ fsp: 3 }),
    'datetime(6)': () => my.datetime({ fsp: 6 }),
    date: () => my.date() as unknown as ReturnType<typeof my.datetime>,
    timestamp: () => my.timestamp() as unknown as ReturnType<typeof my.datetime>,
  }
  type Type = keyof typeof columns

  async function openTables(type: Type, options: PoolOptions = {}) {
    const column = columns[type]
    const text = () => my.varchar({ length: 99 })
    const usersTable = my.mysqlTable('user', { id: text().primaryKey(), email: text().notNull(), emailVerified: column() })
    const { accountsTable } = defineMysql({ usersTable })
    const sessionsTable = my.mysqlTable('session', {
      sessionToken: text().primaryKey(),
      userId: text().notNull(),
      expires: column().notNull(),
    })
    const verificationTokensTable = my.mysqlTable('token', {
      identifier: text().notNull(),
      token: text().notNull(),
      expires: column().notNull(),
    })
    const tables = { usersTable, accountsTable, sessionsTable, verificationTokensTable }
    // Without an explicit NULL, MariaDB updates a timestamp column automatically and does not accept null.
    const migrations = Object.values(tables).map((table) =>
      createTable(table, '`').replaceAll(/(timestamp)( not null)?/g, (_, name, rest = ' null') => name + rest),
    )
    const { url, close } = await openMysql({ migrations })
    onTestFinished(close)
    const client = mysql.createPool({ uri: url, connectionLimit: 1, ...options })
    onTestFinished(() => client.end())
    client.pool.on('connection', (connection) =>
      connection.query(`set sql_mode = 'STRICT_TRANS_TABLES,ALLOW_INVALID_DATES', time_zone = '+00:00'`),
    )
    const store = async (date: string) => {
      for (const table of ['user', 'session', 'token']) await client.query(`delete from ${table}`)
      await client.query(`insert into user values ('u', 'e', '${date}')`)
      await client.query(`insert into session values ('s', 'u', '${date}')`)
      await client.query(`insert into token values ('i', 't', '${date}')`)
    }
    return { client, adapter: DrizzleAdapter(drizzleMysql({ client }), tables), store }
  }

  test.each<[Type, string[]]>([
    ['datetime(3)', ['0000-00-00', '2026-00-00', '2026-06-00', '2026-02-31']],
    ['date', ['0000-00-00', '2026-02-31']],
    ['timestamp', ['0000-00-00']],
  ])('of the type %s that do not exist are refused: %s', async (type, dates) => {
    const { adapter, store } = await openTables(type)
    for (const date of dates) {
      await store(date)
      await expectGarbled(adapter)
    }
  })

  test('that are refused do not use up a verification token', async () => {
    const { client, adapter, store } = await openTables('datetime(3)')
    await store('2026-02-31')
    await expect(adapter.useVerificationToken({ identifier: 'i', token: 't' })).rejects.toMatchObject({ kind: 'garbled' })
    const [rows] = await client.query('select count(*) as n from token')
    expect(rows).toEqual([{ n: 1 }])
  })

  test.each<[Type, string, string]>([
    ['datetime', '2026-06-05 01:02:03', '2026-06-05T01:02:03.000Z'],
    ['datetime(6)', '2026-06-05 01:02:03.456999', '2026-06-05T01:02:03.456Z'],
    ['date', '2026-06-05', '2026-06-05T00:00:00.000Z'],
    ['timestamp', '2026-06-05 01:02:03', '2026-06-05T01:02:03.000Z'],
    ['datetime(3)', '0050-06-05 01:02:03.456', '0050-06-05T01:02:03.456Z'],
  ])('of the type %s are the stored instant, with any settings: %s', async (type, date, instant) => {
    for (const options of [{}, { dateStrings: true }, { timezone: '+05:30' }, { typeCast: false }] as PoolOptions[]) {
      const { adapter, store } = await openTables(type, options)
      await store(date)
      await expectDate(adapter, new Date(instant), JSON.stringify(options))
    }
  })
})

on('mysql')('a date on MySQL', () => {
  const zone = process.env.TZ
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  test.each(['America/New_York', 'Pacific/Kiritimati'])('is the day in UTC that was given, in %s', async (TZ) => {
    const { db, close } = await openMysql({ migrations: ['create table event (id date primary key, day date)'] })
    onTestFinished(close)
    const events = my.mysqlTable('event', { id: my.date().primaryKey(), day: my.date() })
    const table = openTable(connect('test', mysqlDialect, db), events, {}, ['id'])
    process.env.TZ = TZ
    const day = new Date('2026-11-18')
    const row = { id: day, day }
    expect(await table.insert(row)).toEqual(row)
    expect(await table.lookup(['id'])({ id: day })).toEqual(row)
    for (const is of ['eq', 'gte', 'in'] as const)
      expect(await table.count({ column: 'day', is, value: is === 'in' ? [day] : day }), is).toBe(1)
  })
})

on('sqlite').each([false, true])('dates on SQLite, with safe integers: %s', (safe) => {
  function openTables(mode: 'timestamp' | 'timestamp_ms') {
    const date = () => (mode === 'timestamp' ? lite.integer({ mode: 'timestamp' }) : lite.integer({ mode: 'timestamp_ms' }))
    const usersTable = lite.sqliteTable('user', { id: lite.text().primaryKey(), email: lite.text().notNull(), emailVerified: date() })
    const { accountsTable } = defineSqlite({ usersTable })
    const sessionsTable = lite.sqliteTable('session', {
      sessionToken: lite.text().primaryKey(),
      userId: lite.text().notNull(),
      expires: date().notNull(),
    })
    const tables = { usersTable, accountsTable, sessionsTable }
    const client = new Database(':memory:').defaultSafeIntegers(safe)
    onTestFinished(() => void client.close())
    for (const table of Object.values(tables)) client.exec(createTable(table, '`'))
    const store = (value: string) =>
      client.exec(
        `delete from user; delete from session; insert into user values ('u', 'e', ${value}); insert into session values ('s', 'u', ${value})`,
      )
    return { adapter: DrizzleAdapter(drizzleSqlite({ client }), tables), store }
  }

  test.each(['timestamp', 'timestamp_ms'] as const)('in the mode %s are the stored instant, or refused', async (mode) => {
    const { adapter, store } = openTables(mode)
    for (const seconds of [0, 1_780_621_323, -62_135_596_801, 253_402_300_800]) {
      store(String(mode === 'timestamp' ? seconds : seconds * 1000))
      await expectDate(adapter, new Date(seconds * 1000), String(seconds))
    }
    for (const value of ['8640000000000001', '9223372036854775807', `'never'`, `''`, `x'00ff'`, '9e999']) {
      store(value)
      await expectGarbled(adapter)
    }
  })
})
