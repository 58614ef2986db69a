import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/mysql'
import { casesFor } from 'drizzle-auth-adapter/testing'
import { eq } from 'drizzle-orm'
import * as columns from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import { createPool as createCallbackPool } from 'mysql2'
import type { Pool, PoolOptions } from 'mysql2/promise'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql } from './databases.js'
import * as tables from './schema/mysql.js'

interface QueryOptions {
  typeCast?: unknown
  dateStrings?: unknown
}

const stackTraces = Error as { stackTraceLimit: number }

async function openUrl(): Promise<string> {
  const { url, close } = await openMysql()
  onTestFinished(close)
  return url
}

async function openPool(options: PoolOptions = {}): Promise<Pool> {
  const uri = await openUrl()
  const client = mysql.createPool({ uri, connectionLimit: 2, ...options })
  onTestFinished(() => client.end())
  return client
}

interface Core {
  query(options: QueryOptions, values: unknown, answer: unknown): unknown
}

/** What mysql2 is asked for below its promises from now on, and how deep stack traces are at that moment. */
function watched({ pool, connection }: { pool?: unknown; connection?: unknown }): { options: QueryOptions; limit: number }[] {
  const core = (pool ?? connection) as Core
  const seen: { options: QueryOptions; limit: number }[] = []
  const query = core.query.bind(core)
  core.query = (options, values, answer) => {
    seen.push({ options, limit: stackTraces.stackTraceLimit })
    return query(options, values, answer)
  }
  return seen
}

async function signIn(db: object) {
  const adapter = DrizzleAdapter(db as never, tables)
  const expires = new Date('2031-05-06T07:08:09.123Z')
  const user = await adapter.createUser({ email: `${crypto.randomUUID()}@example.com`, emailVerified: expires })
  const session = await adapter.createSession({ sessionToken: crypto.randomUUID(), userId: user.id, expires })
  expect(await adapter.getSessionAndUser(session.sessionToken)).toEqual({ session, user })
}

