import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Query } from '../../src/query/drizzle.js'
import { committing, executeTogether, isLibsqlFile } from '../../src/sqlite/libsql.js'
import { Client, OldClient, Session, sqliteError } from './libsql-client.js'

// What is asked of a client of @libsql/client, and in which order. test/processes runs the client itself, with other processes.

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const query = (sql: string) => ({ toSQL: () => ({ sql, params: [] }) }) as unknown as Query

/** Runs statements together. Returns the calls that they took, without those that found out how the client works. */
async function execute(client: Client, ...statements: string[]) {
  const run = () => settled(executeTogether({ session: new Session(client) }, statements.map(query)))
  const { failing } = client
  client.failing = {}
  await settled(executeTogether({ session: new Session(client) }, [query('select 0')]))
  client.failing = failing
  client.calls.length = 0
  const result = await run()
  return { result, calls: client.calls }
}

async function settled(promise: Promise<unknown>) {
  const outcome = promise.catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  return outcome
}

const check = 'savepoint auth_adapter; rollback'
const beginWrite = `rollback; ${check}; begin immediate`
const beginRead = `rollback; ${check}; select 1 from sqlite_master limit 1; begin`

describe('which databases it is about', () => {
  test.each<[string, object, boolean]>([
    ['a file', { session: new Session(new Client()) }, true],
    ['a server', { session: new Session(new Client({ protocol: 'http' })) }, false],
    ['a transaction of the app, which fails at its COMMIT by itself', { session: new Session(new Client(), {}) }, false],
    ['another driver', { session: { client: new Client() } }, false],
    ['a session without a client', { session: Object.create(Session.prototype) }, false],
    ['no session', {}, false],
  ])('%s', (_, db, expected) => expect(isLibsqlFile(db)).toBe(expected))

  test.each([[''], [null]])('a database in memory, whose file is %j, is asked directly', async (file) => {
    const client = new Client({ file })
    expect(await execute(client, 'insert 1')).toEqual({ result: [1], calls: ['insert 1'] })
    expect(await execute(client, 'insert 1', 'insert 2')).toEqual({ result: [1, 1], calls: ['write: insert 1, insert 2'] })
  })

  test.each([sqliteError('TRANSACTION_CLOSED'), sqliteError('HRANA_SQLITE_ERROR'), undefined])(
    'a replica (%s) is asked directly',
    async (release) => {
      expect(await execute(new Client({ release }), 'insert 1')).toEqual({ result: [1], calls: ['insert 1'] })
    },
  )
})

describe('a query', () => {
  const queryOn = (client: Client, tx?: object) => ({ ...query('select 1'), session: new Session(client, tx) }) as unknown as Query
  const clientOf = ({ session }: Query) => (session as { client: Client }).client

  test('on a file gets a client that commits, and the session of the app keeps its own', async () => {
    const client = new Client()
    const [one, other] = [queryOn(client), queryOn(client)]
    const { session } = one
    expect(committing(one)).toBe(one)
    expect((session as unknown as Session).client).toBe(client)
    expect(one.session).toBeInstanceOf(Session)
    expect(clientOf(one)).not.toBe(client)
    // One for each client, so that statements run in turn.
    expect(clientOf(committing(other))).toBe(clientOf(one))
    expect(clientOf(committing(queryOn(new Client())))).not.toBe(clientOf(one))
    const result = clientOf(one).execute({ sql: 'insert 1', args: [] })
    expect(await settled(result)).toEqual({ rows: [{}] })
    expect(client.calls.slice(-5)).toEqual(['transaction deferred', beginWrite, 'insert 1', 'commit', 'close'])
  })

  test('elsewhere is left as it is', () => {
    for (const each of [queryOn(new Client({ protocol: 'http' })), queryOn(new Client(), {})]) {
      const { session } = each
      expect(committing(each).session).toBe(session)
    }
  })
})

