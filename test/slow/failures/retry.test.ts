import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { AdapterOptions } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { createCounter, drivers } from '../../integration/failures/drivers.js'
import { makeAdapter, openDatabase, openPg, openSqlite } from '../../support/databases.js'
import { openProxy } from '../../support/proxy.js'
import * as pgSchema from '../../support/schema/pg.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'

const dialects = inject('dialects')

// InnoDB refreshes its list of transactions only if nobody has read it for 100 milliseconds.
async function waitUntil(condition: () => Promise<boolean> | boolean) {
  for (const deadline = Date.now() + 20_000; !(await condition()); await sleep(120))
    if (Date.now() > deadline) throw new Error('the condition was not met in time')
}

interface Transactional {
  transaction(run: (tx: object) => Promise<unknown>): Promise<unknown>
}

/** The statements of this database that wait for a lock. */
const lockWaits = {
  pg: "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  mysql: `select trx_id from information_schema.innodb_trx
    join information_schema.processlist on processlist.id = trx_mysql_thread_id where trx_state = 'LOCK WAIT' and db = database()`,
}

/** A database whose statements are counted and wait for locks only briefly, and a second connection that holds locks (the rival). */
async function openWithRival(dialect: 'pg' | 'mysql') {
  const { url, tables, quote, run, close } = await openDatabase(dialect)
  onTestFinished(close)
  const { logger, count } = createCounter()
  const waitForLock = () => waitUntil(async () => (await run(lockWaits[dialect])).length > 0)
  const shared = { tables, quote, count, waitForLock }
  if (dialect === 'pg') {
    // The connection with the shorter deadlock_timeout detects the deadlock, and is aborted.
    const client = postgres(url, { max: 10, connection: { lock_timeout: 300, deadlock_timeout: 10 } })
    const rival = postgres(url, { max: 1, connection: { deadlock_timeout: 60_000 } })
    onTestFinished(async () => void (await Promise.all([client.end(), rival.end()])))
    return { ...shared, db: drizzlePg({ client, logger }) as Transactional, rival: async (text: string) => rival.unsafe(text) }
  }
  const client = mysql.createPool({ uri: url, connectionLimit: 10 })
  client.pool.on('connection', (connection) => connection.query('set innodb_lock_wait_timeout = 1'))
  const rival = await mysql.createConnection(url)
  onTestFinished(async () => void (await Promise.all([client.end(), rival.end()])))
  return { ...shared, db: drizzleMysql({ client, logger }) as Transactional, rival: async (text: string) => rival.query(text) }
}

const servers = dialects.filter((dialect) => dialect !== 'sqlite') as ('pg' | 'mysql')[]
const conflictCode = { pg: '55P03', mysql: '1205' }

describe.each(servers)('on %s', (dialect) => {
  test('a deadlock does not reach the caller', async () => {
    const { db, tables, rival, quote, count, waitForLock } = await openWithRival(dialect)
    const adapter = makeAdapter(db, tables)
    const user = await adapter.createUser({ email: 'a@example.com' })
    for (const sessionToken of ['s1', 's2']) await adapter.createSession({ sessionToken, userId: user.id, expires: new Date() })
    const touch = (token: string) => rival(`update session set expires = now() where ${quote('sessionToken')} = '${token}'`)
    await rival('begin')
    // MySQL aborts the transaction that has changed fewer rows.
    const others = Array.from({ length: 50 }, (_, index) => `('r${index}', 'r${index}')`)
    await rival(`insert into ${quote('user')} (id, email) values ${others}`)
    await touch('s2')
    const deleting = adapter.deleteUser(user.id)
    await waitForLock()
    await touch('s1')
    await rival('commit')
    expect(await deleting).toEqual(user)
    expect(await adapter.getUser(user.id)).toBeNull()
    expect(count('delete')).toBeGreaterThan(1)
  })

  test('a lock timeout is retried, but not in a transaction', async () => {
    const { db, tables, rival, quote, count } = await openWithRival(dialect)
    const adapter = makeAdapter(db, tables)
    const user = await adapter.createUser({ email: 'a@example.com' })
    await rival('begin')
    await rival(`update ${quote('user')} set name = 'rival' where id = '${user.id}'`)
    const inTransaction = db.transaction((tx) => makeAdapter(tx, tables).updateUser({ id: user.id, name: 'Ada' }))
    await expect(inTransaction).rejects.toMatchObject({ kind: 'conflict', code: conflictCode[dialect] })
    expect(count(`update ${quote('user')}`)).toBe(1)
    const updating = adapter.updateUser({ id: user.id, name: 'Ada' })
    await waitUntil(() => count(`update ${quote('user')}`) > 2)
    await rival('commit')
    expect(await updating).toEqual({ ...user, name: 'Ada' })
  })
})

test.runIf(dialects.includes('pg'))('on pg, a statement is not repeated if the server does not know whether it did something', async () => {
  const { logger, count } = createCounter()
  const { adapter, exec, close } = await openDatabase('pg', { logger })
  onTestFinished(close)
  // statement_completion_unknown
  await exec(`create function fails() returns trigger language plpgsql as 'begin raise exception ''x'' using errcode = ''40003''; end'`)
  await exec('create trigger fails before insert on "user" for each row execute function fails()')
  await expect(adapter().createUser({ email: 'a@example.com' })).rejects.toMatchObject({ kind: 'conflict', code: '40003' })
  expect(count('insert')).toBe(1)
})

test.runIf(dialects.includes('pg'))('on pg under serializable isolation, one token has one winner and no loser gets an error', async () => {
  const { url, client: admin, close } = await openPg()
  onTestFinished(close)
  const { logger, count } = createCounter()
  const client = postgres(url, { max: 25, connection: { default_transaction_isolation: 'serializable' } })
  const rival = postgres(url, { max: 1 })
  onTestFinished(async () => void (await Promise.all([client.end(), rival.end()])))
  const adapter = DrizzleAdapter(drizzlePg({ client, logger }), pgSchema)
  const token = await adapter.createVerificationToken({ identifier: 'a', token: 't', expires: new Date(0) })
  // All connections wait for the row. When one deletes it, the others fail, because the row was changed after their snapshot.
  await rival.unsafe('begin; select * from "verificationToken" for update')
  const using = Promise.all(Array.from({ length: 50 }, () => adapter.useVerificationToken(token)))
  await waitUntil(async () => {
    const [row] =
      await admin`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return row?.n === 25
  })
  await rival.unsafe('commit')
  expect((await using).filter((answer) => answer !== null)).toEqual([token])
  expect(count('delete')).toBeGreaterThanOrEqual(50 + 24)
})

