import { setTimeout as sleep } from 'node:timers/promises'
import { checkSettings } from 'drizzle-auth-adapter'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import type pg from 'pg'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { AnyAdapter } from '../../support/databases.js'
import { makeAdapter, openDatabase } from '../../support/databases.js'
import { expectFailure } from '../../support/fails.js'
import { openPool } from '../../support/pool.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'

const withoutRetry = { retry: false } as const
const newUser = () => ({ id: crypto.randomUUID(), email: `secret-${crypto.randomUUID()}@example.com` })

/** Expects that a call fails with this kind and code and shows no secret. Then `recover` ends the fault, and the same adapter must work. */
async function expectRecovery(
  adapter: AnyAdapter,
  kind: Parameters<typeof expectFailure>[2],
  code: RegExp | undefined,
  recover: () => unknown,
) {
  const user = newUser()
  await expectFailure(adapter.createUser(user), 'createUser', kind, code, [user.email])
  await recover()
  await expectToWork(adapter)
}

async function expectToWork(adapter: AnyAdapter) {
  const user = await adapter.createUser(newUser())
  expect(await adapter.getUserByEmail(user.email)).toEqual(user)
}

async function open(dialect: 'pg' | 'mysql') {
  const opened = await openDatabase(dialect)
  onTestFinished(opened.close)
  return opened
}

/** Locks the users table. Returns a function that unlocks it. */
async function lockUsers(dialect: 'pg' | 'mysql', url: string): Promise<() => Promise<unknown>> {
  if (dialect === 'pg') {
    const locker = postgres(url, { max: 1 })
    onTestFinished(() => locker.end({ timeout: 1 }))
    await locker.unsafe('begin; lock table "user"')
    return async () => locker.unsafe('rollback')
  }
  const locker = await mysql.createConnection(url)
  onTestFinished(() => locker.end())
  await locker.query('lock tables `user` write')
  return () => locker.query('unlock tables')
}

describe.runIf(inject('dialects').includes('pg'))('PostgreSQL', () => {
  function connectNodePg(url: string, options: pg.PoolConfig) {
    const client = openPool({ connectionString: url, max: 1, ...options })
    onTestFinished(() => client.end())
    return { client, db: drizzleNodePg({ client }) }
  }

  test('a full pool of node-postgres is unreachable after its timeout, unless a retry gets a connection', async () => {
    const { url } = await open('pg')
    const { client, db } = connectNodePg(url, { connectionTimeoutMillis: 1_000 })
    const busy = await client.connect()
    await expectRecovery(makeAdapter(db, pgSchema, withoutRetry), 'unreachable', undefined, () => busy.release())
    const again = await client.connect()
    const waiting = expectToWork(makeAdapter(db, pgSchema))
    await sleep(1_500)
    again.release()
    await waiting
  })

  test('a statement that exceeds the limit of the server is a timeout, and is not retried', async () => {
    const { url } = await open('pg')
    const client = postgres(url, { max: 1, connection: { statement_timeout: 500 } })
    onTestFinished(() => client.end({ timeout: 1 }))
    let statements = 0
    const adapter = makeAdapter(drizzlePg({ client, logger: { logQuery: () => statements++ } }), pgSchema)
    const unlock = await lockUsers('pg', url)
    await expectRecovery(adapter, 'timeout', /^57014$/, () => {
      expect(statements).toBe(1)
      return unlock()
    })
  })
})

describe.runIf(inject('dialects').includes('mysql'))('MySQL', () => {
  function connectMysql(uri: string, options: mysql.PoolOptions = {}) {
    const client = mysql.createPool({ uri, connectionLimit: 1, ...options })
    onTestFinished(() => client.end())
    return client
  }

  test('a full pool is unreachable, unless a retry gets a connection', async () => {
    const { url } = await open('mysql')
    const client = connectMysql(url, { waitForConnections: false })
    const db = drizzleMysql({ client })
    const busy = await client.getConnection()
    await expectRecovery(makeAdapter(db, mysqlSchema, withoutRetry), 'unreachable', undefined, () => busy.release())
    const again = await client.getConnection()
    const waiting = expectToWork(makeAdapter(db, mysqlSchema))
    await sleep(200)
    again.release()
    await waiting
  })

  test('a statement that exceeds the limit of the server is a timeout, and is not retried', async () => {
    const { url, run } = await open('mysql')
    const [row] = await run('select version() as version')
    const limit = /mariadb/i.test(`${row?.version}`) ? 'set max_statement_time = 0.5' : 'set max_execution_time = 500'
    const client = connectMysql(url)
    client.pool.on('connection', (connection) => connection.query(limit))
    let statements = 0
    const db = drizzleMysql({ client, logger: { logQuery: () => statements++ } })
    await checkSettings(db)
    statements = 0
    const adapter = makeAdapter(db, mysqlSchema)
    const unlock = await lockUsers('mysql', url)
    await expectFailure(adapter.getUserByEmail('secret'), 'getUserByEmail', 'timeout', /^(1969|3024)$/, ['secret'])
    expect(statements).toBe(1)
    await unlock()
    await expectToWork(adapter)
  })
})
