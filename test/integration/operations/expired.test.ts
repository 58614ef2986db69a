import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import Database from 'better-sqlite3'
import type { DeleteExpiredOptions, ExpiredProgress } from 'drizzle-auth-adapter'
import { AdapterConfigError, AdapterOperationError, deleteExpired } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import { getTableName } from 'drizzle-orm'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import * as lite from 'drizzle-orm/sqlite-core'
import mysql from 'mysql2/promise'
import nodePg from 'pg'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'

const pgTables = definePg()
type PgTables = typeof pgTables
type PgDatabase = Awaited<ReturnType<typeof openPg>>['db']

interface Opened {
  db: PgDatabase
  tables: PgTables
  /** The statements sent so far. Tests empty the list before they count. */
  queries: string[]
  exec(statement: string): Promise<void>
  run(statement: string): Promise<Record<string, unknown>[]>
  /** Opens a second connection, which the first can block with locks. */
  connect(): Promise<{ db: PgDatabase; exec(statement: string): Promise<unknown> }>
}

// The dialects' types differ, but not in what the tests use. So the tests use PostgreSQL's.
const open: Record<DialectName, (migrations?: string[]) => Promise<Opened>> = {
  async sqlite(migrations) {
    const queries: string[] = []
    const opened = await openSqlite({ ...(migrations && { migrations }), logger: { logQuery: (query) => void queries.push(query) } })
    onTestFinished(opened.close)
    return {
      ...opened,
      db: opened.db as unknown as PgDatabase,
      tables: defineSqlite() as unknown as PgTables,
      queries,
      async connect() {
        const client = new Database(opened.client.name)
        onTestFinished(() => void client.close())
        return { db: drizzleSqlite({ client }) as unknown as PgDatabase, exec: async (statement) => client.exec(statement) }
      },
    }
  },
  async pg(migrations) {
    const queries: string[] = []
    const opened = await openPg({
      connections: 1,
      ...(migrations && { migrations }),
      logger: { logQuery: (query) => void queries.push(query) },
    })
    onTestFinished(opened.close)
    return {
      ...opened,
      tables: pgTables,
      queries,
      async connect() {
        const client = postgres(opened.url, { max: 1, onnotice: () => {} })
        onTestFinished(() => client.end())
        return { db: drizzlePg({ client }), exec: async (statement) => client.unsafe(statement) }
      },
    }
  },
  async mysql(migrations) {
    const queries: string[] = []
    const opened = await openMysql({
      connections: 1,
      ...(migrations && { migrations }),
      logger: { logQuery: (query) => void queries.push(query) },
    })
    onTestFinished(opened.close)
    return {
      ...opened,
      db: opened.db as unknown as PgDatabase,
      tables: defineMysql() as unknown as PgTables,
      queries,
      async connect() {
        const client = await mysql.createConnection(opened.url)
        onTestFinished(() => client.end())
        return { db: drizzleMysql({ client }) as unknown as PgDatabase, exec: (statement) => client.query(statement) }
      },
    }
  },
}

const now = Date.now()
const ago = (milliseconds: number) => new Date(now - milliseconds)

/** Creates a user with sessions and verification tokens, given as token and expiry. */
async function seed({ db, tables }: Opened, sessions: Record<string, Date>, tokens: Record<string, Date> = {}): Promise<void> {
  await db.insert(tables.usersTable).values({ id: 'u', email: 'u@example.com' })
  const rows = Object.entries(sessions).map(([sessionToken, expires]) => ({ sessionToken, userId: 'u', expires }))
  const links = Object.entries(tokens).map(([token, expires]) => ({ identifier: 'u@example.com', token, expires }))
  for (let from = 0; from < rows.length; from += 500) await db.insert(tables.sessionsTable).values(rows.slice(from, from + 500))
  for (let from = 0; from < links.length; from += 500) await db.insert(tables.verificationTokensTable).values(links.slice(from, from + 500))
}

const tokensExpiring = (count: number, expires: Date) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`old-${index}`, expires]))

async function sessionsIn({ db, tables }: Opened): Promise<string[]> {
  return (await db.select().from(tables.sessionsTable)).map(({ sessionToken }) => sessionToken).sort()
}

async function tokensIn({ db, tables }: Opened): Promise<string[]> {
  return (await db.select().from(tables.verificationTokensTable)).map(({ token }) => token).sort()
}

