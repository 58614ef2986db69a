import { sql } from 'drizzle-orm'
import { Cache } from 'drizzle-orm/cache/core'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { models } from '../../src/contract.js'
import { pg as postgres } from '../../src/pg/dialect.js'
import { createCodec } from '../../src/query/codec.js'
import type { SqlDialect, TableStatements } from '../../src/query/dialect.js'
import type { Database as AnyDatabase } from '../../src/query/drizzle.js'
import { createStatements } from '../../src/query/statements.js'
import { sqlite } from '../../src/sqlite/dialect.js'
import { open } from './people.js'

// What happens when a statement fails, and what it must not read.

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** What the call throws, sooner or later; otherwise what it returns. */
async function outcomeOf(call: () => unknown): Promise<unknown> {
  const outcome = (async () => call())().catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  return outcome
}

const failure = (kind: string, details: object = {}) => expect.objectContaining({ kind, details: expect.objectContaining(details) })

const expires = new Date(4e12)

type Opened = ReturnType<typeof open>

describe('the failure of a statement', () => {
  test.each<[string, (opened: Opened) => unknown, string, object]>([
    ['a key that exists', ({ users }) => users.insert({ id: '1', email: 'x@example.com' }), 'duplicate', { column: 'person_id' }],
    [
      'a row of an unknown user',
      ({ sessions }) => sessions.insert({ sessionToken: 's', userId: '9', expires }),
      'unknown-user',
      { column: 'owner' },
    ],
    ['a row that gets an unknown user', ({ sessions }) => sessions.update({ sessionToken: 'token' }, { userId: '9' }), 'unknown-user', {}],
    ['another reference', ({ users }) => users.update({ id: '1' }, { friend: '9' }), 'invalid', { table: 'people' }],
    ['another reference of a new row', ({ users }) => users.insert({ id: '3', email: 'x@example.com', friend: '9' }), 'invalid', {}],
    [
      'a value that its column cannot encode',
      ({ sessions }) => sessions.insert({ sessionToken: 's', userId: '1', expires: 'x' }),
      'unknown',
      { table: 'sessions' },
    ],
    ['a row that others refer to', ({ users }) => users.delete({ id: '1' }), 'still-referenced', { table: 'people' }],
    ['rows that others refer to', ({ users }) => users.deleteAll({ id: '1' }), 'still-referenced', { table: 'people' }],
    [
      'rows that the caller deletes',
      ({ users, db }) => users.run('delete', () => db.delete(users.table).returning({ one: sql`1` })),
      'still-referenced',
      {},
    ],
  ])('tells of %s', async (_name, call, kind, details) => {
    const opened = open()
    expect(await outcomeOf(() => call(opened))).toEqual(failure(kind, details))
  })

  test('tells of what the caller attempts, whether it fails now or later', async () => {
    const { users } = open()
    const busy = () => Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' })
    const later = () => Promise.reject(busy())
    const now = () => {
      throw busy()
    }
    for (const run of [now, later])
      expect(await outcomeOf(() => users.attempt('delete', run))).toEqual(failure('conflict', { table: 'people', code: 'SQLITE_BUSY' }))
  })

  test.each([undefined, null, 0, 'result'])('does not hide that nothing failed: %o', async (result) => {
    const { users } = open()
    expect(users.attempt('delete', () => result)).toBe(result)
    expect(await users.attempt('delete', () => Promise.resolve(result))).toBe(result)
  })
})

