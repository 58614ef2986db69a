import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openStore } from './store.js'

const options: BetterAuthOptions = { rateLimit: { storage: 'database' } }
const now = new Date()

/** Notes the text of each statement that Drizzle builds from now on. */
function builtIn(db: object): string[] {
  const built: string[] = []
  const { dialect } = db as { dialect: { sqlToQuery(...given: unknown[]): { sql: string } } }
  const build = dialect.sqlToQuery.bind(dialect)
  dialect.sqlToQuery = (...given) => {
    const query = build(...given)
    // Drizzle builds those that begin and end a transaction each time.
    if (/^(select|insert|update|delete)\b/.test(query.sql)) built.push(query.sql)
    return query
  }
  return built
}

describe.each(inject('dialects'))('on %s', (dialect) => {
  async function open() {
    const store = await openStore(dialect)
    onTestFinished(store.close)
    await store.migrate(options)
    const config = { schema: await store.schemaFor(options), transaction: dialect !== 'sqlite' }
    return { config, db: store.db, built: builtIn(store.db) }
  }

  type Adapter = ReturnType<ReturnType<typeof drizzleAdapter>>
  async function use(adapter: Pick<Adapter, 'create' | 'findOne' | 'update' | 'delete' | 'count'>) {
    const data = { name: 'Ada', email: 'ada@example.com', emailVerified: true, createdAt: now, updatedAt: now }
    const { id } = await adapter.create({ model: 'user', data })
    await adapter.findOne({ model: 'user', where: [{ field: 'email', value: data.email }] })
    await adapter.update({ model: 'user', where: [{ field: 'id', value: id }], update: { name: 'Eve' } })
    await adapter.create({ model: 'session', data: { userId: id, token: 'secret', expiresAt: now, createdAt: now, updatedAt: now } })
    await adapter.delete({ model: 'session', where: [{ field: 'token', value: 'secret' }] })
    await adapter.delete({ model: 'user', where: [{ field: 'id', value: id }] })
    expect(await adapter.count({ model: 'user' })).toBe(0)
  }

  test('no operation by a key builds a statement twice, whichever adapter object runs it', async () => {
    const { db, config, built } = await open()
    await use(drizzleAdapter(db, config)(options))
    expect(built.length).toBeGreaterThan(0)
    built.splice(0)
    await use(drizzleAdapter(db, config)(options))
    expect(built).toEqual([])
  })

  // better-sqlite3 has no transactions in which an app can wait.
  test.skipIf(dialect === 'sqlite')('a transaction builds no statement anew', async () => {
    const { db, config, built } = await open()
    const adapter = drizzleAdapter(db, config)(options)
    await adapter.transaction(use)
    built.splice(0)
    await adapter.transaction(use)
    await adapter.transaction(use)
    expect(built).toEqual([])
  })
})