describe('a file on which each transaction has a connection of its own', () => {
  test.each<[string[], string, number[]]>([
    [['insert 1'], beginWrite, [1]],
    [['select 1'], beginRead, [2]],
    [['SELECT 1'], beginRead, [1]],
    [['selected'], beginWrite, [2]],
    [['with a as (select 1) insert'], beginWrite, [1]],
    [['select 1', 'insert 2'], beginWrite, [2, 1]],
    [['select 1', 'select 2'], beginRead, [2, 2]],
  ])('%j in a transaction', async (statements, begin, result) => {
    const calls = ['transaction deferred', begin, ...statements, 'commit', 'close']
    expect(await execute(new Client(), ...statements)).toEqual({ result, calls })
  })

  test('one statement is committed before anything else in this process can run', async () => {
    const client = new Client()
    await execute(client, 'select 1')
    const { executeMultiple } = client
    client.executeMultiple = (text) => {
      if (text.includes('begin')) queueMicrotask(() => client.calls.push('the app'))
      return executeMultiple(text)
    }
    await settled(executeTogether({ session: new Session(client) }, [query('insert 1')]))
    expect(client.calls.slice(-5)).toEqual([beginWrite, 'insert 1', 'commit', 'close', 'the app'])
  })

  test('several are rolled back if one of them fails', async () => {
    const error = sqliteError('SQLITE_CONSTRAINT')
    const { result, calls } = await execute(new Client({ failing: { 'insert 2': error } }), 'insert 1', 'insert 2')
    expect(result).toBe(error)
    expect(calls).toEqual(['transaction deferred', beginWrite, 'insert 1', 'insert 2', 'rollback', 'close'])
  })

  const busy = sqliteError('SQLITE_BUSY')
  const unfinished = sqliteError('SQLITE_BUSY', 'cannot open savepoint - SQL statements in progress')
  test.each<[string, Record<string, Error>, boolean]>([
    ['a statement of the app is unfinished', { [beginWrite]: unfinished }, true],
    ['another process writes', { [beginWrite]: busy }, false],
    ['this statement is unfinished', { 'insert 1': busy }, true],
    ['this statement is unfinished, with another code', { 'insert 1': sqliteError('SQLITE_BUSY_SNAPSHOT') }, true],
    ['this statement failed', { 'insert 1': sqliteError('SQLITE_CONSTRAINT') }, false],
    ['it was another error', { 'insert 1': sqliteError('NOT_SQLITE_BUSY') }, false],
    ['only the end failed', { commit: busy }, false],
  ])('connections are opened anew if %s', async (_, failing, reconnects) => {
    const { result, calls } = await execute(new Client({ failing }), 'insert 1')
    expect(result).toBe(Object.values(failing)[0])
    expect(calls.includes('reconnect')).toBe(reconnects)
  })

  test('a client that cannot reconnect gets a new connection from a transaction', async () => {
    const { calls } = await execute(new Client({ canReconnect: false, failing: { 'insert 1': busy } }), 'insert 1')
    expect(calls.slice(-4)).toEqual(['commit', 'close', 'transaction deferred', 'close'])
  })

  test('connections are opened anew in a later turn of the event loop', async () => {
    const client = new Client({ failing: { 'insert 1': busy } })
    const failed = executeTogether({ session: new Session(client) }, [query('insert 1')]).catch(() => {})
    for (let turn = 0; turn < 50; turn++) await Promise.resolve()
    expect(client.calls).toContain('insert 1')
    expect(client.calls).not.toContain('reconnect')
    await vi.runAllTimersAsync()
    await failed
    expect(client.calls).toContain('reconnect')
  })
})

describe.each([
  ['before 0.18', (failing?: Record<string, Error>) => new OldClient({ failing: failing ?? {} })],
  ['of 0.18', (failing?: Record<string, Error>) => new Client({ hasOneConnection: true, failing: failing ?? {} })],
])('a file with one connection, and a client %s', (_, open) => {
  test('statements run between two checks', async () => {
    expect(await execute(open(), 'insert 1')).toEqual({ result: [1], calls: [`begin; ${check}`, `begin; ${check}`, 'insert 1'] })
  })

  test('connections are opened anew if the connection has an unfinished statement', async () => {
    const busy = sqliteError('SQLITE_BUSY')
    const failed = await execute(open({ [`begin; ${check}`]: busy }), 'insert 1')
    expect(failed).toEqual({ result: busy, calls: [`begin; ${check}`, 'reconnect'] })
    expect((await execute(open({ 'insert 1': busy }), 'insert 1')).calls).toContain('reconnect')
    expect((await execute(open({ 'insert 1': sqliteError('SQLITE_CONSTRAINT') }), 'insert 1')).calls).not.toContain('reconnect')
  })
})

describe('how the client works', () => {
  const probe = ['transaction deferred', 'select 1', 'close']

  test('is found out once, and not where the version tells', async () => {
    const client = new Client()
    await settled(executeTogether({ session: new Session(client) }, [query('insert 1')]))
    expect(client.calls.slice(0, 3)).toEqual(probe)
    await settled(executeTogether({ session: new Session(client) }, [query('insert 2')]))
    expect(client.calls.filter((call) => call === 'select 1')).toHaveLength(1)
    const old = new OldClient({})
    await settled(executeTogether({ session: new Session(old) }, [query('insert 1')]))
    expect(old.calls).not.toContain('transaction deferred')
  })

  test('is found out again after a failure, which is thrown', async () => {
    const error = sqliteError('SQLITE_IOERR')
    const client = new Client({ failing: { 'select 1': error } })
    expect(await settled(executeTogether({ session: new Session(client) }, [query('insert 1')]))).toBe(error)
    expect(client.calls).toEqual(probe)
    client.failing = {}
    expect(await settled(executeTogether({ session: new Session(client) }, [query('insert 1')]))).toEqual([1])
  })

  test('statements run in turn, also after one that failed', async () => {
    const client = new Client({ failing: { 'insert 1': sqliteError('SQLITE_CONSTRAINT') } })
    const outcomes = await settled(
      Promise.allSettled(['insert 1', 'insert 2'].map((text) => executeTogether({ session: new Session(client) }, [query(text)]))),
    )
    expect(outcomes).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: [1] }])
    const sent = client.calls.slice(probe.length)
    expect(sent).toEqual(['insert 1', 'insert 2'].flatMap((text) => ['transaction deferred', beginWrite, text, 'commit', 'close']))
  })
})
