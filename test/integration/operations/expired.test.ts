import { setTimeout as sleep } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import type { ExpiredProgress } from 'drizzle-auth-adapter'
import { AdapterConfigError, deleteExpired } from 'drizzle-auth-adapter'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { connect } from '../../support/connections.js'
import type { openPg } from '../../support/databases.js'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import type * as pgSchema from '../../support/schema/pg.js'

// The dialects' types differ, but not in what the tests use. So the tests use PostgreSQL's.
type PgDatabase = Awaited<ReturnType<typeof openPg>>['db']

async function open(dialect: DialectName, migrations?: string[]) {
  /** The statements sent so far. Tests empty the list before they count. */
  const queries: string[] = []
  const logger = { logQuery: (query: string) => void queries.push(query) }
  const opened = await openDatabase(dialect, { connections: 1, logger, ...(migrations && { migrations }) })
  onTestFinished(opened.close)
  return { ...opened, queries, db: opened.db as unknown as PgDatabase, tables: opened.tables as typeof pgSchema }
}

type Opened = Awaited<ReturnType<typeof open>>

/** Opens another connection, which can block the first one with locks. */
async function connectAgain({ dialect, url }: Opened) {
  const opened = await connect[dialect](url, { connections: 1 })
  onTestFinished(opened.close)
  return { ...opened, db: opened.db as unknown as PgDatabase }
}

const now = Date.now()
const ago = (milliseconds: number) => new Date(now - milliseconds)
const live = ago(-3_600_000)

/** Creates a user with sessions and verification tokens, given as token and expiry. */
async function seed({ db, tables }: Opened, sessions: Record<string, Date>, tokens: Record<string, Date> = {}): Promise<void> {
  await db.insert(tables.usersTable).values({ id: 'u', email: 'u@example.com' })
  const rows = Object.entries(sessions).map(([sessionToken, expires]) => ({ sessionToken, userId: 'u', expires }))
  const links = Object.entries(tokens).map(([token, expires]) => ({ identifier: 'u@example.com', token, expires }))
  await db.insert(tables.sessionsTable).values(rows)
  if (links.length > 0) await db.insert(tables.verificationTokensTable).values(links)
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
  test('keeps rows that expire exactly at `before`, and accepts one table alone', async () => {
    const opened = await open(dialect)
    const before = new Date('2024-02-29T12:00:00.500Z')
    const expiries = { before: new Date(before.getTime() - 1), at: before, after: new Date(before.getTime() + 1) }
    await seed(opened, expiries, expiries)
    const { verificationTokensTable } = opened.tables
    // Test runners make dates of another realm.
    const foreign = runInNewContext(`new Date(${before.getTime()})`)
    const deleted = await deleteExpired(opened.db, { verificationTokensTable }, { before: foreign })
    expect(deleted).toEqual({ sessions: 0, verificationTokens: 1, finished: true })
    expect(await tokensIn(opened)).toEqual(['after', 'at'])
    expect(await sessionsIn(opened)).toHaveLength(3)
  })

  test('sends one statement for each batch, and one for a table without expired rows', async () => {
    const opened = await open(dialect)
    await seed(opened, { ...tokensExpiring(25, ago(1)), live })
    opened.queries.length = 0
    const progress: ExpiredProgress[] = []
    await deleteExpired(opened.db, opened.tables, { batch: 10, pause: 0, onProgress: (report) => progress.push(report) })
    expect(progress).toEqual([
      { table: 'sessions', deleted: 10 },
      { table: 'sessions', deleted: 20 },
      { table: 'sessions', deleted: 25 },
      { table: 'verificationTokens', deleted: 0 },
    ])
    // On MySQL, a statement before them checks the settings of the connection.
    expect(opened.queries.filter((query) => !query.includes('@@sql_mode'))).toHaveLength(4)
  })

  test('starts with the rows that expired first, stops when its signal is aborted, and the next call continues', async () => {
    const opened = await open(dialect)
    // Without the index, only the statement itself can determine the order.
    await opened.exec(`drop index ${opened.quote('session_expires_idx')}${dialect === 'mysql' ? ' on session' : ''}`)
    await seed(opened, { a: ago(1_000), d: ago(3_000), b: ago(500), c: ago(2_000) }, { old: ago(1) })
    const stop = new AbortController()
    // It does not wait for the end of the pause.
    const options = { batch: 2, pause: 2 ** 31 - 1, signal: stop.signal, onProgress: () => void setTimeout(() => stop.abort(), 20) }
    const first = await deleteExpired(opened.db, opened.tables, options)
    expect(first).toEqual({ sessions: 2, verificationTokens: 0, finished: false })
    expect(await sessionsIn(opened)).toEqual(['a', 'b'])
    const second = await deleteExpired(opened.db, opened.tables)
    expect(second).toEqual({ sessions: 2, verificationTokens: 1, finished: true })
  })

  test('counts each row once, however many sweeps run at the same time', async () => {
    const opened = await open(dialect)
    await seed(opened, { ...tokensExpiring(500, ago(1)), live }, tokensExpiring(100, ago(1)))
    const others = await Promise.all([1, 2, 3].map(() => connectAgain(opened)))
    const all = await Promise.all(others.map(({ db }) => deleteExpired(db, opened.tables, { batch: 20, pause: 0 })))
    const sum = (name: 'sessions' | 'verificationTokens') => all.reduce((total, counts) => total + counts[name], 0)
    expect([sum('sessions'), sum('verificationTokens')]).toEqual([500, 100])
    expect(await sessionsIn(opened)).toEqual(['live'])
    expect(await tokensIn(opened)).toEqual([])
  })
})

