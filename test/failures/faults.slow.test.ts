import { rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import type pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../helpers/databases.js'
import { expectFailure } from '../helpers/fails.js'
import { migrationsOf } from '../helpers/migrations.js'
import { openPool } from '../helpers/pool.js'
import { openProxy } from '../helpers/proxy.js'
import * as mysqlSchema from '../schema/mysql.js'
import * as pgSchema from '../schema/pg.js'
import * as sqliteSchema from '../schema/sqlite.js'
import { startMysql } from '../servers/mysql.js'
import { startPostgres } from '../servers/postgres.js'
import type { PrivateServer } from '../servers/server.js'

const dialects = inject('dialects')
type AnyAdapter = ReturnType<typeof DrizzleAdapter<typeof pgSchema>>
const silent = () => {}
const once = { retry: false } as const
const secret = () => `secret-${crypto.randomUUID()}`
const newUser = () => ({ id: crypto.randomUUID(), email: `${secret()}@example.com` })

/** The call fails as it should and tells no secret, and when the fault is over the same adapter works. */
async function failsOnce(
  adapter: AnyAdapter,
  kind: Parameters<typeof expectFailure>[2],
  code: RegExp | undefined,
  over: () => Promise<unknown>,
) {
  const user = newUser()
  await expectFailure(adapter.createUser(user), 'createUser', kind, code, [user.email])
  await over()
  await works(adapter)
}

/** Ends a connection. The server notices that a moment later. */
async function givenUp(connection: { end(): Promise<unknown> }, adapter: AnyAdapter) {
  await connection.end()
  const isThere = () =>
    adapter.getUser('nobody').then(
      () => true,
      () => false,
    )
  for (const deadline = Date.now() + 10_000; !(await isThere()) && Date.now() < deadline; ) await sleep(20)
}

async function works(adapter: AnyAdapter) {
  const user = await adapter.createUser(newUser())
  expect(await adapter.getUserByEmail(user.email)).toEqual(user)
  expect(await adapter.updateUser({ id: user.id, name: 'Ada' })).toEqual({ ...user, name: 'Ada' })
}

/** Calls all the time while the server is restarted: reads go on, and what was acknowledged is there afterwards. */
async function ridesOutRestart(adapter: AnyAdapter, server: PrivateServer) {
  const acknowledged = [await adapter.createUser(newUser())]
  const failures = new Set<string>()
  let isOver = false
  const busy = Array.from({ length: 4 }, async () => {
    for (; !isOver; await sleep(5)) {
      const { id } = acknowledged[0] as { id: string }
      await adapter.getUser(id).then(
        (user) => user?.id === id || failures.add('a user that is there was not found'),
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
  // A write that was under way when its connection was lost may have failed, and nothing else.
  expect([...failures].filter((failure) => failure !== 'unreachable')).toEqual([])
  await works(adapter)
  for (const user of acknowledged) expect(await adapter.getUser(user.id)).toEqual(user)
}

// As long as a restart may take on a busy machine.
const patient = { retry: { tries: 100, within: 30_000 } }

const isDone = (promise: Promise<unknown>) =>
  promise.then(
    () => true,
    () => false,
  )

const many = (adapter: AnyAdapter) => Promise.all(Array.from({ length: 20 }, () => works(adapter)))

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

  /** Locks the table of users, until it is told to let go. */
  async function lockUsers(url: string) {
    const rival = postgres(url, { max: 1 })
    onTestFinished(() => rival.end({ timeout: 1 }))
    await rival.unsafe('begin; lock table "user"')
    return () => rival.unsafe('rollback')
  }

  test('a full pool of postgres.js lets calls wait until they have their turn', async () => {
    const { client, adapter } = connectPg((await openUrl()).url, { max: 2 })
    const busy = [await client.reserve(), await client.reserve()]
    const waiting = many(adapter)
    await sleep(100)
    for (const connection of busy) connection.release()
    await waiting
  })

  test('a full pool of node-postgres is unreachable after its timeout, unless it has room while the call is tried again', async () => {
    const { url } = await openUrl()
    const { client, adapter } = connectNodePg(url, { max: 1, connectionTimeoutMillis: 1_000 }, once)
    const busy = await client.connect()
    await failsOnce(adapter, 'unreachable', undefined, async () => busy.release())
    const again = await client.connect()
    const waiting = works(DrizzleAdapter(drizzleNodePg({ client }), pgSchema))
    await sleep(1_500)
    again.release()
    await waiting
  })

  test.each(['postgres.js', 'node-postgres'])(
    'a server without a connection to spare for %s is unreachable, until it has one',
    async (driver) => {
      const { url, admin } = await openUrl()
      const role = `r${crypto.randomUUID().replaceAll('-', '')}`
      await admin.unsafe(`create role ${role} login connection limit 1; grant all on all tables in schema public to ${role}`)
      const limited = new URL(url)
      limited.username = role
      const connect = driver === 'postgres.js' ? connectPg : connectNodePg
      onTestFinished(async () => {
        const last = postgres(url, { max: 1, onnotice: silent })
        await last.unsafe(`drop owned by ${role}; drop role ${role}`)
        await last.end()
      })
      const holding = postgres(limited.href, { max: 1 })
      await holding`select 1`
      const { adapter } = connect(limited.href, {}, once)
      await failsOnce(adapter, 'unreachable', /^53300$/, () => givenUp(holding, adapter))
    },
  )

  test('a slow server is a timeout by its own limit, and is not asked again', async () => {
    const { url } = await openUrl()
    const { client } = connectPg(url, { connection: { statement_timeout: 500 } })
    let statements = 0
    const adapter = DrizzleAdapter(drizzlePg({ client, logger: { logQuery: () => statements++ } }), pgSchema)
    const unlock = await lockUsers(url)
    await failsOnce(adapter, 'timeout', /^57014$/, async () => {
      expect(statements).toBe(1)
      await unlock()
    })
  })

  test('a slow way to the server is a timeout by the limit of node-postgres', async () => {
    const { url } = await openUrl()
    const proxy = await openProxy(url)
    onTestFinished(proxy.close)
    const { adapter } = connectNodePg(proxy.url, { query_timeout: 1_000 })
    await works(adapter)
    proxy.delayAnswers(3_000)
    await failsOnce(adapter, 'timeout', undefined, async () => proxy.delayAnswers(0))
  })

  test('a server that does not answer is unreachable by the limit of postgres.js', async () => {
    const { url } = await openUrl()
    const proxy = await openProxy(url)
    onTestFinished(proxy.close)
    proxy.delayAnswers(3_000)
    const { adapter } = connectPg(proxy.url, { connect_timeout: 1 }, once)
    await failsOnce(adapter, 'unreachable', /^CONNECT_TIMEOUT$/, async () => proxy.delayAnswers(0))
  })

  test('a server that is read-only can be read, and is written to when it no longer is', async () => {
    const { client, adapter } = connectPg((await openUrl()).url)
    const user = await adapter.createUser(newUser())
    await client`set default_transaction_read_only = on`
    expect(await adapter.getUser(user.id)).toEqual(user)
    await failsOnce(adapter, 'read-only', /^25006$/, () => client`set default_transaction_read_only = off`)
  })

  test.each(['postgres.js', 'node-postgres'])('a connection of %s that is killed: reads go on, a write is unreachable', async (driver) => {
    const { url, admin } = await openUrl()
    const { adapter } = (driver === 'postgres.js' ? connectPg : connectNodePg)(url, {})
    const user = await adapter.createUser(newUser())
    const kill = async () => {
      const blocked = () => admin`
        select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      for (const deadline = Date.now() + 10_000; (await blocked()).length === 0; await sleep(20))
        if (Date.now() > deadline) throw new Error('no statement waits')
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
    await works(adapter)
  })

  describe('of the test’s own', () => {
    let own: PrivateServer | undefined
    beforeAll(async () => {
      own = await startPostgres(silent)
      if (!own) return
      const admin = postgres(own.url, { max: 1 })
      for (const statement of await migrationsOf('pg')) await admin.unsafe(statement)
      await admin.end()
    })
    afterAll(() => own?.stop())
    const noPrograms = 'the programs of PostgreSQL are not on this machine'

    test.for(['postgres.js', 'node-postgres'])('a restart is ridden out by %s', async (driver, { skip }) => {
      const server = own ?? skip(noPrograms)
      // What postgres.js 3.4 asks for array types, once for each connection, is an unhandled rejection where that connection is lost.
      const { adapter } =
        driver === 'postgres.js'
          ? connectPg(server.url, { max: 3, fetch_types: false }, patient)
          : connectNodePg(server.url, { max: 3 }, patient)
      await ridesOutRestart(adapter, server)
    })

    test('a full disk is said to be so, and is written to when it has space', async ({ skip }) => {
      const server = own ?? skip(noPrograms)
      const admin = postgres(server.url, { max: 1 })
      onTestFinished(() => admin.end())
      await admin`truncate "user", account, session, authenticator`
      const [row] = await admin`select pg_relation_filepath('"user"') as path`
      // The kernel's own full device stands where the table would grow.
      const file = join(server.data, row?.path)
      await rename(file, `${file}.aside`)
      await symlink('/dev/full', file)
      const { adapter } = connectPg(server.url)
      await failsOnce(adapter, 'full', /^53100$/, async () => {
        await rename(`${file}.aside`, file)
        // A session that has the device open keeps it.
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

  /** An account that may not do what root may. */
  async function ordinary(admin: mysql.Pool | mysql.Connection, url: string, limits = '') {
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

  /** Locks the table of users, until it is told to let go. */
  async function lockUsers(url: string) {
    const rival = await mysql.createConnection(url)
    onTestFinished(() => rival.end())
    await rival.query('lock tables `user` write')
    return () => rival.query('unlock tables')
  }

  test('a full pool lets calls wait, as many as its queue takes', async () => {
    const { url } = await openUrl()
    const { client, adapter } = connectMysql(url)
    const busy = await client.getConnection()
    const waiting = many(adapter)
    await sleep(100)
    busy.release()
    await waiting
  })

  test.each([{ queueLimit: 1 }, { waitForConnections: false }])(
    'a pool that refuses by %o is unreachable, unless it has room while the call is tried again',
    async (options) => {
      const { url } = await openUrl()
      const { client, adapter } = connectMysql(url, options, once)
      const busy = await client.getConnection()
      const queued = options.queueLimit ? client.query('select 1') : undefined
      await failsOnce(adapter, 'unreachable', undefined, async () => {
        busy.release()
        await queued
      })
      const again = await client.getConnection()
      const queuedAgain = options.queueLimit ? client.query('select 1') : undefined
      const waiting = works(DrizzleAdapter(drizzleMysql({ client }), mysqlSchema) as unknown as AnyAdapter)
      await sleep(200)
      again.release()
      await Promise.all([waiting, queuedAgain])
    },
  )

  test('a server without a connection to spare is unreachable, until it has one', async () => {
    const { url, admin } = await openUrl()
    const limited = await ordinary(admin, url, 'with max_user_connections 1')
    const holding = await mysql.createConnection(limited)
    const { adapter } = connectMysql(limited, {}, once)
    await failsOnce(adapter, 'unreachable', /^(1226|1203)$/, () => givenUp(holding, adapter))
  })

  test('a slow server is a timeout by its own limit, and is not asked again', async () => {
    const { url, isMariadb } = await openUrl()
    const { client } = connectMysql(url)
    client.pool.on('connection', (connection) =>
      connection.query(isMariadb ? 'set max_statement_time = 0.5' : 'set max_execution_time = 500'),
    )
    let statements = 0
    const db = drizzleMysql({ client, logger: { logQuery: () => statements++ } })
    const adapter = DrizzleAdapter(db, mysqlSchema) as unknown as AnyAdapter
    const unlock = await lockUsers(url)
    const email = `${secret()}@example.com`
    await expectFailure(adapter.getUserByEmail(email), 'getUserByEmail', 'timeout', /^(1969|3024)$/, [email])
    expect(statements).toBe(1)
    await unlock()
    await works(adapter)
  })

  test('a server that does not answer is unreachable by the limit of mysql2', async () => {
    const proxy = await openProxy((await openUrl()).url)
    onTestFinished(proxy.close)
    proxy.delayAnswers(3_000)
    const { adapter } = connectMysql(proxy.url, { connectTimeout: 1_000 }, once)
    await failsOnce(adapter, 'unreachable', /^ETIMEDOUT$/, async () => proxy.delayAnswers(0))
  })

  test('a connection that is killed: reads go on, a write is unreachable', async () => {
    const { url, admin, run } = await openUrl()
    const { adapter } = connectMysql(url)
    const user = await adapter.createUser(newUser())
    const kill = async () => {
      const blocked = () => run(`select id from information_schema.processlist where db = database() and state like 'Waiting for table%'`)
      for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(20)) {
        const [row] = await blocked()
        if (row) return admin.query(`kill ${Object.values(row)[0]}`)
      }
      throw new Error('no statement waits')
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
    await works(adapter)
  })

  describe('of the test’s own', () => {
    let own: PrivateServer | undefined
    let admin: mysql.Connection
    let url: string
    // One file for all tables, which may not grow.
    const settings = ['--innodb-file-per-table=0', '--innodb-data-file-path=ibdata1:12M']
    beforeAll(async () => {
      own = await startMysql(silent, undefined, settings)
      if (!own) return
      url = `${own.url}/auth`
      admin = await mysql.createConnection(own.url)
      await admin.query('create database auth')
      await admin.query('use auth')
      for (const statement of await migrationsOf('mysql')) await admin.query(statement)
    })
    afterAll(() => own?.stop())
    const noPrograms = 'the programs of MySQL or MariaDB are not on this machine'

    test('a server that is read-only can be read, and is written to when it no longer is', async ({ skip }) => {
      if (!own) skip(noPrograms)
      const { adapter } = connectMysql(await ordinary(admin, url))
      const user = await adapter.createUser(newUser())
      await admin.query('set global read_only = 1')
      expect(await adapter.getUser(user.id)).toEqual(user)
      await failsOnce(adapter, 'read-only', /^1290$/, () => admin.query('set global read_only = 0'))
    })

    // MySQL 9 takes half a minute for it, MariaDB a second.
    test('a full disk is said to be so, and is written to when it has space', { timeout: 180_000 }, async ({ skip }) => {
      if (!own) skip(noPrograms)
      const { adapter } = connectMysql(url)
      const user = await adapter.createUser(newUser())
      await admin.query('create table filler (text longtext)')
      const fill = (size: number) => admin.query(`insert into filler values (repeat('x', ${size}))`)
      while (await isDone(fill(500_000)));
      const long = secret().repeat(20_000)
      const account = { userId: user.id, type: 'oauth' as const, provider: 'p', providerAccountId: secret() }
      const tokens = { access_token: long, refresh_token: long }
      await expectFailure(adapter.linkAccount({ ...account, ...tokens }), 'linkAccount', 'full', /^1114$/, [
        account.providerAccountId,
        long.slice(0, 43),
      ])
      expect(await adapter.getUser(user.id)).toEqual(user)
      // Without space nothing can be removed either: the file is let grow.
      settings[1] += ':autoextend'
      await admin.end()
      await own?.restart()
      expect(await adapter.linkAccount({ ...account, ...tokens })).toEqual({ ...account, ...tokens })
    })

    test('a restart is ridden out', async ({ skip }) => {
      await ridesOutRestart(connectMysql(url, { connectionLimit: 3 }, patient).adapter, own ?? skip(noPrograms))
    })
  })
})

describe.runIf(dialects.includes('sqlite'))('SQLite', () => {
  async function openAdapter() {
    const { db, client, close } = await openSqlite()
    onTestFinished(close)
    return { client, adapter: DrizzleAdapter(db, sqliteSchema) as unknown as AnyAdapter }
  }

  test('a full disk is said to be so, and is written to when it has space', async () => {
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

  test('a database that is read-only can be read, and is written to when it no longer is', async () => {
    const { client, adapter } = await openAdapter()
    const user = await adapter.createUser(newUser())
    client.pragma('query_only = on')
    expect(await adapter.getUser(user.id)).toEqual(user)
    await failsOnce(adapter, 'read-only', /^SQLITE_READONLY/, async () => client.pragma('query_only = off'))
  })
})
