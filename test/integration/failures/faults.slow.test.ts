import { setTimeout as sleep } from 'node:timers/promises'
import { checkSettings, DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import type pg from 'pg'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg } from '../../support/databases.js'
import { expectFailure } from '../../support/fails.js'
import { openPool } from '../../support/pool.js'
import { openProxy } from '../../support/proxy.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'

const dialects = inject('dialects')
type AnyAdapter = ReturnType<typeof DrizzleAdapter<typeof pgSchema>>
const withoutRetry = { retry: false } as const
const secret = () => `secret-${crypto.randomUUID()}`
const newUser = () => ({ id: crypto.randomUUID(), email: `${secret()}@example.com` })

/** Expects that a call fails with this kind and code and shows no secret. Then `recover` ends the fault, and the same adapter must work. */
async function expectRecovery(
  adapter: AnyAdapter,
  kind: Parameters<typeof expectFailure>[2],
  code: RegExp | undefined,
  recover: () => Promise<unknown>,
) {
  const user = newUser()
  await expectFailure(adapter.createUser(user), 'createUser', kind, code, [user.email])
  await recover()
  await expectToWork(adapter)
}

/** Closes a connection, and waits until the server has noticed and the adapter can connect. */
async function freeConnection(connection: { end(): Promise<unknown> }, adapter: AnyAdapter) {
  await connection.end()
  const canConnect = () =>
    adapter.getUser('nobody').then(
      () => true,
      () => false,
    )
  for (const deadline = Date.now() + 10_000; !(await canConnect()) && Date.now() < deadline; ) await sleep(20)
}

async function expectToWork(adapter: AnyAdapter) {
  const user = await adapter.createUser(newUser())
  expect(await adapter.getUserByEmail(user.email)).toEqual(user)
  expect(await adapter.updateUser({ id: user.id, name: 'Ada' })).toEqual({ ...user, name: 'Ada' })
}

function connectNodePg(url: string, options: pg.PoolConfig, adapterOptions = {}) {
  const client = openPool({ connectionString: url, max: 1, ...options })
  onTestFinished(() => client.end())
  return { client, adapter: DrizzleAdapter(drizzleNodePg({ client }), pgSchema, adapterOptions) }
}

function connectPg(url: string, options: postgres.Options<Record<string, never>> = {}, adapterOptions = {}) {
  const client = postgres(url, { max: 1, ...options })
  onTestFinished(() => client.end({ timeout: 1 }))
  return { client, adapter: DrizzleAdapter(drizzlePg({ client }), pgSchema, adapterOptions) }
}

function connectMysql(uri: string, options: mysql.PoolOptions = {}, adapterOptions = {}) {
  const client = mysql.createPool({ uri, connectionLimit: 1, ...options })
  onTestFinished(() => client.end())
  return { client, adapter: DrizzleAdapter(drizzleMysql({ client }), mysqlSchema, adapterOptions) as unknown as AnyAdapter }
}

