import type { Adapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { makeAdapter, openDatabase } from '../../support/databases.js'
import { expectRoundTrip } from '../../support/round-trip.js'
import { tableSet, typesOf } from '../../support/table-sets.js'

const snake = { casing: 'snake_case' } as const
const drizzle = { pg: drizzlePg, mysql: drizzleMysql, sqlite: drizzleSqlite } as unknown as Record<string, (config: object) => object>

describe.each(inject('dialects'))('snake_case on %s', (dialect) => {
  test.each([{}, snake])('every operation works, with the added columns and drizzle(%j)', async (setting) => {
    const { text } = typesOf[dialect]
    // One of them has a name of its own.
    const { tables, migrations } = tableSet(dialect, {
      ...snake,
      columns: { users: { lastLoginIP: text(), oldName: text('Old'), plan2: text() } },
    })
    const { client, run, quote, close } = await openDatabase(dialect, { migrations })
    onTestFinished(close)
    const adapter = makeAdapter(drizzle[dialect]?.({ client, ...setting }), tables)
    const added = { lastLoginIP: '127.0.0.1', oldName: 'Ada', plan2: 'free' }
    await expectRoundTrip(adapter as unknown as Adapter, added)
    await adapter.createUser({ email: 'ada@example.com', ...added } as never)
    const [row] = await run(`select * from ${quote('user')}`)
    expect(row).toMatchObject({ last_login_ip: '127.0.0.1', Old: 'Ada', plan2: 'free' })
  })
})