describe.each(inject('dialects'))('deleteExpired on %s', (dialect) => {
  test('deletes expired rows and no others', async () => {
    const opened = await open[dialect]()
    await seed(
      opened,
      { old: ago(1), older: ago(1e9), live: ago(-3_600_000) },
      { old: ago(1), live: ago(-3_600_000), far: new Date('2040-01-01') },
    )
    expect(await deleteExpired(opened.db, opened.tables)).toEqual({ sessions: 2, verificationTokens: 1, finished: true })
    expect(await sessionsIn(opened)).toEqual(['live'])
    expect(await tokensIn(opened)).toEqual(['far', 'live'])
    expect(await opened.db.select().from(opened.tables.usersTable)).toHaveLength(1)
    expect(await deleteExpired(opened.db, opened.tables)).toEqual({ sessions: 0, verificationTokens: 0, finished: true })
  })

  test('keeps rows that expire exactly at `before`', async () => {
    const opened = await open[dialect]()
    const before = new Date('2024-02-29T12:00:00.500Z')
    await seed(opened, { before: new Date(before.getTime() - 1), at: before, after: new Date(before.getTime() + 1) })
    expect(await deleteExpired(opened.db, opened.tables, { before })).toMatchObject({ sessions: 1 })
    expect(await sessionsIn(opened)).toEqual(['after', 'at'])
  })

  test('sends one statement for each batch, and one for a table without expired rows', async () => {
    const opened = await open[dialect]()
    await seed(opened, { ...tokensExpiring(25, ago(1)), live: ago(-3_600_000) })
    opened.queries.length = 0
    const progress: ExpiredProgress[] = []
    const options: DeleteExpiredOptions = { batch: 10, pause: 0, onProgress: (report) => progress.push(report) }
    expect(await deleteExpired(opened.db, opened.tables, options)).toEqual({ sessions: 25, verificationTokens: 0, finished: true })
    expect(progress).toEqual([
      { table: 'sessions', deleted: 10 },
      { table: 'sessions', deleted: 20 },
      { table: 'sessions', deleted: 25 },
      { table: 'verificationTokens', deleted: 0 },
    ])
    // On MySQL, a statement before them checks the settings of the connection.
    const deletions = opened.queries.filter((query) => !query.includes('@@sql_mode'))
    expect(deletions).toHaveLength(4)
    for (const query of deletions) expect(query).toMatch(/^delete from/)
  })

  test('deletes the rows that expired first before later ones', async () => {
    const opened = await open[dialect]()
    // Without the index, only the statement itself can determine the order.
    await opened.exec(
      `drop index ${dialect === 'pg' ? '"session_expires_idx"' : 'session_expires_idx'}${dialect === 'mysql' ? ' on session' : ''}`,
    )
    await seed(opened, { a: ago(1_000), d: ago(3_000), b: ago(500), c: ago(2_000) })
    const stop = new AbortController()
    await deleteExpired(opened.db, opened.tables, { batch: 2, signal: stop.signal, onProgress: () => stop.abort() })
    expect(await sessionsIn(opened)).toEqual(['a', 'b'])
  })

  test('stops when its signal is aborted, and the next call continues', async () => {
    const opened = await open[dialect]()
    await seed(opened, tokensExpiring(30, ago(1)), tokensExpiring(5, ago(1)))
    const stop = new AbortController()
    const onProgress = ({ deleted }: ExpiredProgress) => deleted === 20 && stop.abort()
    const options = { batch: 10, pause: 0 }
    expect(await deleteExpired(opened.db, opened.tables, { ...options, signal: stop.signal, onProgress })).toEqual({
      sessions: 20,
      verificationTokens: 0,
      finished: false,
    })
    expect(await deleteExpired(opened.db, opened.tables, { ...options, signal: stop.signal })).toEqual({
      sessions: 0,
      verificationTokens: 0,
      finished: false,
    })
    expect(await deleteExpired(opened.db, opened.tables, options)).toEqual({ sessions: 10, verificationTokens: 5, finished: true })
  })

  test('does not wait for the end of a pause when its signal is aborted', async () => {
    const opened = await open[dialect]()
    await seed(opened, tokensExpiring(2, ago(1)))
    const stop = new AbortController()
    const onProgress = () => void setTimeout(() => stop.abort(), 20)
    const counts = await deleteExpired(opened.db, opened.tables, { batch: 1, pause: 2 ** 31 - 1, signal: stop.signal, onProgress })
    expect(counts).toEqual({ sessions: 1, verificationTokens: 0, finished: false })
  })

  test('lets other work run between batches', async () => {
    const opened = await open[dialect]()
    await seed(opened, tokensExpiring(20, ago(1)))
    let turns = 0
    const turning = setInterval(() => turns++, 1)
    onTestFinished(() => clearInterval(turning))
    await deleteExpired(opened.db, opened.tables, { batch: 1, pause: 0 })
    expect(turns).toBeGreaterThan(5)
  })

  test('accepts only one of the two tables', async () => {
    const opened = await open[dialect]()
    await seed(opened, { old: ago(1) }, { old: ago(1) })
    const { sessionsTable, verificationTokensTable } = opened.tables
    expect(await deleteExpired(opened.db, { verificationTokensTable })).toEqual({ sessions: 0, verificationTokens: 1, finished: true })
    expect(await deleteExpired(opened.db, { sessionsTable })).toEqual({ sessions: 1, verificationTokens: 0, finished: true })
  })

  test('counts each row once, however many sweeps run at the same time', async () => {
    const opened = await open[dialect]()
    await seed(opened, { ...tokensExpiring(2_000, ago(1)), live: ago(-3_600_000) }, tokensExpiring(500, ago(1)))
    const others = await Promise.all([opened.connect(), opened.connect(), opened.connect()])
    const all = await Promise.all(others.map(({ db }) => deleteExpired(db, opened.tables, { batch: 20, pause: 0 })))
    const sum = (name: 'sessions' | 'verificationTokens') => all.reduce((total, counts) => total + counts[name], 0)
    expect([sum('sessions'), sum('verificationTokens')]).toEqual([2_000, 500])
    expect(await sessionsIn(opened)).toEqual(['live'])
    expect(await tokensIn(opened)).toEqual([])
  })

  test('accepts hand-written tables, with any type of column for dates', async () => {
    for (const [name, expires] of Object.entries(dateColumns[dialect])) {
      const opened = await open[dialect]([])
      const tables = {
        sessionsTable: handwrittenTable(dialect, 'logins', 'session_token', expires),
        verificationTokensTable: handwrittenTable(dialect, 'links', 'link', expires),
      }
      for (const table of Object.values(tables)) await opened.exec(createTable(table, dialect === 'pg' ? '"' : '`'))
      // A column may store only whole seconds or days.
      const expired = new Date(now - 3 * 86_400_000)
      const live = new Date(now + 3 * 86_400_000)
      for (const [token, date] of [
        ['old', expired],
        ['live', live],
      ] as const) {
        await opened.db.insert(tables.sessionsTable).values({ sessionToken: token, userId: 'u', expires: date } as never)
        await opened.db.insert(tables.verificationTokensTable).values({ identifier: 'i', token, expires: date } as never)
      }
      expect(await deleteExpired(opened.db, tables as never), name).toEqual({ sessions: 1, verificationTokens: 1, finished: true })
      const left = await opened.run(`select * from ${getTableName(tables.sessionsTable)}`)
      expect(left, name).toMatchObject([{ session_token: 'live' }])
    }
  })

  test('rejects a hand-written table without the required columns, and says what is wrong', async () => {
    const { db, tables } = await open[dialect]()
    const number = { pg: pg.bigint('expires', { mode: 'number' }), mysql: my.int('expires'), sqlite: lite.integer('expires') }[dialect]
    const wrong = handwrittenTable(dialect, 'logins', 'session_token', () => number)
    await expectConfigError(
      deleteExpired(db, { sessionsTable: wrong as never }),
      /^deleteExpired: the column expires of sessionsTable holds number; it/,
    )
    const without = tables.verificationTokensTable
    await expectConfigError(
      deleteExpired(db, { sessionsTable: without as never }),
      /^deleteExpired: sessionsTable has no column sessionToken/,
    )
  })

  test('throws AdapterOperationErrors, which contain no secret', async () => {
    const opened = await open[dialect]()
    await seed(opened, { 'a-secret-token': ago(1) })
    const quote = dialect === 'pg' ? '"' : '`'
    const type = dialect === 'mysql' ? 'varbinary(1020)' : 'text'
    await opened.exec(
      `create table visit (id int primary key, token ${type}, foreign key (token) references ${quote}session${quote} (${quote}sessionToken${quote}))`,
    )
    await opened.exec(`insert into visit values (1, 'a-secret-token')`)
    const error = await errorOf(deleteExpired(opened.db, opened.tables))
    expect(error).toMatchObject({ operation: 'deleteExpired', kind: 'still-referenced' })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('a-secret-token')

    await opened.exec(`drop table ${quote}verificationToken${quote}`)
    const { verificationTokensTable } = opened.tables
    expect(await errorOf(deleteExpired(opened.db, { verificationTokensTable }))).toMatchObject({ kind: 'schema' })
  })

  test('rejects with the error that a progress function throws', async () => {
    const opened = await open[dialect]()
    const thrown = new Error('mine')
    const onProgress = async () => {
      throw thrown
    }
    await expect(deleteExpired(opened.db, opened.tables, { onProgress })).rejects.toBe(thrown)
  })
})

