import { inspect } from 'node:util'
import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import * as drizzle from 'drizzle-orm'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { openPool } from '../../support/pool.js'
import { openStore } from './store.js'

const options: BetterAuthOptions = {
  rateLimit: { storage: 'database' },
  advanced: { database: { joins: true } },
  user: { additionalFields: { failures: { type: 'number', required: false } } },
}
const now = new Date()
const dates = { createdAt: now, updatedAt: now }

async function open(dialect: 'pg' | 'mysql' | 'sqlite') {
  const store = await openStore(dialect)
  onTestFinished(store.close)
  await store.migrate(options)
  const schema = await store.schemaFor(options)
  const adapter = drizzleAdapter(store.db, { schema })(options)
  const user = await adapter.create({ model: 'user', data: { name: 'Ada', email: 'ada@example.com', emailVerified: true, ...dates } })
  return { ...store, schema, adapter, user }
}

/** Runs a statement after each update of mysql2, before the adapter can read the row. */
function afterUpdates(db: object, sql: string): void {
  const { $client: client } = db as { $client: { query(statement: { sql: string }, ...more: unknown[]): Promise<unknown> } }
  const query = client.query.bind(client)
  client.query = async (statement, ...more) => {
    const result = await query(statement, ...more)
    if (statement.sql.startsWith('update')) await query({ sql })
    return result
  }
}

