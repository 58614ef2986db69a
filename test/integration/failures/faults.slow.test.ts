import { rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkSettings, DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import type pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import { expectFailure } from '../../support/fails.js'
import { migrationsOf } from '../../support/migrations.js'
import { openPool } from '../../support/pool.js'
import { openProxy } from '../../support/proxy.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'
import { startMysql } from '../../support/servers/mysql.js'
import { startPostgres } from '../../support/servers/postgres.js'
import type { PrivateServer } from '../../support/servers/server.js'

const dialects = inject('dialects')
type AnyAdapter = ReturnType<typeof DrizzleAdapter<typeof pgSchema>>
const noLog = () => {}
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

/** Restarts the server under load. All reads must succeed, and every acknowledged write must be there afterwards. */
async function expectToSurviveRestart(adapter: AnyAdapter, server: PrivateServer) {
  const acknowledged = [await adapter.createUser(newUser())]
  const failures = new Set<string>()
  let isOver = false
  const busy = Array.from({ length: 4 }, async () => {
    for (; !isOver; await sleep(5)) {
      const { id } = acknowledged[0] as { id: string }
      await adapter.getUser(id).then(
        (user) => user?.id === id || failures.add('an existing user was not found'),
        (error) => failures.add(`read: ${error.kind}`),
      )
      await adapter.createUser(newUser()).then(
        (user) => acknowledged.push(user),
        (error) => failures.add(error.kind),
      )
    }
  })
  await server.restart()
  isOver = true
  await Promise.all(busy)
  // Only writes may have failed, because their connection was lost.
  expect([...failures].filter((failure) => failure !== 'unreachable')).toEqual([])
  await expectToWork(adapter)
  for (const user of acknowledged) expect(await adapter.getUser(user.id)).toEqual(user)
}

// Retries for as long as a restart may take on a busy machine.
const longRetry = { retry: { tries: 100, within: 30_000 } }

const succeeds = (promise: Promise<unknown>) =>
  promise.then(
    () => true,
    () => false,
  )

const useConcurrently = (adapter: AnyAdapter) => Promise.all(Array.from({ length: 20 }, () => expectToWork(adapter)))

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

  test('a full pool of postgres.js queues the calls', async () => {
    const { client, adapter } = connectPg((await openUrl()).url, { max: 2 })
    const busy = [await client.reserve(), await client.reserve()]
    const waiting = useConcurrently(adapter)
    await sleep(100)
    for (const connection of busy) connection.release()
    await waiting
  })

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

  test.each(['postgres.js', 'node-postgres'])(
    'a server at its connection limit is unreachable for %s, until a connection is free',
    async (driver) => {
      const { url, admin } = await openUrl()
      const role = `r${crypto.randomUUID().replaceAll('-', '')}`
      await admin.unsafe(`create role ${role} login connection limit 1; grant all on all tables in schema public to ${role}`)
      const limited = new URL(url)
      limited.username = role
      const connect = driver === 'postgres.js' ? connectPg : connectNodePg
      onTestFinished(async () => {
        const last = postgres(url, { max: 1, onnotice: noLog })
        await last.unsafe(`drop owned by ${role}; drop role ${role}`)
        await last.end()
      })
      const holding = postgres(limited.href, { max: 1 })
      await holding`select 1`
      const { adapter } = connect(limited.href, {}, withoutRetry)
      await expectRecovery(adapter, 'unreachable', /^53300$/, () => freeConnection(holding, adapter))
    },
  )

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

  test('a server that is read-only can be read, and accepts writes again when it no longer is', async () => {
    const { client, adapter } = connectPg((await openUrl()).url)
    const user = await adapter.createUser(newUser())
    await client`set default_transaction_read_only = on`
    expect(await adapter.getUser(user.id)).toEqual(user)
    await expectRecovery(adapter, 'read-only', /^25006$/, () => client`set default_transaction_read_only = off`)
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

  describe('on a private server', () => {
    let privateServer: PrivateServer | undefined
    beforeAll(async () => {
      privateServer = await startPostgres(noLog)
      if (!privateServer) return
      const admin = postgres(privateServer.url, { max: 1 })
      for (const statement of await migrationsOf('pg')) await admin.unsafe(statement)
      await admin.end()
    })
    afterAll(() => privateServer?.stop())
    const notInstalled = 'PostgreSQL is not installed on this machine'

    test.for(['postgres.js', 'node-postgres'])('a restart is survived by %s', async (driver, { skip }) => {
      const server = privateServer ?? skip(notInstalled)
      // postgres.js 3.4 queries the array types once for each connection. If that connection is lost, the query is an unhandled rejection.
      const { adapter } =
        driver === 'postgres.js'
          ? connectPg(server.url, { max: 3, fetch_types: false }, longRetry)
          : connectNodePg(server.url, { max: 3 }, longRetry)
      await expectToSurviveRestart(adapter, server)
    })

    test('a full disk is reported as full, and accepts writes again when it has space', async ({ skip }) => {
      const server = privateServer ?? skip(notInstalled)
      const admin = postgres(server.url, { max: 1 })
      onTestFinished(() => admin.end())
      await admin`truncate "user", account, session, authenticator`
      const [row] = await admin`select pg_relation_filepath('"user"') as path`
      // Replaces the file of the table by the kernel's device that is always full.
      const file = join(server.data, row?.path)
      await rename(file, `${file}.aside`)
      await symlink('/dev/full', file)
      const { adapter } = connectPg(server.url)
      await expectRecovery(adapter, 'full', /^53100$/, async () => {
        await rename(`${file}.aside`, file)
        // Sessions that have the device open would continue to use it.
        const others = () =>
          admin`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null`
        while ((await others()).length > 0) await sleep(50)
        await sleep(100)
      })
    })
  })
})

describe.runIf(dialects.includes('mysql'))('MySQL', () => {
  async function openUrl() {
    const { url, client, run, close } = await openMysql()
    onTestFinished(close)
    const isMariadb = /mariadb/i.test(`${(await run('select version() as version'))[0]?.version}`)
    return { url, admin: client, run, isMariadb }
  }

  /** Creates an account without root's privileges. Returns a URL that uses it. */
  async function createDatabaseAccount(admin: mysql.Pool | mysql.Connection, url: string, limits = '') {
    const name = crypto.randomUUID().slice(0, 8)
    const target = new URL(url)
    await admin.query(`create user '${name}'@'%' ${limits}`)
    await admin.query(`grant all on ${target.pathname.slice(1)}.* to '${name}'@'%'`)
    onTestFinished(async () => {
      const last = await mysql.createConnection(url.replace(target.pathname, ''))
      await last.query(`drop user '${name}'@'%'`)
      await last.end()
    })
    target.username = name
    return target.href
  }

  /** Locks the users table. Returns a function that unlocks it. */
  async function lockUsers(url: string) {
    const locker = await mysql.createConnection(url)
    onTestFinished(() => locker.end())
    await locker.query('lock tables `user` write')
    return () => locker.query('unlock tables')
  }

  test('a full pool queues the calls', async () => {
    const { url } = await openUrl()
    const { client, adapter } = connectMysql(url)
    const busy = await client.getConnection()
    const waiting = useConcurrently(adapter)
    await sleep(100)
    busy.release()
    await waiting
  })

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
    const limited = await createDatabaseAccount(admin, url, 'with max_user_connections 1')
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

  test('a server that does not answer is unreachable when the limit of mysql2 is reached', async () => {
    const proxy = await openProxy((await openUrl()).url)
    onTestFinished(proxy.close)
    proxy.delayAnswers(3_000)
    const { adapter } = connectMysql(proxy.url, { connectTimeout: 1_000 }, withoutRetry)
    await expectRecovery(adapter, 'unreachable', /^ETIMEDOUT$/, async () => proxy.delayAnswers(0))
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

  describe('on a private server', () => {
    let privateServer: PrivateServer | undefined
    let admin: mysql.Connection
    let url: string
    // All tables are in one file, which cannot grow.
    const settings = ['--innodb-file-per-table=0', '--innodb-data-file-path=ibdata1:12M']
    beforeAll(async () => {
      privateServer = await startMysql(noLog, undefined, settings)
      if (!privateServer) return
      url = `${privateServer.url}/auth`
      admin = await mysql.createConnection(privateServer.url)
      await admin.query('create database auth')
      await admin.query('use auth')
      for (const statement of await migrationsOf('mysql')) await admin.query(statement)
    })
    afterAll(() => privateServer?.stop())
    const notInstalled = 'MySQL or MariaDB is not installed on this machine'

    test('a server that is read-only can be read, and accepts writes again when it no longer is', async ({ skip }) => {
      if (!privateServer) skip(notInstalled)
      const { adapter } = connectMysql(await createDatabaseAccount(admin, url))
      const user = await adapter.createUser(newUser())
      await admin.query('set global read_only = 1')
      expect(await adapter.getUser(user.id)).toEqual(user)
      await expectRecovery(adapter, 'read-only', /^1290$/, () => admin.query('set global read_only = 0'))
    })

    // This takes half a minute on MySQL 9, and a second on MariaDB.
    test('a full disk is reported as full, and accepts writes again when it has space', { timeout: 180_000 }, async ({ skip }) => {
      if (!privateServer) skip(notInstalled)
      const { adapter } = connectMysql(url)
      const user = await adapter.createUser(newUser())
      await admin.query('create table filler (text longtext)')
      const fill = (size: number) => admin.query(`insert into filler values (repeat('x', ${size}))`)
      while (await succeeds(fill(500_000)));
      const long = secret().repeat(20_000)
      const account = { userId: user.id, type: 'oauth' as const, provider: 'p', providerAccountId: secret() }
      const tokens = { access_token: long, refresh_token: long }
      await expectFailure(adapter.linkAccount({ ...account, ...tokens }), 'linkAccount', 'full', /^1114$/, [
        account.providerAccountId,
        long.slice(0, 43),
      ])
      expect(await adapter.getUser(user.id)).toEqual(user)
      // Without free space, nothing can be deleted either. So the file may grow from now on.
      settings[1] += ':autoextend'
      await admin.end()
      await privateServer?.restart()
      expect(await adapter.linkAccount({ ...account, ...tokens })).toEqual({ ...account, ...tokens })
    })

    test('a restart is survived', async ({ skip }) => {
      await expectToSurviveRestart(connectMysql(url, { connectionLimit: 3 }, longRetry).adapter, privateServer ?? skip(notInstalled))
    })
  })
})

describe.runIf(dialects.includes('sqlite'))('SQLite', () => {
  async function openAdapter() {
    const { db, client, close } = await openSqlite()
    onTestFinished(close)
    return { client, adapter: DrizzleAdapter(db, sqliteSchema) as unknown as AnyAdapter }
  }

  test('a full disk is reported as full, and accepts writes again when it has space', async () => {
    const { client, adapter } = await openAdapter()
    const user = await adapter.createUser(newUser())
    const pages = client.pragma('page_count', { simple: true })
    client.pragma(`max_page_count = ${pages}`)
    const name = secret().repeat(1_000)
    await expectFailure(adapter.updateUser({ id: user.id, name }), 'updateUser', 'full', /^SQLITE_FULL$/, [name.slice(0, 43)])
    expect(await adapter.getUser(user.id)).toEqual(user)
    client.pragma('max_page_count = 1000000')
    expect(await adapter.updateUser({ id: user.id, name })).toEqual({ ...user, name })
  })

  test('a database that is read-only can be read, and accepts writes again when it no longer is', async () => {
    const { client, adapter } = await openAdapter()
    const user = await adapter.createUser(newUser())
    client.pragma('query_only = on')
    expect(await adapter.getUser(user.id)).toEqual(user)
    await expectRecovery(adapter, 'read-only', /^SQLITE_READONLY/, async () => client.pragma('query_only = off'))
  })
})