describe.each(inject('dialects').filter((dialect) => dialect !== 'sqlite'))('deleteExpired with concurrent writes on %s', (dialect) => {
  test('keeps a session that is extended just before its deletion', async () => {
    const opened = await open[dialect]()
    await seed(opened, { ...tokensExpiring(30, ago(1_000)), 'old-7': ago(2_000) })
    const other = await opened.connect()
    const quote = dialect === 'pg' ? '"' : '`'
    await other.exec('begin')
    await other.exec(`update ${quote}session${quote} set expires = '2040-01-01 00:00:00' where ${quote}sessionToken${quote} = 'old-7'`)
    const deleting = deleteExpired(opened.db, opened.tables, { batch: 10, pause: 0 })
    await sleep(200)
    await other.exec('commit')
    await deleting
    expect(await deleteExpired(opened.db, opened.tables)).toMatchObject({ sessions: 0 })
    expect(await sessionsIn(opened)).toEqual(['old-7'])
  })
})

test.runIf(inject('dialects').includes('pg'))('deleteExpired on pg skips rows that others have locked', async () => {
  const opened = await open.pg()
  await seed(opened, tokensExpiring(30, ago(1_000)))
  const other = await opened.connect()
  await other.exec('begin')
  await other.exec(`select * from "session" where "sessionToken" = 'old-7' for update`)
  expect(await deleteExpired(opened.db, opened.tables, { batch: 10, pause: 0 })).toMatchObject({ sessions: 29, finished: true })
  await other.exec('rollback')
  expect(await deleteExpired(opened.db, opened.tables)).toMatchObject({ sessions: 1 })
})

