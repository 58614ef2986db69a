// Needs MySQL or MariaDB.
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables } from 'drizzle-auth-adapter/mysql'
import * as columns from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import type { Pool, PoolOptions } from 'mysql2/promise'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { openMysql } from '../../support/databases.js'
import * as tables from '../../support/schema/mysql.js'

// A custom `queryFormat` of an app, as in mysql2's documentation.
function queryFormat(this: { escape(value: unknown): string }, statement: string, values: unknown[] = []): string {
  let index = 0
  return statement.replace(/\?/g, () => this.escape(values[index++]))
}

async function openPool(options: PoolOptions = {}): Promise<Pool> {
  const { url: uri, close } = await openMysql()
  onTestFinished(close)
  const client = mysql.createPool({ uri, connectionLimit: 2, ...options })
  onTestFinished(() => client.end())
  return client
}

describe.runIf(inject('dialects').includes('mysql'))('with mysql2', () => {
  test.each([
    ['stringifyObjects', { stringifyObjects: true }],
    ['namedPlaceholders', { namedPlaceholders: true }],
    ['a queryFormat', { queryFormat }],
  ] as [string, PoolOptions][])('any text is kept with %s', async (_, options) => {
    const adapter = DrizzleAdapter(drizzle({ client: await openPool(options) }), tables)
    const email = `o'ne"\\ü😀@example.com`
    const user = await adapter.createUser({ name: "Robert'); drop table user;--", email, emailVerified: null })
    expect(await adapter.getUserByEmail(email)).toEqual(user)
    expect(user).toMatchObject({ name: "Robert'); drop table user;--", email })
  })

  test('an object or a list that a custom type passes on is refused, because mysql2 would make SQL of it', async () => {
    const note = columns.customType<{ data: unknown }>({ dataType: () => 'varchar(99)' })
    const own = defineTables({ columns: { users: { note: note('note') } } })
    const { db, exec, run, close } = await openMysql()
    onTestFinished(close)
    await exec('alter table user add note varchar(99)')
    const adapter = DrizzleAdapter(db, own)
    const { id } = await adapter.createUser({ email: 'ada@example.com', note: 'text' })
    for (const value of [{ email: 'ada@example.com' }, ['a'], [{ email: 1 }]]) {
      await expect(adapter.createUser({ email: 'eve@example.com', note: value })).rejects.toMatchObject({ kind: 'invalid', column: 'note' })
      await expect(adapter.updateUser({ id, note: value })).rejects.toMatchObject({ kind: 'invalid', column: 'note' })
    }
    expect(await run('select note from user')).toEqual([{ note: 'text' }])
  })

  const seed = { id: 'ada', email: 'ada@example.com', emailVerified: null }
  const clients: Record<string, (pool: Pool) => Promise<{ client: object; callbacks: object; release(): void }>> = {
    'a pool': async (pool) => ({ client: pool, callbacks: pool.pool, release() {} }),
    'a connection of a pool': async (pool) => {
      const client = await pool.getConnection()
      return { client, callbacks: client.connection, release: () => client.release() }
    },
  }

  test.each(Object.entries(clients))(
    'statements go through its callbacks, and Drizzle logs each of them once, with %s',
    async (_, open) => {
      const { client, callbacks, release } = await open(await openPool())
      onTestFinished(release)
      const withPromises = vi.spyOn(Object.getPrototypeOf(client), 'query')
      const withCallbacks = vi.spyOn(callbacks as { query(): void }, 'query')
      onTestFinished(() => void vi.restoreAllMocks())
      const logged: [string, unknown[]][] = []
      const logger = { logQuery: (statement: string, values: unknown[]) => void logged.push([statement, values]) }
      const adapter = DrizzleAdapter(drizzle({ client: client as Pool, logger }), tables)
      await adapter.createUser(seed)
      logged.length = 0
      withPromises.mockClear()
      withCallbacks.mockClear()
      expect(await adapter.getUser('ada')).toMatchObject({ id: 'ada' })
      expect(await adapter.updateUser({ id: 'ada', name: 'Ada' })).toMatchObject({ name: 'Ada' })
      expect(logged.map(([statement, values]) => [statement.split(' ')[0], values])).toEqual([
        ['select', ['ada']],
        ['update', ['Ada', 'ada']],
        ['select', ['ada']],
      ])
      expect(withCallbacks).toHaveBeenCalledTimes(3)
      expect(withPromises).not.toHaveBeenCalled()
    },
  )

  /** Wrappers that apps put around a client, such as for tracing. */
  const wrappers: Record<string, (client: Pool, query: Pool['query']) => object> = {
    'a query of its own': (client, query) => Object.assign(client, { query }),
    'an object that inherits': (client, query) => Object.assign(Object.create(client), { query }),
    'a Proxy': (client, query) =>
      new Proxy(client, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name, target)) }),
    'an object of its own': (client, query) => ({ query, getConnection: () => client.getConnection(), pool: client.pool }),
  }

  test.each(Object.entries(wrappers))('the wrapper of an app is still called: %s', async (_, wrap) => {
    const client = await openPool()
    const seen: string[] = []
    const original = client.query.bind(client) as (...args: unknown[]) => Promise<never>
    const query = (...args: unknown[]) => {
      seen.push(String((args[0] as { sql: string }).sql).split(' ')[0] as string)
      return original(...args)
    }
    const adapter = DrizzleAdapter(drizzle({ client: wrap(client, query as never) as Pool }), tables)
    await adapter.createUser(seed)
    seen.length = 0
    expect(await adapter.getUser('ada')).toMatchObject({ id: 'ada' })
    await adapter.updateUser({ id: 'ada', name: 'Ada' })
    expect(seen).toEqual(['select', 'update', 'select'])
  })

  test('an error has its code, and a transaction of the app is rolled back as a whole', async () => {
    const client = await openPool()
    const db = drizzle({ client })
    const causes: unknown[] = []
    const adapter = DrizzleAdapter(db, tables, { onError: (_, cause) => void causes.push(cause) })
    await adapter.createUser(seed)
    await expect(adapter.createUser({ ...seed, id: 'eva' })).rejects.toMatchObject({ kind: 'duplicate', code: '1062' })
    expect(causes).toEqual([expect.objectContaining({ code: 'ER_DUP_ENTRY', errno: 1062, sqlState: '23000' })])
    const undone = db.transaction(async (tx) => {
      const inner = DrizzleAdapter(tx, tables)
      await inner.updateUser({ id: 'ada', name: 'Ada' })
      expect(await inner.getUser('ada')).toMatchObject({ name: 'Ada' })
      expect(await adapter.getUser('ada')).toMatchObject({ name: null })
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect(await adapter.getUser('ada')).toMatchObject({ name: null })
  })
})
