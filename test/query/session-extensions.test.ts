import Database from 'better-sqlite3'
import type { Table } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { integer } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { models } from '../../src/contract.js'
import { sessionExtensions } from '../../src/extensions.js'
import { pg } from '../../src/pg/dialect.js'
import { defineTables as definePg } from '../../src/pg/tables.js'
import type { Dialect, Writes } from '../../src/query/dialect.js'
import type { Database as DrizzleDatabase } from '../../src/query/drizzle.js'
import { Failure } from '../../src/query/errors.js'
import { createRows } from '../../src/query/rows.js'
import { secretsAtRest } from '../../src/secrets/index.js'
import { hashWith } from '../../src/secrets/sessions.js'
import { sqlite } from '../../src/sqlite/dialect.js'
import { defineTables } from '../../src/sqlite/tables.js'

// The sessions that users see and revoke. test/extensions/ tests the operations on every database.

const now = new Date('2030-01-01T12:00:00Z')
const { sessionsTable } = defineTables({ columns: { sessions: { visits: integer() } } })
const secrets = secretsAtRest({ sessionTokens: 'migrating' })
const hash = hashWith(undefined)

beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

function extensionsOf(db: unknown, dialect: Dialect, table: Table, writes: Partial<Writes>, isProtected = false) {
  const connection = { db: db as DrizzleDatabase, sql: dialect.sql, writes: dialect.writes, retry: false as const }
  const rows = createRows(connection, table, models.sessions, ['sessionToken'], (statements) =>
    isProtected ? secrets.protect('sessions', statements, dialect.sql) : undefined,
  )
  return sessionExtensions(rows, { ...dialect.writes, ...writes })
}

interface Options {
  /** Called before each deletion, as if another client came first. Returns what the deletion must report, if it is not to run. */
  before?: () => unknown
}

/** A table of sessions, for an adapter that stores tokens as they are and for one that hashes them. */
function openSessions({ before = () => undefined }: Options = {}) {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  client.exec('create table session (sessionToken text primary key, userId text, expires integer, visits integer)')
  const calls = { remove: 0 }
  const remove: Writes['remove'] = async (...parameters) => {
    if (++calls.remove > 9) throw new Error('called too often')
    const reported = await before()
    return reported === undefined ? sqlite.writes.remove(...parameters) : (reported as null)
  }
  const extensions = (isProtected: boolean) => extensionsOf(drizzle({ client }), sqlite, sessionsTable as Table, { remove }, isProtected)
  return {
    plain: extensions(false),
    hashing: extensions(true),
    calls,
    exec: (statement: string) => void client.exec(statement),
    insert: (sessionToken: string, { expiresIn = 1000, userId = 'ada' } = {}) =>
      void client.prepare('insert into session values (?, ?, ?, 7)').run(sessionToken, userId, now.getTime() + expiresIn),
    hashToken: async (token: string) =>
      void client.prepare('update session set sessionToken = ? where sessionToken = ?').run(await hash(token), token),
    tokens: () => client.prepare('select sessionToken from session order by 1').pluck().all(),
  }
}

describe('listSessions', () => {
  test('gives the unexpired sessions of the user, latest expiry first, without tokens', async () => {
    const { insert, plain } = openSessions()
    for (const [token, expiresIn] of [
      ['b', 2],
      ['expired', -1],
      ['now', 0],
      ['c', 3],
      ['a', 1],
    ] as const)
      insert(token, { expiresIn })
    insert('other', { userId: 'eva' })
    const sessions = await plain.listSessions('ada')
    expect(sessions).toEqual(
      [3, 2, 1].map((milliseconds) => ({
        id: expect.stringMatching(/^[\w-]{43}$/),
        expires: new Date(now.getTime() + milliseconds),
        visits: 7,
        current: false,
      })),
    )
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(3)
  })

  test.each(['plain', 'hashing'] as const)('marks the session whose token is given: %s', async (name) => {
    const sessions = openSessions()
    for (const token of ['null', 'undefined', 't']) sessions.insert(token)
    await sessions.hashToken(name === 'hashing' ? 't' : '')
    const current = async (token?: unknown) => {
      const listed = await sessions[name].listSessions('ada', { current: token as string })
      return listed.filter((each) => each.current).length
    }
    expect(await current('t')).toBe(1)
    expect(await current('x')).toBe(0)
    for (const none of [undefined, null, 5, {}]) expect(await current(none)).toBe(0)
  })

  test('the ids stay the same when tokens are hashed, and are not what is stored', async () => {
    const { insert, plain, hashing, hashToken } = openSessions()
    insert('t')
    const [before] = await plain.listSessions('ada', { current: 't' })
    expect(await hashing.listSessions('ada', { current: 't' })).toEqual([before])
    await hashToken('t')
    expect(await hashing.listSessions('ada', { current: 't' })).toEqual([before])
    expect(await hash('t')).not.toContain(before?.id)
  })
})