describe.runIf(dialects.includes('pg'))('PostgreSQL', () => {
  async function openUrl() {
    const { url, client, close } = await openPg()
    onTestFinished(close)
    return { url, admin: client }
  }

  /** Locks the users table. Returns a function that unlocks it. */
  async function lockUsers(url: string) {
    const locker = postgres(url, { max: 1 })
    onTestFinished(() => locker.end({ timeout: 1 }))
    await locker.unsafe('begin; lock table "user"')
    return () => locker.unsafe('rollback')
  }

  test('a full pool of node-postgres is unreachable after its timeout, unless a retry gets a connection', async () => {
    const { url } = await openUrl()
    const { client, adapter } = connectNodePg(url, { max: 1, connectionTimeoutMillis: 1_000 }, withoutRetry)
    const busy = await client.connect()
    await expectRecovery(adapter, 'unreachable', undefined, async () => busy.release())
    const again = await client.connect()
    const waiting = expectToWork(DrizzleAdapter(drizzleNodePg({ client }), pgSchema))
    await sleep(1_500)
    again.release()
    await waiting
  })

  test('a server at its connection limit is unreachable, until a connection is free', async () => {
    const { url, admin } = await openUrl()
    const role = `r${crypto.randomUUID().replaceAll('-', '')}`
    await admin.unsafe(`create role ${role} login connection limit 1; grant all on all tables in schema public to ${role}`)
    onTestFinished(async () => void (await admin.unsafe(`drop owned by ${role}; drop role ${role}`)))
    const limited = new URL(url)
    limited.username = role
    const holding = postgres(limited.href, { max: 1 })
    await holding`select 1`
    const { adapter } = connectPg(limited.href, {}, withoutRetry)
    await expectRecovery(adapter, 'unreachable', /^53300$/, () => freeConnection(holding, adapter))
  })

  test('a statement that exceeds the limit of the server is a timeout, and is not retried', async () => {
    const { url } = await openUrl()
    const { client } = connectPg(url, { connection: { statement_timeout: 500 } })
    let statements = 0
    const adapter = DrizzleAdapter(drizzlePg({ client, logger: { logQuery: () => statements++ } }), pgSchema)
    const unlock = await lockUsers(url)
    await expectRecovery(adapter, 'timeout', /^57014$/, async () => {
      expect(statements).toBe(1)
      await unlock()
    })
  })

  test('a slow connection is a timeout when the limit of node-postgres is reached', async () => {
    const { url } = await openUrl()
    const proxy = await openProxy(url)
    onTestFinished(proxy.close)
    const { adapter } = connectNodePg(proxy.url, { query_timeout: 1_000 })
    await expectToWork(adapter)
    proxy.delayAnswers(3_000)
    await expectRecovery(adapter, 'timeout', undefined, async () => proxy.delayAnswers(0))
  })

  test('a server that does not answer is unreachable when the limit of postgres.js is reached', async () => {
    const { url } = await openUrl()
    const proxy = await openProxy(url)
    onTestFinished(proxy.close)
    proxy.delayAnswers(3_000)
    const { adapter } = connectPg(proxy.url, { connect_timeout: 1 }, withoutRetry)
    await expectRecovery(adapter, 'unreachable', /^CONNECT_TIMEOUT$/, async () => proxy.delayAnswers(0))
  })

  test.each(['postgres.js', 'node-postgres'])('a killed connection of %s: a read is retried, a write is unreachable', async (driver) => {
    const { url, admin } = await openUrl()
    const { adapter } = (driver === 'postgres.js' ? connectPg : connectNodePg)(url, {})
    const user = await adapter.createUser(newUser())
    const kill = async () => {
      const blocked = () => admin`
        select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      for (const deadline = Date.now() + 10_000; (await blocked()).length === 0; await sleep(20))
        if (Date.now() > deadline) throw new Error('no statement waits for a lock')
    }
    let unlock = await lockUsers(url)
    const reading = adapter.getUser(user.id)
    await kill()
    await unlock()
    expect(await reading).toEqual(user)

    unlock = await lockUsers(url)
    const values = newUser()
    const writing = expectFailure(adapter.createUser(values), 'createUser', 'unreachable', /^(57P01|ECONNRESET|CONNECTION_CLOSED)$/, [
      values.email,
    ])
    await kill()
    await writing
    await unlock()
    expect(await adapter.getUserByEmail(values.email)).toBeNull()
    await expectToWork(adapter)
  })
})

describe.runIf(dialects.includes('mysql'))('MySQL', () => {
  async function openUrl() {
    const { url, client, run, close } = await openMysql()
    onTestFinished(close)
    const isMariadb = /mariadb/i.test(`${(await run('select version() as version'))[0]?.version}`)
    return { url, admin: client, run, isMariadb }
  }

  /** Locks the users table. Returns a function that unlocks it. */
  async function lockUsers(url: string) {
    const locker = await mysql.createConnection(url)
    onTestFinished(() => locker.end())
    await locker.query('lock tables `user` write')
    return () => locker.query('unlock tables')
  }

  test.each([{ queueLimit: 1 }, { waitForConnections: false }])(
    'a full pool with %o is unreachable, unless a retry gets a connection',
    async (options) => {
      const { url } = await openUrl()
      const { client, adapter } = connectMysql(url, options, withoutRetry)
      const busy = await client.getConnection()
      const queued = options.queueLimit ? client.query('select 1') : undefined
      await expectRecovery(adapter, 'unreachable', undefined, async () => {
        busy.release()
        await queued
      })
      const again = await client.getConnection()
      const queuedAgain = options.queueLimit ? client.query('select 1') : undefined
      const waiting = expectToWork(DrizzleAdapter(drizzleMysql({ client }), mysqlSchema) as unknown as AnyAdapter)
      await sleep(200)
      again.release()
      await Promise.all([waiting, queuedAgain])
    },
  )

  test('a server at its connection limit is unreachable, until a connection is free', async () => {
    const { url, admin } = await openUrl()
    const target = new URL(url)
    target.username = `r${crypto.randomUUID().slice(0, 8)}`
    await admin.query(`create user ${target.username} with max_user_connections 1`)
    await admin.query(`grant all on ${target.pathname.slice(1)}.* to ${target.username}`)
    onTestFinished(async () => void (await admin.query(`drop user ${target.username}`)))
    const limited = target.href
    const holding = await mysql.createConnection(limited)
    const { adapter } = connectMysql(limited, {}, withoutRetry)
    await expectRecovery(adapter, 'unreachable', /^(1226|1203)$/, () => freeConnection(holding, adapter))
  })

  test('a statement that exceeds the limit of the server is a timeout, and is not retried', async () => {
    const { url, isMariadb } = await openUrl()
    const { client } = connectMysql(url)
    client.pool.on('connection', (connection) =>
      connection.query(isMariadb ? 'set max_statement_time = 0.5' : 'set max_execution_time = 500'),
    )
    let statements = 0
    const db = drizzleMysql({ client, logger: { logQuery: () => statements++ } })
    await checkSettings(db)
    statements = 0
    const adapter = DrizzleAdapter(db, mysqlSchema) as unknown as AnyAdapter
    const unlock = await lockUsers(url)
    const email = `${secret()}@example.com`
    await expectFailure(adapter.getUserByEmail(email), 'getUserByEmail', 'timeout', /^(1969|3024)$/, [email])
    expect(statements).toBe(1)
    await unlock()
    await expectToWork(adapter)
  })

  test('a killed connection: a read is retried, a write is unreachable', async () => {
    const { url, admin, run } = await openUrl()
    const { adapter } = connectMysql(url)
    const user = await adapter.createUser(newUser())
    const kill = async () => {
      const blocked = () => run(`select id from information_schema.processlist where db = database() and state like 'Waiting for table%'`)
      for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(20)) {
        const [row] = await blocked()
        if (row) return admin.query(`kill ${Object.values(row)[0]}`)
      }
      throw new Error('no statement waits for a lock')
    }
    let unlock = await lockUsers(url)
    const reading = adapter.getUser(user.id)
    await kill()
    await unlock()
    expect(await reading).toEqual(user)

    unlock = await lockUsers(url)
    const values = newUser()
    const writing = expectFailure(adapter.createUser(values), 'createUser', 'unreachable', undefined, [values.email])
    await kill()
    await writing
    await unlock()
    expect(await adapter.getUserByEmail(values.email)).toBeNull()
    await expectToWork(adapter)
  })
})