// If the key column ignores case, an expired row can have the same key as a live one.
describe.each(inject('dialects').filter((dialect) => dialect !== 'mysql'))('deleteExpired on %s with a case-insensitive key', (dialect) => {
  test('keeps a live row', async () => {
    const opened = await open[dialect](dialect === 'pg' ? ['create extension citext'] : [])
    const caseInsensitive = dialect === 'pg' ? 'citext' : 'text collate nocase'
    const time = dialect === 'pg' ? 'timestamp(3)' : 'integer'
    await opened.exec(`create table "session" ("sessionToken" ${caseInsensitive}, "userId" text, "expires" ${time})`)
    const { sessionsTable } = opened.tables
    await opened.db.insert(sessionsTable).values([
      { sessionToken: 'ABC', userId: 'u', expires: ago(-3_600_000) },
      { sessionToken: 'abc', userId: 'u', expires: ago(1) },
    ])
    expect(await deleteExpired(opened.db, { sessionsTable })).toMatchObject({ sessions: 1 })
    expect(await sessionsIn(opened)).toEqual(['ABC'])
  })
})

test.runIf(inject('dialects').includes('pg'))(
  'deleteExpired works with node-postgres, in a transaction, and with tables in a schema',
  async () => {
    const opened = await openPg({
      migrations: ['create schema auth', 'create table auth.session ("sessionToken" text, "userId" text, expires timestamp)'],
    })
    onTestFinished(opened.close)
    const { sessionsTable } = definePg({ table: pg.pgSchema('auth').table as unknown as typeof pg.pgTable })
    const client = new nodePg.Client({ connectionString: opened.url })
    await client.connect()
    onTestFinished(() => client.end())
    const db = drizzleNodePg({ client })
    await db.insert(sessionsTable).values([1, 2, 3].map((n) => ({ sessionToken: `s${n}`, userId: 'u', expires: ago(n) })))
    await db
      .transaction(async (transaction) => {
        expect(await deleteExpired(transaction, { sessionsTable }, { batch: 2 })).toMatchObject({ sessions: 3 })
        transaction.rollback()
      })
      .catch(() => {})
    expect(await deleteExpired(db, { sessionsTable }, { batch: 2 })).toMatchObject({ sessions: 3, finished: true })
  },
)