describe.each(inject('dialects'))('the adapter for Better Auth on %s', (dialect) => {
  test('refuses an unknown field by its name, and a missing table when it is first used', async () => {
    const { db, schema, adapter } = await open(dialect)
    const { user, ...others } = schema
    // Drizzle 1.0 has no relations of one table.
    const userRelations = 'relations' in drizzle ? drizzle.relations(user as never, () => ({})) : {}
    const withoutUser = drizzleAdapter(db, { schema: { ...others, userRelations } })(options)
    await expect(withoutUser.findMany({ model: 'user' })).rejects.toThrow(
      /^drizzleAdapter: the schema has no table user\. It has session, /,
    )
    expect(drizzleAdapter(db, { schema: {} })(options).id).toBe('drizzle-auth-adapter')
    const wider = { ...options, user: { additionalFields: { phone: { type: 'string' as const, required: false } } } }
    const withPhone = drizzleAdapter(db, { schema })(wider)
    const data = { name: 'Eve', email: 'eve@example.com', emailVerified: true, phone: '555', ...dates }
    await expect(withPhone.create({ model: 'user', data })).rejects.toThrow('the table user has no column phone')
    expect(await adapter.count({ model: 'user' })).toBe(1)
  })

  test('says how to correct the configuration', async () => {
    const { db, schema } = await open(dialect)
    const findUsers = (config: object) => drizzleAdapter(db, config as never)(options).findMany({ model: 'user' })
    const { user: users, ...others } = schema
    await expect(findUsers({ schema, usePlural: true })).rejects.toThrow(
      /^drizzleAdapter: the schema has no table users\. It has user, .* set usePlural if their names are plural\.$/,
    )
    await expect(findUsers({ schema: { ...others, users } })).rejects.toThrow(
      /^drizzleAdapter: the schema has no table user\. It has .*users\. Run npx auth generate/,
    )
    const { usersTable: user } = dialect === 'pg' ? defineMysql() : definePg()
    const store = await openStore(dialect)
    onTestFinished(store.close)
    expect(() => drizzleAdapter(store.db, { schema: { user } })(options)).toThrow(
      new RegExp(`the database is ${dialect}, the tables are of (pg|mysql)\\. .* your own with drizzle-orm/${dialect}-core`),
    )
    expect(() => findUsers({ schema, provider: dialect })).toThrow(
      'drizzleAdapter: remove provider: the adapter asks your tables and db for the dialect',
    )
    await expect(drizzleAdapter({}, { schema })(options).findMany({ model: 'user' })).rejects.toThrow(
      'Pass the result of drizzle({ client })',
    )
  })

  test('prints nothing, and with debugLogs the values', async () => {
    const { db, schema } = await open(dialect)
    const printed: string[] = []
    for (const name of ['log', 'info', 'debug', 'warn', 'error'] as const)
      vi.spyOn(console, name).mockImplementation((...texts) => void printed.push(inspect(texts)))
    onTestFinished(() => void vi.restoreAllMocks())
    const where = [{ field: 'email', value: 'ada@example.com' }]
    await drizzleAdapter(db, { schema })(options).findOne({ model: 'user', where })
    expect(printed).toEqual([])
    await drizzleAdapter(db, { schema, debugLogs: true })(options).findOne({ model: 'user', where })
    expect(printed.join()).toContain('ada@example.com')
  })

  test('increments only numbers, and integers only by integers', async () => {
    const { adapter } = await open(dialect)
    await adapter.create({ model: 'rateLimit', data: { key: '1', count: 1, lastRequest: 1 } })
    const add = (increment: Record<string, number>) =>
      adapter.incrementOne({ model: 'rateLimit', where: [{ field: 'lastRequest', value: 1 }], increment })
    for (const increment of [{ count: 0.5 }, { count: Number.NaN }, { count: '1' as never }, { key: 1 }])
      await expect(add(increment)).rejects.toMatchObject({ kind: 'invalid' })
    expect(await add({ count: 2 })).toMatchObject({ key: '1', count: 3 })
    // A counter without a value is 0.
    const where = [{ field: 'name', value: 'Ada' }]
    expect(await adapter.incrementOne({ model: 'user', where, increment: { failures: 1 } })).toMatchObject({ failures: 1 })
  })

  test('rejects a limit or an offset that is not a whole number', async () => {
    const { adapter } = await open(dialect)
    for (const paging of [{ limit: -1 }, { limit: Number.NaN }, { limit: '1' as never }, { offset: -1 }, { offset: 0.5 }])
      await expect(adapter.findMany({ model: 'user', ...paging })).rejects.toMatchObject({ kind: 'invalid' })
    expect(await adapter.findMany({ model: 'user', limit: 0 })).toEqual([])
  })

  test.runIf(dialect === 'sqlite')('refuses transactions where the driver cannot wait inside one', async () => {
    const { db, schema } = await open(dialect)
    const transactional = drizzleAdapter(db, { schema, transaction: true })(options)
    await expect(transactional.transaction(async () => {})).rejects.toThrow(
      'transaction: true needs a driver with interactive transactions',
    )
  })

  test.skipIf(dialect === 'sqlite')('undoes a transaction that fails', async () => {
    const { db, schema, adapter } = await open(dialect)
    const transactional = drizzleAdapter(db, { schema, transaction: true })(options)
    const data = { name: 'Eve', email: 'eve@example.com', emailVerified: true, ...dates }
    const failing = transactional.transaction(async (inner) => {
      await inner.create({ model: 'user', data })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await adapter.count({ model: 'user' })).toBe(1)
  })

  test.runIf(dialect === 'pg')('shows no values if a transaction fails at its end', async () => {
    const { db, schema, exec } = await open(dialect)
    await exec('alter table "user" drop constraint user_email_unique, add unique (email) deferrable initially deferred')
    const causes: unknown[] = []
    const transactional = drizzleAdapter(db, { schema, transaction: true, onError: (_, cause) => causes.push(cause) })(options)
    const data = { name: 'Eve', email: 'ada@example.com', emailVerified: true, ...dates }
    const failing = transactional.transaction((inner) => inner.create({ model: 'user', data }))
    const error = await failing.then(() => undefined, String)
    expect(error).toBe('AdapterOperationError: transaction: a row with this key already exists [23505]')
    expect(causes).toMatchObject([{ detail: 'Key (email)=(ada@example.com) already exists.' }])
  })

  test.runIf(dialect === 'pg')('fails if the database undoes a transaction because of a failure that the app ignores', async () => {
    const { url, schema, adapter } = await open(dialect)
    const client = openPool({ connectionString: url })
    onTestFinished(() => client.end())
    const transactional = drizzleAdapter(drizzleNodePg({ client }), { schema, transaction: true })(options)
    const data = { name: 'Eve', email: 'eve@example.com', emailVerified: true, ...dates }
    const ignoring = transactional.transaction(async (inner) => {
      await inner.create({ model: 'user', data })
      await inner.create({ model: 'user', data }).catch(() => {})
    })
    await expect(ignoring).rejects.toMatchObject({ operation: 'transaction', kind: 'conflict', code: '25P02' })
    expect(await adapter.count({ model: 'user' })).toBe(1)
  })

  test.runIf(dialect === 'mysql')('writes nothing in a transaction after a deadlock that the app ignores', async () => {
    const { db, schema, adapter } = await open(dialect)
    const transactional = drizzleAdapter(db, { schema, transaction: true })(options)
    const create = (inner: Pick<typeof adapter, 'create'>, name: string) =>
      inner.create({ model: 'user', data: { name, email: `${name}@example.com`, emailVerified: true, ...dates } })
    const touch = (inner: Pick<typeof adapter, 'update'>, name: string) =>
      inner.update({ model: 'user', where: [{ field: 'email', value: `${name}@example.com` }], update: { name: 'touched' } })
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create(adapter, name)
    let meet = () => {}
    const both = new Promise<void>((resolve) => {
      let waiting = 0
      meet = () => void (++waiting === 2 && resolve())
    })
    // The database undoes the transaction that has changed fewer rows.
    const heavier = transactional.transaction(async (inner) => {
      for (const name of ['b', 'c', 'd', 'e']) await touch(inner, name)
      meet()
      await both
      await touch(inner, 'a')
    })
    const lighter = transactional.transaction(async (inner) => {
      await touch(inner, 'a')
      await create(inner, 'first')
      meet()
      await both
      await touch(inner, 'b').catch(() => {})
      await create(inner, 'second').catch(() => {})
    })
    await expect(lighter).rejects.toMatchObject({ operation: 'transaction', kind: 'conflict' })
    await heavier
    const where = [{ field: 'email', operator: 'in' as const, value: ['first@example.com', 'second@example.com'] }]
    expect(await adapter.findMany({ model: 'user', where })).toEqual([])
  })

  test.skipIf(dialect === 'sqlite')('writes in a transaction to the rows as they are, not as they were at its start', async () => {
    const { db, schema, adapter, user } = await open(dialect)
    const transactional = drizzleAdapter(db, { schema, transaction: true })(options)
    const where = [{ field: 'name', value: 'Ada' }]
    const update = { name: 'Grace', updatedAt: now }
    const byId = [{ field: 'id', value: user.id }]
    await transactional.transaction(async (inner) => {
      await inner.findMany({ model: 'user' })
      await adapter.update({ model: 'user', where, update })
      expect(await inner.update({ model: 'user', where: [...where, ...byId], update: { name: 'Eve' } })).toBeNull()
      expect(await inner.update({ model: 'user', where, update: { name: 'Eve' } })).toBeNull()
      expect(await inner.consumeOne({ model: 'user', where })).toBeNull()
      expect(await inner.update({ model: 'user', where: byId, update })).toMatchObject(update)
    })
    expect(await adapter.findMany({ model: 'user' })).toMatchObject([update])
  })

  test.runIf(dialect === 'mysql')('updates no second row if the first is deleted before it can be read', async () => {
    const { db, adapter } = await open(dialect)
    const data = { name: 'Ada', email: 'ada2@example.com', emailVerified: true, ...dates }
    await adapter.create({ model: 'user', data })
    afterUpdates(db, `delete from user where name = 'Eve'`)
    const where = [{ field: 'name', value: 'Ada' }]
    expect(await adapter.update({ model: 'user', where, update: { name: 'Eve' } })).toBeNull()
    expect(await adapter.findMany({ model: 'user' })).toMatchObject([{ name: 'Ada' }])
  })

  test.runIf(dialect === 'mysql')('counts only if the condition held when it counted', async () => {
    const { db, schema } = await open(dialect)
    const adapter = drizzleAdapter(db, { schema })(options)
    const { id } = await adapter.create<object, { id: string }>({ model: 'rateLimit', data: { key: 'k', count: 5, lastRequest: 1 } })
    afterUpdates(db, 'update rate_limit set count = 0')
    const where = [
      { field: 'id', value: id },
      { field: 'count', operator: 'lt' as const, value: 5 },
    ]
    expect(await adapter.incrementOne({ model: 'rateLimit', where, increment: { count: 1 } })).toBeNull()
  })
})
