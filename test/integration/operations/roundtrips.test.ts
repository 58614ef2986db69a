import type { AdapterOptions } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { extensions, operations, seedPerson } from '../../support/operations.js'
import { openProxy } from '../../support/proxy.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'
import { roundTrips } from '../../support/trips.js'

type AnyAdapter = ReturnType<typeof DrizzleAdapter<typeof pgSchema>>
interface Counted {
  adapter: AnyAdapter
  count(run: () => Promise<unknown>): Promise<number>
}

const open: Record<DialectName, (options?: AdapterOptions) => Promise<Counted>> = {
  // SQLite has no network connection, so each statement counts as a round trip.
  async sqlite(options) {
    let statements = 0
    const { db, close } = await openSqlite({ logger: { logQuery: () => statements++ } })
    onTestFinished(close)
    const count = async (run: () => Promise<unknown>) => {
      const before = statements
      await run()
      return statements - before
    }
    return { adapter: DrizzleAdapter(db, sqliteSchema, options) as unknown as AnyAdapter, count }
  },
  async pg(options) {
    const { url, close } = await openPg()
    onTestFinished(close)
    const proxy = await openProxy(url)
    onTestFinished(proxy.close)
    const client = postgres(proxy.url, { max: 1, fetch_types: false })
    onTestFinished(() => client.end())
    return { adapter: DrizzleAdapter(drizzlePg({ client }), pgSchema, options), count: proxy.count }
  },
  async mysql(options) {
    const { url, close } = await openMysql()
    onTestFinished(close)
    const proxy = await openProxy(url)
    onTestFinished(proxy.close)
    const client = mysql.createPool({ uri: proxy.url, connectionLimit: 1 })
    onTestFinished(() => client.end())
    return { adapter: DrizzleAdapter(drizzleMysql({ client }), mysqlSchema, options) as unknown as AnyAdapter, count: proxy.count }
  },
}

describe.each(inject('dialects'))('round trips on %s', (dialect) => {
  const secrets = secretsAtRest({ sessionTokens: 'hashed', accountTokens: { keys: [{ id: 'k', secret: 'x'.repeat(32) }] } })

  test.each([
    ['for each operation', {}],
    ['with secrets at rest', { secrets }],
  ])('are as few as possible, %s', async (_, options) => {
    const { adapter, count } = await open[dialect](options)
    expect(Object.keys(roundTrips)).toEqual(Object.keys(adapter))
    const expected = Object.fromEntries(Object.entries(roundTrips).map(([name, trips]) => [name, trips[dialect]]))
    const counted: Record<string, number> = {}
    for (const [name, operation] of Object.entries({ ...operations, ...extensions })) {
      // In the first call, the driver may prepare the statement. Only later calls are counted.
      await operation.run(adapter, await seedPerson(adapter, operation))
      const person = await seedPerson(adapter, operation)
      counted[name] = await count(async () => operation.run(adapter, person))
    }
    expect(counted).toEqual(expected)
  })

  test('are zero for a key that no row can have', async () => {
    const { adapter, count } = await open[dialect]()
    await adapter.getUser('x')
    expect(await count(() => adapter.getUser('\ud800'))).toBe(0)
  })
})
