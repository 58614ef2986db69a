import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import * as lite from 'drizzle-orm/sqlite-core'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { openPool } from '../../support/pool.js'
import { openRows } from '../../support/table-sets.js'

// A number in code has 53 bits. What a driver rounds is refused.

const columns = {
  pg: () => ({ id: pg.text().primaryKey(), count: pg.bigint({ mode: 'number' }), list: pg.bigint({ mode: 'number' }).array() }),
  mysql: () => ({ id: my.varchar({ length: 9 }).primaryKey(), count: my.bigint({ mode: 'number' }) }),
  sqlite: () => ({ id: lite.text().primaryKey(), count: lite.integer() }),
}

type Opened = Awaited<ReturnType<typeof openRows>>

const withMysql = (options: mysql.PoolOptions) => async (opened: Opened) => {
  const client = mysql.createPool({ uri: opened.url, connectionLimit: 1, ...options })
  onTestFinished(() => client.end())
  return opened.rowsWith(drizzleMysql({ client }))
}

const withSqlite = (isSafe: boolean) => async (opened: Opened) => {
  const client = (opened.client as never as { defaultSafeIntegers(isSafe: boolean): never }).defaultSafeIntegers(isSafe)
  return opened.rowsWith(drizzleSqlite({ client }))
}

const drivers: Record<DialectName, Record<string, (opened: Opened) => Promise<Opened['rows']>>> = {
  mysql: {
    mysql2: withMysql({}),
    'mysql2 with supportBigNumbers': withMysql({ supportBigNumbers: true }),
    'mysql2 with bigNumberStrings': withMysql({ supportBigNumbers: true, bigNumberStrings: true }),
  },
  pg: {
    async 'postgres.js'(opened) {
      const client = postgres(opened.url, { max: 1 })
      onTestFinished(() => client.end())
      return opened.rowsWith(drizzlePg({ client }))
    },
    async 'node-postgres'(opened) {
      const client = openPool({ connectionString: opened.url, max: 1 })
      onTestFinished(() => client.end())
      return opened.rowsWith(drizzleNodePg({ client }))
    },
  },
  sqlite: { 'better-sqlite3': withSqlite(false), 'better-sqlite3 with defaultSafeIntegers': withSqlite(true) },
}

describe.each(inject('dialects'))('a number of %s', (dialect) => {
  test.each(Object.entries(drivers[dialect]))('is exact or refused with %s', async (_, open) => {
    const opened = await openRows(dialect, columns[dialect]())
    const rows = await open(opened)
    const read = rows.lookup(['id'])
    for (const number of ['9007199254740993', '-9007199254740992']) {
      await opened.exec(`delete from thing`)
      await opened.exec(`insert into thing (id, count) values ('a', ${number})`)
      const garbled = { kind: 'garbled', details: { column: 'count' } }
      await expect(read({ id: 'a' }), number).rejects.toMatchObject(garbled)
      await expect(rows.list({ and: [] }), number).rejects.toMatchObject(garbled)
      await expect(rows.deleteOne({ and: [] }), number).rejects.toMatchObject(garbled)
    }
    for (const number of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      await rows.insert({ id: `${number}`.slice(0, 9), count: number })
      expect(await read({ id: `${number}`.slice(0, 9) })).toMatchObject({ count: number })
    }
    if (dialect !== 'pg') return
    await opened.exec(`insert into thing (id, list) values ('list', '{9007199254740993}')`)
    await expect(read({ id: 'list' })).rejects.toMatchObject({ kind: 'garbled', details: { column: 'list' } })
  })
})
