import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'
import { expectRoundTrip } from '../../support/round-trip.js'

const snake = { casing: 'snake_case' } as const

/** The tables in snake_case, with three added columns: one with an explicit name, and two without. */
const tablesOf = {
  pg: () => definePg({ ...snake, columns: { users: { lastLoginIP: pg.text(), oldName: pg.text('Old'), plan2: pg.text() } } }),
  mysql: () => defineMysql({ ...snake, columns: { users: { lastLoginIP: my.text(), oldName: my.text('Old'), plan2: my.text() } } }),
  sqlite: () => defineSqlite({ ...snake, columns: { users: { lastLoginIP: lite.text(), oldName: lite.text('Old'), plan2: lite.text() } } }),
}

async function open(dialect: DialectName, setting: object) {
  const tables = tablesOf[dialect]()
  const migrations = Object.values(tables).map((table) => createTable(table, dialect === 'mysql' ? '`' : '"'))
  if (dialect === 'pg') {
    const opened = await openPg({ migrations })
    return { ...opened, adapter: DrizzleAdapter(drizzlePg({ client: opened.client, ...setting }), tables as never) }
  }
  if (dialect === 'mysql') {
    const opened = await openMysql({ migrations })
    return { ...opened, adapter: DrizzleAdapter(drizzleMysql({ client: opened.client, ...setting }), tables as never) }
  }
  const opened = await openSqlite({ migrations })
  return { ...opened, adapter: DrizzleAdapter(drizzleSqlite({ client: opened.client, ...setting }), tables as never) }
}

describe.each(inject('dialects'))('snake_case on %s', (dialect) => {
  test.each([{}, snake])('every operation works, with the added columns and drizzle(%j)', async (setting) => {
    const { adapter, run, close } = await open(dialect, setting)
    onTestFinished(close)
    const added = { lastLoginIP: '127.0.0.1', oldName: 'Ada', plan2: 'free' }
    await expectRoundTrip(adapter as unknown as Adapter, added)
    await adapter.createUser({ email: 'ada@example.com', ...added })
    const [row] = await run(`select * from ${dialect === 'mysql' ? '`user`' : '"user"'}`)
    expect(row).toMatchObject({ last_login_ip: '127.0.0.1', Old: 'Ada', plan2: 'free' })
  })
})