describe.runIf(dialects.includes('sqlite'))('on sqlite', () => {
  async function openBusy() {
    const { client: writer, close } = await openSqlite()
    const { logger, count } = createCounter()
    const client = new Database(writer.name, { timeout: 0 })
    onTestFinished(async () => {
      client.close()
      await close()
    })
    return { writer, count, client, db: drizzleSqlite({ client, logger }) }
  }

  test('a write is retried until the other connection has finished writing', async () => {
    const { writer, count, db } = await openBusy()
    const adapter = DrizzleAdapter(db, sqliteSchema)
    writer.exec('begin immediate')
    const creating = adapter.createUser({ email: 'a@example.com' })
    await waitUntil(async () => count('insert') > 2)
    writer.exec('commit')
    const user = await creating
    expect(writer.prepare('select email from user').all()).toEqual([{ email: 'a@example.com' }])
    expect(await adapter.getUser(user.id)).toEqual(user)
  })

  test('the number of tries and their time are limited, and the error keeps its kind and code', async () => {
    const { writer, count, db } = await openBusy()
    writer.exec('begin immediate')
    // Time passes only while the adapter waits: 10 milliseconds, then 20, 40, 80, 160, and so on.
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] })
    vi.spyOn(Math, 'random').mockReturnValue(0)
    onTestFinished(() => {
      vi.useRealTimers()
      vi.restoreAllMocks()
    })
    const error = { operation: 'createUser', kind: 'conflict', code: 'SQLITE_BUSY' }
    const countTries = async (retry: AdapterOptions['retry']) => {
      const before = count('insert')
      const creating = DrizzleAdapter(db, sqliteSchema, { retry: retry ?? {} }).createUser({ email: 'a@example.com' })
      await Promise.all([expect(creating).rejects.toMatchObject(error), vi.runAllTimersAsync()])
      return count('insert') - before
    }
    expect(await countTries(false)).toBe(1)
    expect(await countTries({ tries: 1 })).toBe(1)
    expect(await countTries({ tries: 4 })).toBe(4)
    for (const retry of [{}, { tries: undefined }, { within: undefined }]) expect(await countTries(retry as object)).toBe(15)
    // A delay that would exceed the time limit is not started.
    expect(await countTries({ within: 9 })).toBe(1)
    expect(await countTries({ within: 10 })).toBe(2)
    expect(await countTries({ tries: 1_000, within: 309 })).toBe(5)
    writer.exec('commit')
  })
})

test.for(drivers)(
  'a refused connection of $name is reported at once, and after a first success retried until the server accepts it',
  async ({ dialect, connect }) => {
    const { url, run, close } = await openDatabase(dialect)
    onTestFinished(close)
    const proxy = await openProxy(url)
    onTestFinished(proxy.close)
    await proxy.interrupt()
    const { logger, count } = createCounter()
    const adapter = connect(proxy.url, 10, logger)
    await expect(adapter.getUserByEmail('a@example.com')).rejects.toMatchObject({ kind: 'unreachable' })
    expect(count()).toBe(1)
    await proxy.resume()
    expect(await adapter.getUserByEmail('a@example.com')).toBeNull()
    await proxy.interrupt()
    const creating = (async () => {
      // The first statement may still meet a connection that is ending, after which only reads are repeated.
      await adapter.getUserByEmail('a@example.com')
      return adapter.createUser({ email: 'a@example.com' })
    })()
    const before = count()
    await waitUntil(() => count() > before + 1)
    await proxy.resume()
    await creating
    expect(await run(dialect === 'pg' ? 'select id from "user"' : 'select id from `user`')).toHaveLength(1)
  },
)
