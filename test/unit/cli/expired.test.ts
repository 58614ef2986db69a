import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { drizzle as proxy } from 'drizzle-orm/pg-proxy'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import type { ExpiringTables } from '../../../src/cli/core.js'
import { AdapterConfigError, AdapterOperationError } from '../../../src/cli/core.js'
import type { Opened } from '../../../src/cli/database.js'
import { checkTables, countExpired, deleteAll, refuseSeconds } from '../../../src/cli/expired.js'
import { defaultTables } from '../../../src/cli/tables.js'
import { migrationsOf } from '../../support/migrations.js'
import { failureOf } from './files.js'

const now = new Date('2026-01-31T12:00:00Z')

let client: Database.Database
let opened: Opened
let tables: Required<ExpiringTables>
let waits: number[]

beforeEach(async () => {
  client = new Database(':memory:')
  for (const statement of await migrationsOf('sqlite')) client.exec(statement)
  client.exec(`insert into "user" (id, email) values ('u', 'ada@example.com')`)
  opened = { db: drizzle({ client }) as never, dialect: 'sqlite', close: async () => {} }
  const { sessionsTable, verificationTokensTable } = await defaultTables('sqlite', {})
  tables = { sessionsTable, verificationTokensTable } as never
  waits = []
  vi.spyOn(timers, 'setTimeout').mockImplementation(async (milliseconds) => void waits.push(milliseconds as number) as never)
  syncBuiltinESMExports()
})
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  client.close()
})

/** Adds rows to both tables that expire at these times. */
function add(...times: number[]): void {
  for (const time of times) {
    client.prepare(`insert into session values (?, 'u', ?)`).run(crypto.randomUUID(), time)
    client.prepare(`insert into "verificationToken" values ('u', ?, ?)`).run(crypto.randomUUID(), time)
  }
}

const rows = () => ['session', 'verificationToken'].map((name) => client.prepare(`select count(*) from "${name}"`).pluck().get())

/** Has some statements fail as if the file or the connection were gone: those for which the function returns a code. */
function failWith(codeFor: (statement: string, count: number) => string | undefined): void {
  const prepare = client.prepare.bind(client)
  let count = 0
  vi.spyOn(client, 'prepare').mockImplementation((statement) => {
    const code = codeFor(statement, ++count)
    if (code) throw Object.assign(new Error('lost'), { code })
    return prepare(statement) as never
  })
}

describe('expired rows', () => {
  const time = now.getTime()

  test('are those before an instant', async () => {
    add(time - 2, time - 1, time, time + 1)
    client.exec(`delete from "verificationToken" where expires < ${time - 1}`)
    expect(await countExpired(opened, tables, now)).toEqual({ sessions: 2, verificationTokens: 1 })
    const { sessionsTable, verificationTokensTable } = tables
    expect(await countExpired(opened, { sessionsTable }, now)).toEqual({ sessions: 2, verificationTokens: 0 })
    expect(await countExpired(opened, { verificationTokensTable }, now)).toEqual({ sessions: 0, verificationTokens: 1 })
  })

  test('cannot be counted without their table', async () => {
    client.exec('drop table session')
    const failure = await failureOf(() => countExpired(opened, tables, now))
    expect(failure).toBeInstanceOf(AdapterOperationError)
    expect(failure).toMatchObject({ operation: 'sweep', kind: 'schema' })
  })

  test('are deleted, and reported batch by batch', async () => {
    add(...Array.from({ length: 5 }, (_, index) => time - 1 - index), time)
    const reported: [string, number][] = []
    const isFinished = await deleteAll(opened, tables, { batch: 2, pause: 0, before: now }, (...report) => reported.push(report))
    expect(isFinished).toBe(true)
    expect(reported).toEqual(['sessions', 'verificationTokens'].flatMap((name) => [2, 2, 1].map((count) => [name, count])))
    expect(rows()).toEqual([1, 1])
  })

  test('are not all deleted after a signal', async () => {
    add(time - 1, time - 2, time - 3)
    const stop = new AbortController()
    const limits = { batch: 1, pause: 0, before: now, signal: stop.signal }
    expect(await deleteAll(opened, tables, limits, () => stop.abort())).toBe(false)
    expect(rows()).toEqual([2, 3])
  })

  test('are deleted after the database was lost, and each is reported once', async () => {
    add(time - 1, time - 2, time - 3)
    const reported: [string, number][] = []
    // The statements for sessions, and then those for tokens, whose first one fails.
    let failures = 0
    failWith((statement) => (/delete from "verificationToken"/.test(statement) && failures++ === 0 ? 'SQLITE_IOERR' : undefined))
    const isFinished = await deleteAll(opened, tables, { batch: 2, pause: 0, before: now }, (...report) => reported.push(report))
    expect(isFinished).toBe(true)
    expect(rows()).toEqual([0, 0])
    expect(reported.filter(([, count]) => count > 0)).toEqual([
      ['sessions', 2],
      ['sessions', 1],
      ['verificationTokens', 2],
      ['verificationTokens', 1],
    ])
    expect(waits).toEqual([100])
  })
})