test('deleteExpired rejects invalid arguments', async () => {
  const { db, close } = await openSqlite()
  onTestFinished(close)
  const tables = defineSqlite()
  const sweep = deleteExpired as (...parameters: unknown[]) => Promise<unknown>
  await expectConfigError(sweep(undefined, tables), /^deleteExpired: the first argument is not a Drizzle database/)
  await expectConfigError(sweep({ select() {} }, tables), /^deleteExpired: the database is not a Drizzle database/)
  for (const none of [undefined, {}, { usersTable: tables.usersTable }])
    await expectConfigError(sweep(db, none), /neither sessionsTable nor verificationTokensTable is given/)
  await expectConfigError(sweep(db, { sessionsTable: {} }), /^deleteExpired: sessionsTable is not a Drizzle table/)
  await expectConfigError(sweep(db, definePg()), /^deleteExpired: sessionsTable is a table of pg, the database is sqlite/)
  const wrong: [unknown, RegExp][] = [
    ...[null, 5, 'batch'].map((options): [unknown, RegExp] => [options, /options must be an object/]),
    [{ batchSize: 10 }, /options\.batchSize is unknown\. There are batch, before, pause, signal, onProgress/],
    ...[0, -1, 1.5, Number.NaN, '10'].map((batch): [object, RegExp] => [{ batch }, /batch must be a whole number/]),
    ...[Date.now(), new Date(Number.NaN), '2024-01-01', null].map((before): [object, RegExp] => [
      { before },
      /before must be a valid Date/,
    ]),
    [{ before: new Date(Date.now() + 3_600_000) }, /before is in the future/],
    ...[-1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY].map((pause): [object, RegExp] => [{ pause }, /pause must be a number of milli/]),
    ...[{}, null].map((signal): [object, RegExp] => [{ signal }, /signal must be an AbortSignal/]),
    [{ onProgress: 1 }, /onProgress must be a function/],
  ]
  for (const [options, message] of wrong) await expectConfigError(sweep(db, tables, options), message)
})

async function expectConfigError(call: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await errorOf(call)
  expect(error).toBeInstanceOf(AdapterConfigError)
  expect((error as Error).message).toMatch(message)
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => expect.unreachable('it must fail'),
    (error: unknown) => error,
  )
  if (!(error instanceof AdapterConfigError)) expect(error).toBeInstanceOf(AdapterOperationError)
  return error
}

/** Columns for a date, as people write them. */
const dateColumns: Record<DialectName, Record<string, () => unknown>> = {
  pg: {
    timestamptz: () => pg.timestamp('expires_at', { mode: 'date', withTimezone: true }),
    timestamp: () => pg.timestamp('expires_at', { mode: 'date', precision: 0 }),
    date: () => pg.date('expires_at', { mode: 'date' }),
    'milliseconds as bigint': () =>
      pg.customType<{ data: Date; driverData: string }>({
        dataType: () => 'bigint',
        toDriver: (date) => `${date.getTime()}`,
        fromDriver: (value) => new Date(Number(value)),
      })('expires_at'),
  },
  mysql: {
    timestamp: () => my.timestamp('expires_at', { mode: 'date' }),
    datetime: () => my.datetime('expires_at', { mode: 'date', fsp: 6 }),
    date: () => my.date('expires_at', { mode: 'date' }),
    'milliseconds as bigint': () =>
      my.customType<{ data: Date; driverData: number }>({
        dataType: () => 'bigint',
        toDriver: (date) => date.getTime(),
        fromDriver: (value) => new Date(value),
      })('expires_at'),
  },
  sqlite: {
    seconds: () => lite.integer('expires_at', { mode: 'timestamp' }),
    milliseconds: () => lite.integer('expires_at', { mode: 'timestamp_ms' }),
    'ISO text': () =>
      lite.customType<{ data: Date; driverData: string }>({
        dataType: () => 'text',
        toDriver: (date) => date.toISOString(),
        fromDriver: (value) => new Date(value),
      })('expires_at'),
  },
}

function handwrittenTable(dialect: DialectName, name: string, token: string, expires: () => unknown): Table {
  const text = { pg: pg.text, mysql: (name: string) => my.varchar(name, { length: 191 }), sqlite: lite.text }[dialect] as (
    name: string,
  ) => never
  const create = { pg: pg.pgTable, mysql: my.mysqlTable, sqlite: lite.sqliteTable }[dialect] as unknown as (
    name: string,
    columns: object,
  ) => Table
  const key = name === 'logins' ? { sessionToken: text(token), userId: text('user_id') } : { identifier: text('who'), token: text(token) }
  return create(name, { ...key, expires: expires() })
}