describe.runIf(inject('dialects').includes('mysql'))('with mysql2', () => {
  test('a pool’s statements call no function for each value, and take no stack trace', async () => {
    const client = await openPool()
    const seen = watched(client)
    const before = stackTraces.stackTraceLimit
    await signIn(drizzle({ client }))
    expect(seen).toHaveLength(3)
    for (const { options, limit } of seen) {
      expect(options).toMatchObject({ dateStrings: true })
      expect(options.typeCast).toBeUndefined()
      expect(limit).toBe(0)
    }
    expect(stackTraces.stackTraceLimit).toBe(before)
  })

  test('nor do those of a connection, of a transaction and of a client with callbacks', async () => {
    const client = await openPool()
    const connection = await client.getConnection()
    const onConnection = watched(connection)
    await signIn(drizzle({ client: connection }))
    expect(onConnection.map(({ options }) => options.dateStrings)).toEqual([true, true, true])
    connection.release()

    const inTransaction: unknown[] = []
    await drizzle({ client }).transaction(async (tx) => {
      const { client } = (tx as unknown as { session: { client: object } }).session
      const seen = watched(client)
      await signIn(tx)
      inTransaction.push(...seen.map(({ options }) => options.dateStrings))
    })
    expect(inTransaction).toEqual([true, true, true])

    const withCallbacks = createCallbackPool(await openUrl())
    onTestFinished(() => withCallbacks.promise().end())
    await signIn(drizzle({ client: withCallbacks }))
  })

  test('an app’s own typeCast does not reach the adapter’s rows', async () => {
    const client = await openPool({ typeCast: () => 'cast' })
    const seen = watched(client)
    const adapter = DrizzleAdapter(drizzle({ client }), tables)
    for (const c of casesFor(adapter))
      await c.run(adapter).catch((error) => Promise.reject(new Error(`${c.name}: ${error.message}`, { cause: error })))
    expect(seen.length).toBeGreaterThan(0)
    for (const { options } of seen) expect(options.typeCast).toBeTypeOf('function')
  })

  test('version 2, whose settings have no second password, is asked as Drizzle asks it', async () => {
    const client = await openPool()
    delete (client.pool.config as unknown as { connectionConfig: { password2?: unknown } }).connectionConfig.password2
    const seen = watched(client)
    await signIn(drizzle({ client }))
    expect(seen).toHaveLength(3)
    for (const { options } of seen) expect(options).not.toHaveProperty('dateStrings')
  })

  test.each<PoolOptions>([
    { dateStrings: ['DATE'] },
    { typeCast: false },
    { rowsAsArray: true },
    { namedPlaceholders: true },
    { trace: false },
  ])('a pool with %o gives the same rows', async (options) => signIn(drizzle({ client: await openPool(options) })))

  test('stack traces are as deep as before, also after a query that fails at once, and where they are frozen', async () => {
    const client = await openPool()
    const before = stackTraces.stackTraceLimit
    const own = Object.getPrototypeOf(client) as Pick<Pool, 'query'>
    const { query } = own
    onTestFinished(() => void Object.assign(own, { query }))
    const limits: number[] = []
    own.query = () => {
      limits.push(stackTraces.stackTraceLimit)
      throw new Error('at once')
    }
    const adapter = DrizzleAdapter(drizzle({ client }), tables, { retry: false })
    await expect(adapter.getUser('nobody')).rejects.toMatchObject({ kind: 'unknown' })
    expect(limits).toEqual([0])
    expect(stackTraces.stackTraceLimit).toBe(before)

    own.query = query
    Object.defineProperty(Error, 'stackTraceLimit', { writable: false })
    onTestFinished(() => void Object.defineProperty(Error, 'stackTraceLimit', { writable: true }))
    await signIn(drizzle({ client }))
    expect(stackTraces.stackTraceLimit).toBe(before)
  })

  test('what an app has put around its client is called, and learns who called it', async () => {
    const stacks: string[] = []
    const calling = (client: Pool) =>
      ((...parameters) => {
        stacks.push(String(new Error('who?').stack))
        return client.query(...(parameters as [string]))
      }) as Pool['query']
    const client = await openPool()
    await signIn(
      drizzle({ client: new Proxy(client, { get: (pool, name) => (name === 'query' ? calling(pool) : Reflect.get(pool, name)) }) }),
    )
    const { query } = client
    const wrapped = Object.assign(client, { query: calling({ query: query.bind(client) } as Pool) })
    await signIn(drizzle({ client: wrapped }))
    expect(stacks).toHaveLength(6)
    for (const stack of stacks) expect(stack.split('\n').length).toBeGreaterThan(3)
  })

  test('a client of an app’s own that has a pool is left alone', async () => {
    const pool = await openPool()
    const client = { pool, query: ((...parameters: [string]) => pool.query(...parameters)) as Pool['query'] }
    await signIn(drizzle({ client: client as unknown as Pool }))
  })

  test('an error has a stack trace of its own', async () => {
    const adapter = DrizzleAdapter(drizzle({ client: await openPool() }), tables)
    const failure = await adapter.createSession({ sessionToken: 's', userId: 'nobody', expires: new Date() }).catch((error) => error)
    expect(failure).toMatchObject({ kind: 'unknown-user' })
    expect(failure.stack).toMatch(/\n {4}at /)
  })

  test('columns of all types hold what Drizzle reads from them', async () => {
    const added = {
      aDate: columns.date('aDate'),
      dateText: columns.date('dateText', { mode: 'string' }),
      aDatetime: columns.datetime('aDatetime', { fsp: 6 }),
      datetimeText: columns.datetime('datetimeText', { mode: 'string', fsp: 6 }),
      aTimestamp: columns.timestamp('aTimestamp', { fsp: 2 }),
      timestampText: columns.timestamp('timestampText', { mode: 'string' }),
      time: columns.time('time', { fsp: 3 }),
      year: columns.year('year'),
      tiny: columns.tinyint('tiny'),
      boolean: columns.boolean('boolean'),
      int: columns.int('int', { unsigned: true }),
      bigNumber: columns.bigint('bigNumber', { mode: 'number' }),
      big: columns.bigint('big', { mode: 'bigint' }),
      decimal: columns.decimal('decimal', { precision: 30, scale: 10 }),
      float: columns.float('float'),
      double: columns.double('double'),
      json: columns.json('json'),
      char: columns.char('char', { length: 10 }),
      enumerated: columns.mysqlEnum('enumerated', ['one', 'other']),
      bytes: columns.varbinary('bytes', { length: 20 }),
    }
    const own = defineTables({ columns: { users: added } })
    const table = own.usersTable
    const { db, exec, close } = await openMysql()
    onTestFinished(close)
    await exec(`alter table user add aDate date, add dateText date, add aDatetime datetime(6), add datetimeText datetime(6),
      add aTimestamp timestamp(2) null, add timestampText timestamp null, add time time(3), add year year, add tiny tinyint, add boolean boolean,
      add \`int\` int unsigned, add bigNumber bigint, add big bigint, add \`decimal\` decimal(30, 10), add \`float\` float,
      add \`double\` double, add json json, add \`char\` char(10), add enumerated enum('one', 'other'), add bytes varbinary(20)`)
    await exec(`insert into user (id, email, aDate, dateText, aDatetime, datetimeText, aTimestamp, timestampText, time, year, tiny, boolean,
      \`int\`, bigNumber, big, \`decimal\`, \`float\`, \`double\`, json, \`char\`, enumerated, bytes) values ('full', 'full@example.com',
      '2024-02-29', '1000-01-01', '9999-12-31 23:59:59.999999', '2024-02-29 00:00:00.000001', '2024-03-31 01:30:00.12', '2024-03-31 02:30:00',
      '-12:34:56.789', 2155, -128, true, 4294967295, -9007199254740991, 9223372036854775807, '12345678901234567890.0123456789', 0.1, 0.1,
      '{"a": [1, null, "ü"]}', 'ünï', 'other', x'00ff80')`)
    await exec(`insert into user (id, email) values ('empty', 'empty@example.com')`)
    const adapter = DrizzleAdapter(db, own)
    for (const id of ['full', 'empty']) {
      const [plain] = await db.select().from(table).where(eq(table.id, id))
      expect(await adapter.getUser(id)).toEqual(plain)
      if (id === 'full') expect(Object.keys(added).filter((name) => plain?.[name as keyof typeof added] == null)).toEqual([])
    }
  })
})
