import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import * as pg from 'drizzle-auth-adapter/pg'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { Cache } from 'drizzle-orm/cache/core'
import { drizzle as drizzleProxy } from 'drizzle-orm/mysql-proxy'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { text } from 'drizzle-orm/pg-core'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { makeAdapter, openMysql, openPg, openSqlite } from '../../support/databases.js'
import { openPool } from '../../support/pool.js'
import { openProxy } from '../../support/proxy.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'

const dialects = inject('dialects')

describe.runIf(dialects.includes('mysql'))('on MySQL', () => {
  test('a write in a transaction whose connection is lost did not happen', async () => {
    const { url, run, close } = await openMysql()
    onTestFinished(close)
    const proxy = await openProxy(url)
    onTestFinished(proxy.close)
    const client = mysql.createPool({ uri: proxy.url, connectionLimit: 1 })
    onTestFinished(() => client.end())
    const db = drizzleMysql({ client } as never) as unknown as { transaction(run: (tx: object) => Promise<void>): Promise<void> }
    await makeAdapter(db, mysqlSchema).getUser('ada')
    let failure: unknown
    const committed = db.transaction(async (tx) => {
      // At the read of the row that was written.
      proxy.loseAt(2, 'request')
      failure = await makeAdapter(tx, mysqlSchema)
        .createUser({ email: 'ada@example.com' })
        .catch((error) => error)
    })
    await expect(committed).rejects.toThrow()
    expect(failure).toMatchObject({ kind: 'unreachable', written: false })
    expect(await run('select * from user')).toEqual([])
  })

  test('with one connection, a transaction does not pass the check of autocommit for what runs outside of it', async () => {
    const { url, close } = await openMysql()
    onTestFinished(close)
    const client = await mysql.createConnection(url)
    onTestFinished(() => client.end())
    await client.query('set autocommit = 0')
    const db = drizzleMysql({ client })
    await db.transaction(async (tx) => void (await makeAdapter(tx, mysqlSchema).getUser('ada')))
    await expect(makeAdapter(db, mysqlSchema).createUser({ email: 'ada@example.com' })).rejects.toMatchObject({ kind: 'settings' })
  })

  test('a proxy without a cache: a write is repeated after a refused connection', async () => {
    const { client, close } = await openMysql()
    onTestFinished(close)
    let refuse = false
    const db = drizzleProxy(async (sql, values, method) => {
      if (refuse && sql.startsWith('insert')) {
        refuse = false
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      }
      const [result] = await client.query({ sql, values, rowsAsArray: method === 'all' })
      return { rows: method === 'all' ? (result as unknown as unknown[]) : [result] }
    })
    const adapter = makeAdapter(db, mysqlSchema)
    expect(await adapter.getUser('ada')).toBeNull()
    refuse = true
    expect(await adapter.createUser({ id: 'ada', email: 'ada@example.com' })).toMatchObject({ id: 'ada' })
  })
})

/** A cache that cannot be told of a write. */
class BrokenCache extends Cache {
  constructor(readonly code: string) {
    super()
  }
  strategy() {
    return 'explicit' as const
  }
  async get() {
    return undefined
  }
  async put() {}
  async onMutate() {
    await sleep(50)
    throw Object.assign(new Error('of the cache'), { code: this.code })
  }
}

describe.runIf(dialects.includes('pg'))('on PostgreSQL', () => {
  test.each(['40001', '53300', '26000'])('a write is not repeated if the cache fails with %s', async (code) => {
    const { url, exec, run, close } = await openPg()
    onTestFinished(close)
    const client = openPool({ connectionString: url, max: 2 })
    onTestFinished(() => client.end())
    const user = await makeAdapter(drizzleNodePg({ client }), pgSchema).createUser({ email: 'ada@example.com' })
    await exec('create table writes (one int)')
    await exec(`create function noted() returns trigger language plpgsql as 'begin insert into writes values (1); return null; end'`)
    await exec('create trigger noted after update on "user" for each row execute function noted()')
    const adapter = makeAdapter(drizzleNodePg({ client, cache: new BrokenCache(code) }), pgSchema, { retry: { tries: 3 } })
    expect(await adapter.getUser(user.id)).toEqual(user)
    await adapter.updateUser({ id: user.id, name: 'Ada' }).catch(() => {})
    await sleep(200)
    expect(await run('select * from writes')).toHaveLength(1)
  })

  test('a column with an empty default and $onUpdate has its default in each new row', async () => {
    const tags = () =>
      text()
        .default('')
        .$onUpdate(() => 'updated')
    const tables = pg.defineTables({ columns: { users: { tag: tags() } } })
    const { db, exec, close } = await openPg()
    onTestFinished(close)
    await exec(`alter table "user" add tag text default ''`)
    const adapter = makeAdapter(db, tables)
    for (const email of ['ada@example.com', 'eva@example.com']) expect(await adapter.createUser({ email })).toMatchObject({ tag: '' })
  })
})

describe.runIf(dialects.includes('sqlite'))('on SQLite', () => {
  test.each([{ tries: undefined }, { within: undefined }, { tries: undefined, within: undefined }])(
    'an undefined limit of retries is the default: %o',
    async (retry) => {
      const { client: writer, close } = await openSqlite()
      let tries = 0
      const client = new Database(writer.name, { timeout: 0 })
      onTestFinished(async () => {
        client.close()
        await close()
      })
      const logger = { logQuery: (statement: string) => void (statement.startsWith('insert') && tries++) }
      writer.exec('begin immediate')
      vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] })
      vi.spyOn(Math, 'random').mockReturnValue(0)
      onTestFinished(() => {
        vi.useRealTimers()
        vi.restoreAllMocks()
      })
      const adapter = makeAdapter(drizzleSqlite({ client, logger }), sqliteSchema, { retry: retry as object })
      const creating = adapter.createUser({ email: 'a@example.com' }).catch(() => {})
      await vi.advanceTimersByTimeAsync(60_000)
      writer.exec('commit')
      await vi.advanceTimersByTimeAsync(2_000)
      await creating
      expect(tries).toBe(15)
    },
  )
})
