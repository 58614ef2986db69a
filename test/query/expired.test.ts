import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { DeleteExpiredOptions } from '../../src/expired.js'
import { sweepExpired } from '../../src/expired.js'
import { defineTables as definePg } from '../../src/pg/tables.js'
import type { Dialect } from '../../src/query/dialect.js'
import { AdapterConfigError, AdapterOperationError } from '../../src/query/errors.js'
import { sqlite } from '../../src/sqlite/dialect.js'
import { defineTables } from '../../src/sqlite/tables.js'

// What is deleted, in which batches, and how long it takes. test/database/expired.test.ts tests `deleteExpired` on every database.

const tables = defineTables()
const now = new Date('2030-01-01T12:00:00Z').getTime()

beforeEach(() => void vi.useFakeTimers({ now }))
afterEach(() => void vi.useRealTimers())

/** A database with sessions and tokens that expire so many milliseconds from now. */
function open({ sessions = [], tokens = [] }: { sessions?: number[]; tokens?: number[] } = {}) {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  client.exec(`
    create table session (sessionToken text primary key, userId text, expires integer);
    create table verificationToken (identifier text, token text, expires integer, primary key (identifier, token))`)
  for (const [index, expires] of sessions.entries())
    client.prepare("insert into session values (?, 'ada', ?)").run(`secret-${index}`, now + expires)
  // One address and one token stand in several rows: only both together are a key.
  for (const [index, expires] of tokens.entries())
    client.prepare('insert into verificationToken values (?, ?, ?)').run(`${index >> 1}@example.com`, `secret-${index & 1}`, now + expires)
  const left = (table: string) => client.prepare(`select expires - ${now} from ${table} order by 1`).pluck().all()
  return {
    client,
    db: drizzle({ client }),
    left: () => ({ sessions: left('session'), tokens: left('verificationToken') }),
  }
}

/** Runs a sweep to its end, and tells how long it has waited. */
async function sweep(db: unknown, options?: DeleteExpiredOptions, given: object = tables, dialect: Dialect = sqlite) {
  const begin = Date.now()
  let time: number | undefined
  const result = sweepExpired(dialect, db, given, options).finally(() => {
    time = Date.now() - begin
  })
  const outcome = result.catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  return { outcome: await outcome, time }
}

describe('what is deleted', () => {
  test('what expired before now, in both tables', async () => {
    const { db, left } = open({ sessions: [-1, 0, 1, -9], tokens: [-1, 0, 1] })
    expect((await sweep(db)).outcome).toEqual({ sessions: 2, verificationTokens: 1, finished: true })
    expect(left()).toEqual({ sessions: [0, 1], tokens: [0, 1] })
  })

  test('what expired before a date', async () => {
    const { db, left } = open({ sessions: [-1, -5, -6], tokens: [-5, -6] })
    expect((await sweep(db, { before: new Date(now - 5) })).outcome).toEqual({ sessions: 1, verificationTokens: 1, finished: true })
    expect(left()).toEqual({ sessions: [-5, -1], tokens: [-5] })
  })

  test.each([
    ['sessionsTable', { sessions: 1, verificationTokens: 0 }, { sessions: [], tokens: [-1] }],
    ['verificationTokensTable', { sessions: 0, verificationTokens: 1 }, { sessions: [-1], tokens: [] }],
  ] as const)('rows of one table, if only %s is given', async (name, counts, rest) => {
    const { db, left } = open({ sessions: [-1], tokens: [-1] })
    expect((await sweep(db, {}, { [name]: tables[name], usersTable: 'ignored' })).outcome).toEqual({ ...counts, finished: true })
    expect(left()).toEqual(rest)
  })
})

describe('batches', () => {
  const past = (count: number) => Array.from({ length: count }, (_, index) => index - count)

  test.each([
    ['fewer rows than a batch', 2, 1, 0],
    ['a whole batch', 3, 2, 100],
    ['two batches and a part', 7, 3, 200],
  ])('%s: a pause after each full batch, and none after the last', async (_case, rows, batches, time) => {
    const { db, left } = open({ sessions: past(rows) })
    const progress: unknown[] = []
    const done = await sweep(db, { batch: 3, onProgress: (report) => progress.push(report) }, { sessionsTable: tables.sessionsTable })
    expect(done).toEqual({ outcome: { sessions: rows, verificationTokens: 0, finished: true }, time })
    expect(progress).toEqual(
      Array.from({ length: batches }, (_, index) => ({ table: 'sessions', deleted: Math.min(rows, 3 * (index + 1)) })),
    )
    expect(left().sessions).toEqual([])
  })

  test('delete what expired first, and progress is reported for each table', async () => {
    const { db, left } = open({ sessions: [-2, -4, -1, -3], tokens: past(5) })
    const progress: unknown[] = []
    const { outcome, time } = await sweep(db, {
      batch: 2,
      pause: 30,
      onProgress: async (report) => progress.push({ ...report, left: left()[report.table === 'sessions' ? 'sessions' : 'tokens'] }),
    })
    expect(outcome).toEqual({ sessions: 4, verificationTokens: 5, finished: true })
    expect(time).toBe(120)
    expect(progress).toEqual([
      { table: 'sessions', deleted: 2, left: [-2, -1] },
      { table: 'sessions', deleted: 4, left: [] },
      { table: 'sessions', deleted: 4, left: [] },
      { table: 'verificationTokens', deleted: 2, left: [-3, -2, -1] },
      { table: 'verificationTokens', deleted: 4, left: [-1] },
      { table: 'verificationTokens', deleted: 5, left: [] },
    ])
  })

  test('stop when the signal is aborted, and the pause with them', async () => {
    const { db, left } = open({ sessions: past(5), tokens: past(5) })
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 150)
    const { outcome, time } = await sweep(db, { batch: 2, signal: stop.signal })
    expect(outcome).toEqual({ sessions: 4, verificationTokens: 0, finished: false })
    expect(time).toBe(150)
    expect((await sweep(db, { signal: stop.signal })).outcome).toEqual({ sessions: 0, verificationTokens: 0, finished: false })
    expect(left().sessions).toEqual([-1])
  })

  test('wait for the function that progress is reported to, and fail with its error', async () => {
    const { db } = open({ sessions: past(5) })
    const { time } = await sweep(db, { onProgress: () => new Promise((resolve) => setTimeout(resolve, 40)) })
    expect(time).toBe(80)
    const error = new Error('from the app')
    expect((await sweep(db, { onProgress: () => Promise.reject(error) })).outcome).toBe(error)
  })
})