describe('after a lost connection', () => {
  /** Loses the connection when the first statement is run. */
  function openLosing(limits: object | false = {}) {
    let runs = 0
    let builds = 0
    const losing: SqlDialect['prepare'] = (query, returnsRows) => {
      builds++
      const run = sqlite.sql.prepare(query, returnsRows)
      return (parameters) => {
        if (runs++ === 0) throw Object.assign(new Error('lost'), { code: 'ECONNRESET' })
        return run(parameters)
      }
    }
    const guard = sql`1 = 1`
    return { ...open({ dialect: { prepare: losing, once: losing, guard }, limits }), counts: () => ({ runs, builds }) }
  }

  test.each<[string, (opened: Opened) => unknown]>([
    ['read', ({ users }) => users.select({ id: '1' })],
    ['read with its user', ({ users, sessions }) => sessions.selectWithUser({ sessionToken: 'token' }, users)],
    ['comparison', ({ users }) => users.compare({ id: '1' })],
    ['check of the connection', ({ users }) => users.checkConnection()],
    ['delete of all rows', ({ sessions }) => sessions.deleteAll({ userId: '1' })],
    ['delete of the rows without a user', ({ users, sessions }) => sessions.deleteOrphans({ userId: '1' }, users)],
    ['read of the caller', ({ users, db }) => users.run('read', () => db.select({ one: sql`1` }).from(users.table))],
  ])('a %s is run again', async (_name, call) => {
    const opened = openLosing()
    expect(await outcomeOf(() => call(opened))).not.toBeInstanceOf(Error)
    expect(opened.counts().runs).toBe(2)
  })

  test.each<[string, (opened: Opened) => unknown]>([
    ['insert', ({ users }) => users.insert({ id: '3', email: 'eva@example.com' })],
    ['update', ({ users }) => users.update({ id: '1' }, { age: 5 })],
    ['delete', ({ sessions }) => sessions.delete({ userId: '1' })],
    ['delete of the caller', ({ users, db }) => users.run('delete', () => db.delete(users.table))],
  ])('%s is not run again, because it may have been done', async (_name, call) => {
    const opened = openLosing()
    expect(await outcomeOf(() => call(opened))).toEqual(failure('unreachable', { code: 'ECONNRESET' }))
    expect(opened.counts().runs).toBe(1)
  })

  test('nothing is run again without limits', async () => {
    const opened = openLosing(false)
    expect(await outcomeOf(() => opened.users.select({ id: '1' }))).toEqual(failure('unreachable'))
  })

  test('a statement that is kept is not built again', async () => {
    const opened = openLosing()
    expect(await outcomeOf(() => opened.users.select({ id: '1' }))).toHaveLength(1)
    expect(opened.counts()).toEqual({ runs: 2, builds: 1 })
  })
})

describe('the guard of the dialect', () => {
  const insert = ({ users }: Opened) => users.insert({ id: '3', email: 'eva@example.com' }) as [{ id: unknown }]
  const calls: [string, (opened: Opened) => unknown][] = [
    ['select', ({ users }) => users.select({ id: '1' })],
    ['selectWithUser', ({ users, sessions }) => sessions.selectWithUser({ sessionToken: 'token' }, users)],
    ['update', ({ users }) => users.update({ id: '1' }, { age: 5 })],
    ['delete', ({ sessions }) => sessions.delete({ userId: '1' })],
    [
      'run',
      ({ users, db }) =>
        users.run('read', () =>
          db
            .select({ one: sql`1` })
            .from(users.table)
            .where(users.matches({ id: '1' })),
        ),
    ],
  ]

  test.each(calls)('is part of %s', (_name, call) => {
    expect(call(open())).toHaveLength(1)
    expect(call(open({ dialect: { guard: sql`1 = 1` } }))).toHaveLength(1)
    expect(call(open({ dialect: { guard: sql`1 = 0` } }))).toHaveLength(0)
  })

  test('is part of an insert', () => {
    expect(insert(open({ dialect: { guard: sql`1 = 1` } }))[0].id).toBe('3')
    expect(insert(open({ dialect: { guard: sql`1 = 0` } }))[0].id).toBeNull()
  })

  test('is checked by itself', async () => {
    const overflowing = open({ dialect: { guard: sql`abs(-9223372036854775807 - 1)` } })
    expect(await outcomeOf(() => overflowing.users.checkConnection())).toEqual(failure('unknown'))
    const passing = open({ dialect: { guard: sql`1 = 1` } })
    expect(passing.users.checkConnection()).toHaveLength(1)
    expect(passing.built).toEqual({ prepared: 0, once: 1 })
  })

  test('needs no statement where there is none', () => {
    const { users, built } = open()
    expect(users.checkConnection()).toBeUndefined()
    expect(built).toEqual({ prepared: 0, once: 0 })
  })
})

test.each<[string, (users: TableStatements) => unknown]>([
  ['select', (users) => users.select({ id: '1' })],
  ['selectWithUser', (users) => users.selectWithUser({ id: '1' }, users)],
  ['compare', (users) => users.compare({ id: '1' })],
  ['checkConnection', (users) => users.checkConnection()],
])("%s does not read Drizzle's cache, which may be stale", async (_name, call) => {
  const keys: string[] = []
  const cache = new (class extends Cache {
    strategy() {
      return 'all' as const
    }
    async get(key: string) {
      keys.push(key)
      return undefined
    }
    async put() {}
    async onMutate() {}
  })()
  const db = drizzlePg(async () => ({ rows: [] }), { cache })
  const table = pg.pgTable('people', { id: pg.text().primaryKey(), userId: pg.text() })
  const codec = createCodec(models.users, table, postgres.sql)
  await call(createStatements(db as unknown as AnyDatabase, table, ['id'], codec, postgres.sql, false))
  expect(keys).toEqual([])
  await db.select().from(table)
  expect(keys).toHaveLength(1)
})
