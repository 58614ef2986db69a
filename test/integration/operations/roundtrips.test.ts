import type { AdapterOptions } from 'drizzle-auth-adapter'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { makeAdapter, openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { extensions, operations, seedPerson } from '../../support/operations.js'
import { openProxy } from '../../support/proxy.js'
import { roundTrips } from '../../support/trips.js'

/** An adapter with one connection whose round trips are counted. */
async function open(dialect: DialectName, options: AdapterOptions = {}) {
  let statements = 0
  const { url, tables, adapter, close } = await openDatabase(dialect, { logger: { logQuery: () => statements++ } })
  onTestFinished(close)
  if (dialect === 'sqlite') {
    // SQLite has no network connection, so each statement counts as a round trip.
    const count = async (run: () => Promise<unknown>) => {
      const before = statements
      await run()
      return statements - before
    }
    return { adapter: adapter(options), count }
  }
  const { url: proxyUrl, count, close: closeProxy } = await openProxy(url)
  onTestFinished(closeProxy)
  if (dialect === 'pg') {
    const client = postgres(proxyUrl, { max: 1, fetch_types: false })
    onTestFinished(() => client.end())
    return { adapter: makeAdapter(drizzlePg({ client }), tables, options), count }
  }
  const client = mysql.createPool({ uri: proxyUrl, connectionLimit: 1 })
  onTestFinished(() => client.end())
  return { adapter: makeAdapter(drizzleMysql({ client }), tables, options), count }
}

describe.each(inject('dialects'))('round trips on %s', (dialect) => {
  const secrets = secretsAtRest({ sessionTokens: 'hashed', accountTokens: { keys: [{ id: 'k', secret: 'x'.repeat(32) }] } })

  test.each([
    ['for each operation', {}],
    ['with secrets at rest', { secrets }],
  ])('are as few as possible, %s', async (_, options) => {
    const { adapter, count } = await open(dialect, options)
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
    const { adapter, count } = await open(dialect)
    await adapter.getUser('x')
    expect(await count(() => adapter.getUser('\ud800'))).toBe(0)
  })
})
