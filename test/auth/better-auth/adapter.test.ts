import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { relations } from 'drizzle-orm'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import { createPool } from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openProxy } from '../../support/proxy.js'
import { openStore } from './store.js'

const options: BetterAuthOptions = { advanced: { database: { joins: true } } }
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

// What a person would not write: casts, conversions, collations, and functions.
const unusual = /::|\b(cast|convert|collate|binary|lower)\b|\w\((?!\d+\))/i

describe.each(inject('dialects'))('the adapter for Better Auth on %s', (dialect) => {
  test('reads a session with its user in one plain statement', async () => {
    const { db, schema, adapter, user } = await open(dialect)
    const session = { userId: user.id, token: 'secret', expiresAt: now, ...dates }
    await adapter.create({ model: 'session', data: session })
    const log: string[] = []
    const session$ = (db as unknown as { session: { logger: { logQuery(statement: string): void } } }).session
    session$.logger = { logQuery: (statement) => void log.push(statement) }
    const found = await drizzleAdapter(db, { schema })(options).findOne({
      model: 'session',
      where: [{ field: 'token', value: 'secret' }],
      join: { user: true },
    })
    expect(found).toMatchObject({ token: 'secret', user: { email: 'ada@example.com' } })
    const statements = log.filter((statement) => !statement.includes('@@sql_mode'))
    expect(statements).toHaveLength(1)
    expect(statements[0]).not.toMatch(unusual)
  })

  test('refuses an unknown field by its name, and a missing table when it is first used', async () => {
    const { db, schema, adapter } = await open(dialect)
    const { user, ...others } = schema
    const withoutUser = drizzleAdapter(db, { schema: { ...others, userRelations: relations(user as never, () => ({})) } })(options)
    await expect(withoutUser.findMany({ model: 'user' })).rejects.toThrow(
      /^drizzleAdapter: the schema has no table user\. It has session, /,
    )
    expect(drizzleAdapter(db, { schema: {} })(options).id).toBe('drizzle-auth-adapter')
    const narrow = { ...options, user: { additionalFields: { phone: { type: 'string' as const, required: false } } } }
    const withPhone = drizzleAdapter(db, { schema })(narrow)
    const data = { name: 'Eve', email: 'eve@example.com', emailVerified: true, phone: '555', ...dates }
    await expect(withPhone.create({ model: 'user', data })).rejects.toThrow('the table user has no column phone')
    expect(await adapter.count({ model: 'user' })).toBe(1)
  })

  test.runIf(dialect === 'sqlite')('refuses transactions where the driver cannot wait inside one', async () => {
    const { db, schema } = await open(dialect)
    expect(() => drizzleAdapter(db, { schema, transaction: true })).toThrow(
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

  test.skipIf(dialect === 'sqlite')('reads again after a lost connection, and never writes twice', async () => {
    const { url, schema, adapter, user } = await open(dialect)
    const proxy = await openProxy(url)
    onTestFinished(proxy.close)
    const pg = dialect === 'pg' ? postgres(proxy.url, { max: 1, onnotice: () => {} }) : undefined
    const mysql = pg ? undefined : createPool({ uri: proxy.url, connectionLimit: 1 })
    onTestFinished(async () => void (pg ? await pg.end({ timeout: 1 }) : await mysql?.end()))
    const lossy = drizzleAdapter(pg ? drizzlePg({ client: pg }) : drizzleMysql({ client: mysql as never }), { schema })(options)
    const byId = [{ field: 'id', value: user.id }]
    await lossy.findOne({ model: 'user', where: byId })
    proxy.loseAt(1, 'answer')
    expect(await lossy.findOne({ model: 'user', where: byId })).toMatchObject({ email: 'ada@example.com' })
    const rename = (from: string) => {
      const where = [...byId, { field: 'name', value: from }]
      return lossy.update({ model: 'user', where, update: { name: 'Grace' } })
    }
    // postgres.js sends a statement that it knows in one round trip.
    expect(await rename('nobody')).toBeNull()
    proxy.loseAt(dialect === 'pg' ? 1 : 2, 'answer')
    await expect(rename('Ada')).rejects.toMatchObject({ name: 'AdapterOperationError', operation: 'update', kind: 'unreachable' })
    expect(await adapter.findOne({ model: 'user', where: byId })).toMatchObject({ name: 'Grace' })
  })
})