describe('revokeSession', () => {
  const idOf = async ({ plain }: ReturnType<typeof openSessions>, token: string) =>
    (await plain.listSessions('ada', { current: token })).find(({ current }) => current)?.id as string

  test('deletes the session with this id, and no other', async () => {
    const sessions = openSessions()
    for (const token of ['a', 'b', 'c']) sessions.insert(token)
    const id = await idOf(sessions, 'b')
    expect(await sessions.plain.revokeSession('eva', id)).toBe(false)
    expect(await sessions.plain.revokeSession(undefined as never, id)).toBe(false)
    expect(await sessions.plain.revokeSession('ada', 'b')).toBe(false)
    expect(sessions.calls.remove).toBe(0)
    expect(await sessions.plain.revokeSession('ada', id)).toBe(true)
    expect(sessions.tokens()).toEqual(['a', 'c'])
    expect(await sessions.plain.revokeSession('ada', id)).toBe(false)
  })

  test('deletes a session that is hashed in between', async () => {
    const sessions = openSessions({ before: () => sessions.hashToken('a') })
    for (const token of ['a', 'b']) sessions.insert(token)
    expect(await sessions.hashing.revokeSession('ada', await idOf(sessions, 'a'))).toBe(true)
    expect(sessions.tokens()).toEqual(['b'])
    expect(sessions.calls.remove).toBe(2)
  })

  test('does not delete a session that another user gets in between', async () => {
    const sessions = openSessions({ before: () => sessions.exec("update session set userId = 'eva'") })
    sessions.insert('a')
    expect(await sessions.plain.revokeSession('ada', await idOf(sessions, 'a'))).toBe(false)
    expect(sessions.tokens()).toEqual(['a'])
  })

  test('gives up after the second try', async () => {
    const sessions = openSessions({ before: () => null })
    sessions.insert('a')
    expect(await sessions.plain.revokeSession('ada', await idOf(sessions, 'a'))).toBe(false)
    expect(sessions.calls.remove).toBe(2)
  })
})

describe('revokeSessions', () => {
  test.each([
    ['all', undefined, 3, ['other']],
    ['all, if the token is unknown', { except: 'x' }, 3, ['other']],
    ['all, if the token belongs to somebody else', { except: 'other' }, 3, ['other']],
    ['all but the one with the token', { except: 'b' }, 2, ['b', 'other']],
  ])('deletes %s', async (_case, options, count, left) => {
    const { insert, plain, tokens } = openSessions()
    for (const [index, token] of ['a', 'b', 'c'].entries()) insert(token, { expiresIn: index - 1 })
    insert('other', { userId: 'eva' })
    for (const nobody of [undefined, null, {}]) expect(await plain.revokeSessions(nobody as never, options)).toBe(0)
    expect(await plain.revokeSessions('ada', options)).toBe(count)
    expect(tokens()).toEqual(left)
  })

  test('keeps the session in either form', async () => {
    const { insert, hashing, hashToken, tokens } = openSessions()
    for (const token of ['a', 'b', 'c']) insert(token)
    await hashToken('b')
    expect(await hashing.revokeSessions('ada', { except: 'b' })).toBe(2)
    expect(tokens()).toEqual([await hash('b')])
    insert('d')
    expect(await hashing.revokeSessions('ada', { except: 'd' })).toBe(1)
    expect(tokens()).toEqual(['d'])
  })

  test('fails where the database does', async () => {
    const { exec, plain } = openSessions()
    exec('drop table session')
    await expect(plain.revokeSessions('ada')).rejects.toMatchObject({ kind: 'schema' })
    const invalid = new Failure('invalid')
    const failing = extensionsOf(
      drizzlePg(async () => ({ rows: [] })),
      pg,
      definePg().sessionsTable as Table,
      {
        deleteEvery: () => Promise.reject(invalid),
      },
    )
    await expect(failing.revokeSessions('ada')).rejects.toBe(invalid)
  })

  test('a user id that the column cannot be compared with has no sessions', async () => {
    const db = drizzlePg(async (_statement, parameters) => {
      if (parameters.includes('ada')) throw Object.assign(new Error('invalid input syntax for type uuid'), { code: '22P02' })
      return { rows: [] }
    })
    expect(await extensionsOf(db, pg, definePg().sessionsTable as Table, {}).revokeSessions('ada')).toBe(0)
  })
})