describe('arguments', () => {
  const db = drizzle({ client: new Database(':memory:') })
  const rejects = async (call: Promise<{ outcome: unknown }>, ...words: string[]) => {
    const { outcome } = await call
    expect(outcome).toBeInstanceOf(AdapterConfigError)
    for (const word of ['deleteExpired: ', ...words]) expect((outcome as Error).message).toContain(word)
  }

  test('before is a date that has passed, but for what clocks may differ', async () => {
    const { db } = open({ sessions: [59_999, 60_000] })
    for (const before of [now, '2024-01-01', null, new Date(Number.NaN), {}]) await rejects(sweep(db, { before: before as Date }), 'before')
    await rejects(sweep(db, { before: new Date(now + 60_001) }), 'future')
    expect((await sweep(db, { before: new Date(now + 60_000) })).outcome).toMatchObject({ sessions: 1 })
  })

  test('other options are checked', async () => {
    await rejects(sweep(db, { batch: 0 }), 'batch')
    await rejects(sweep(db, { batchSize: 1 } as object), 'batchSize', 'batch, before, pause, signal, onProgress')
    await rejects(sweep(db, null as never), 'object')
    const options = { batch: 1, before: new Date(), pause: 0, signal: new AbortController().signal, onProgress: () => {} }
    expect((await sweep(open().db, options)).outcome).toMatchObject({ finished: true })
  })

  test('the database and at least one table are given', async () => {
    await rejects(sweep(undefined), 'not a Drizzle database')
    for (const none of [null, {}, { usersTable: tables.usersTable }])
      await rejects(sweep(db, {}, none as object), 'neither sessionsTable nor verificationTokensTable')
    await rejects(sweep(db, {}, definePg()), 'sessionsTable is a table of pg')
    await rejects(sweep(db, {}, { sessionsTable: tables.verificationTokensTable }), 'sessionsTable has no column sessionToken')
  })
})

describe('failures', () => {
  test('are errors of the operation, and hold no value', async () => {
    const { db, client } = open({ sessions: [-1] })
    client.exec("create trigger kept before delete on session begin select raise(abort, 'secret-0 is in use'); end")
    const { outcome } = await sweep(db)
    expect(outcome).toBeInstanceOf(AdapterOperationError)
    expect(outcome).toMatchObject({ operation: 'deleteExpired', kind: 'unknown' })
    expect(String(outcome)).not.toContain('secret')
    client.exec('drop table session')
    expect((await sweep(db)).outcome).toMatchObject({ operation: 'deleteExpired', kind: 'schema' })
  })

  /** A dialect whose deletions fail with a conflict twice. */
  function conflicting() {
    let runs = 0
    const prepare: Dialect['sql']['prepare'] = (query, returnsRows) => {
      const run = sqlite.sql.prepare(query, returnsRows)
      return (parameters) => {
        if (++runs < 3) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
        return run(parameters)
      }
    }
    return { name: 'sqlite', writes: sqlite.writes, sql: { ...sqlite.sql, prepare } } satisfies Dialect
  }

  test('of a conflict with others are tried again', async () => {
    const { db } = open({ sessions: [-1] })
    expect((await sweep(db, {}, tables, conflicting())).outcome).toMatchObject({ sessions: 1, finished: true })
  })

  test('of a conflict end the transaction of the app', async () => {
    const { db } = open({ sessions: [-1] })
    const outcomes: unknown[] = []
    db.transaction((transaction) => void outcomes.push(sweep(transaction, {}, tables, conflicting())))
    expect((await (outcomes[0] as ReturnType<typeof sweep>)).outcome).toMatchObject({ kind: 'conflict' })
  })

  test('are read as the driver in use needs it', async () => {
    const { db } = open({ sessions: [-1] })
    const failures = { ...sqlite.sql.failures, codes: [[/no way/, 'denied']] as const }
    const forDriver = vi.fn(() => ({ ...sqlite.sql, failures }))
    const deleteSome = () => Promise.reject(new Error('no way'))
    const { outcome } = await sweep(db, {}, tables, { ...sqlite, forDriver, writes: { ...sqlite.writes, deleteSome } })
    expect(outcome).toMatchObject({ kind: 'denied' })
    expect(forDriver).toHaveBeenCalledWith(db, {})
  })
})