describe.each(inject('dialects').filter((dialect) => dialect !== 'sqlite'))('deleteExpired with concurrent writes on %s', (dialect) => {
  test('keeps a session that is extended just before its deletion', async () => {
    const opened = await open(dialect)
    await seed(opened, { ...tokensExpiring(30, ago(1_000)), 'old-7': ago(2_000) })
    const other = await connectAgain(opened)
    await other.exec('begin')
    await other.exec(`update session set expires = '2040-01-01 00:00:00' where ${opened.quote('sessionToken')} = 'old-7'`)
    const deleting = deleteExpired(opened.db, opened.tables, { batch: 10, pause: 0 })
    await sleep(200)
    await other.exec('commit')
    await deleting
    await deleteExpired(opened.db, opened.tables)
    expect(await sessionsIn(opened)).toEqual(['old-7'])
  })
})

test.runIf(inject('dialects').includes('pg'))('deleteExpired on pg skips rows that others have locked', async () => {
  const opened = await open('pg')
  await seed(opened, tokensExpiring(30, ago(1_000)))
  const other = await connectAgain(opened)
  await other.exec('begin')
  await other.exec(`select * from "session" where "sessionToken" = 'old-7' for update`)
  expect(await deleteExpired(opened.db, opened.tables, { batch: 10, pause: 0 })).toMatchObject({ sessions: 29, finished: true })
  await other.exec('rollback')
  expect(await deleteExpired(opened.db, opened.tables)).toMatchObject({ sessions: 1 })
})

// If the key column ignores case, an expired row can have the same key as a live one.
test.each(inject('dialects').filter((dialect) => dialect !== 'mysql'))(
  'deleteExpired on %s keeps a live row whose key is equal under the collation',
  async (dialect) => {
    const opened = await open(dialect, dialect === 'pg' ? ['create extension citext'] : [])
    const [key, time] = dialect === 'pg' ? ['citext', 'timestamp(3)'] : ['text collate nocase', 'integer']
    await opened.exec(`create table session ("sessionToken" ${key}, "userId" text, expires ${time})`)
    const { sessionsTable } = opened.tables
    await opened.db.insert(sessionsTable).values([
      { sessionToken: 'ABC', userId: 'u', expires: live },
      { sessionToken: 'abc', userId: 'u', expires: ago(1) },
    ])
    expect(await deleteExpired(opened.db, { sessionsTable })).toMatchObject({ sessions: 1 })
    expect(await sessionsIn(opened)).toEqual(['ABC'])
  },
)

describe.runIf(inject('dialects').includes('sqlite'))('deleteExpired', () => {
  test('lets other work run between batches, also with a driver that blocks', async () => {
    const opened = await open('sqlite')
    await seed(opened, tokensExpiring(20, ago(1)))
    let turns = 0
    const turning = setInterval(() => turns++, 1)
    onTestFinished(() => clearInterval(turning))
    await deleteExpired(opened.db, opened.tables, { batch: 1, pause: 0 })
    expect(turns).toBeGreaterThan(5)
  })

  test('rejects invalid arguments', async () => {
    const { db, tables } = await open('sqlite')
    const sweep = deleteExpired as (...parameters: unknown[]) => Promise<unknown>
    const { verificationTokensTable } = tables
    const wrong: [unknown[], RegExp][] = [
      [[undefined, tables], /the first argument is not a Drizzle database/],
      [[db, { usersTable: tables.usersTable }], /neither sessionsTable nor verificationTokensTable is given/],
      [
        [db, { sessionsTable: verificationTokensTable }],
        /the table verificationToken has no column expiresAt\. Auth\.js has a table session with sessionToken/,
      ],
      [[db, definePg()], /the database is sqlite, the tables are of pg/],
      [[db, tables, { batchSize: 10 }], /options\.batchSize is unknown\. There are batch, before, pause, signal, onProgress/],
      [[db, tables, { batch: 0 }], /batch must be a whole number/],
      [[db, tables, { before: '2024-01-01' }], /before must be a valid Date/],
      [[db, tables, { before: new Date(Date.now() + 3_600_000) }], /before is in the future/],
      [[db, tables, { pause: -1 }], /pause must be a number of milliseconds/],
    ]
    for (const [parameters, message] of wrong) {
      const error = await sweep(...parameters).catch((error) => error)
      expect(error).toBeInstanceOf(AdapterConfigError)
      expect((error as Error).message).toMatch(message)
    }
  })
})