describe('a database that stays lost', () => {
  test('is tried four times in a row, with longer and longer pauses', async () => {
    failWith((statement) => (/delete/.test(statement) ? 'SQLITE_IOERR' : undefined))
    const failure = await failureOf(() => deleteAll(opened, tables, { before: now }, () => {}))
    expect(failure).toBeInstanceOf(AdapterOperationError)
    expect(failure).toMatchObject({ kind: 'unreachable' })
    expect(waits).toEqual([100, 200, 300])
  })

  test('may be lost more often if something was deleted in between', async () => {
    let losses = 0
    // Sessions can be deleted each time.
    failWith((statement) => (/delete from "verificationToken"/.test(statement) && ++losses <= 6 ? 'SQLITE_IOERR' : undefined))
    expect(await deleteAll(opened, tables, { before: now }, () => {})).toBe(true)
    expect(waits).toEqual([100, 100, 100, 100, 100, 100])
  })

  test('is not tried again after other failures', async () => {
    client.exec('drop table session')
    expect(await failureOf(() => deleteAll(opened, tables, { before: now }, () => {}))).toMatchObject({ kind: 'schema' })
    const error = new TypeError('of the caller')
    client.exec('create table session ("sessionToken", "userId", expires)')
    add(1)
    const failure = failureOf(() =>
      deleteAll(opened, tables, { before: now }, () => {
        throw error
      }),
    )
    expect(await failure).toBe(error)
    expect(waits).toEqual([])
  })
})

describe('tables', () => {
  test('that can be swept are left as they are', async () => {
    add(1)
    await checkTables(opened, tables)
    expect(rows()).toEqual([1, 1])
  })

  test('that cannot be swept are rejected', async () => {
    const sessionsTable = sqliteTable('session', { sessionToken: text().primaryKey() }) as never
    expect(await failureOf(() => checkTables(opened, { sessionsTable }))).toBeInstanceOf(AdapterConfigError)
  })

  test.each([
    [[], false],
    [[Date.UTC(2026, 0)], false],
    [[Date.UTC(2026, 0) / 1_000], true],
    [[Date.UTC(2026, 0), Date.UTC(2020, 0) / 1_000], true],
    [[1e9 - 1], false],
    [[1e9], true],
    [[1e10 - 1], true],
    [[1e10], false],
    [[0], false],
  ])('with %j seem to hold seconds: %s', async (times, holdSeconds) => {
    add(...times)
    for (const name of ['sessionsTable', 'verificationTokensTable'] as const) {
      const failure = await failureOf(() => refuseSeconds(opened, { [name]: tables[name] }))
      if (!holdSeconds) expect(failure).toBe('nothing')
      else expect(failure).toBeInstanceOf(Problem)
    }
    expect((await failureOf(() => refuseSeconds(opened, tables))) === 'nothing').toBe(!holdSeconds)
  })

  test('are examined for seconds in SQLite alone', async () => {
    const query = vi.fn(async () => ({ rows: [['1']] }))
    await refuseSeconds({ db: proxy(query) as never, dialect: 'pg', close: async () => {} }, tables)
    expect(query).not.toHaveBeenCalled()
  })

  test('that hold seconds in the second of them are found', async () => {
    add(1e9)
    client.exec('delete from session')
    expect(await failureOf(() => refuseSeconds(opened, tables))).toBeInstanceOf(Problem)
  })
})

test('a table of the app with a column of seconds is counted by seconds', async () => {
  add(now.getTime() / 1_000 - 1, now.getTime() / 1_000)
  const expires = integer({ mode: 'timestamp' })
  const sessionsTable = sqliteTable('session', { sessionToken: text().primaryKey(), expires }) as never
  expect(await countExpired(opened, { sessionsTable }, now)).toEqual({ sessions: 1, verificationTokens: 0 })
})
