import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import { getTableName } from 'drizzle-orm'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import * as lite from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { runOperationCases } from '../../support/contract.js'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'

const snake = { casing: 'snake_case' } as const

/** The tables in snake_case, with three added columns: one with an explicit name, and two without. */
const tablesOf = {
  pg: () => definePg({ ...snake, columns: { users: { lastLoginIP: pg.text(), oldName: pg.text('Old'), plan2: pg.text() } } }),
  mysql: () => defineMysql({ ...snake, columns: { users: { lastLoginIP: my.text(), oldName: my.text('Old'), plan2: my.text() } } }),
  sqlite: () => defineSqlite({ ...snake, columns: { users: { lastLoginIP: lite.text(), oldName: lite.text('Old'), plan2: lite.text() } } }),
}

describe.each(inject('dialects'))('snake_case on %s', (dialect) => {
  describe.each([{}, snake])('with drizzle(%j)', (setting) => {
    const connect = async () => {
      const tables = tablesOf[dialect]()
      const migrations = Object.values(tables).map((table) => createTable(table, dialect === 'mysql' ? '`' : '"', keysOf(table, dialect)))
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
    let opened: Awaited<ReturnType<typeof connect>>
    beforeAll(async () => {
      opened = await connect()
    })
    afterAll(() => opened.close())

    test('every operation works', () => runOperationCases(opened.adapter))

    test('added columns are written and read', async () => {
      const adapter = opened.adapter as { createUser(user: object): Promise<object> }
      const added = { lastLoginIP: '127.0.0.1', oldName: 'Ada', plan2: 'free' }
      expect(await adapter.createUser({ email: 'added@example.com', ...added })).toMatchObject(added)
      const [row] = await opened.run(`select * from ${dialect === 'mysql' ? '`user`' : '"user"'} where plan2 = 'free'`)
      expect(row).toMatchObject({ last_login_ip: '127.0.0.1', Old: 'Ada' })
    })
  })
})

/** The composite keys, which `createTable` does not create itself. */
function keysOf(table: Table, dialect: DialectName): string[] {
  const q = (name: string) => (dialect === 'mysql' ? `\`${name}\`` : `"${name}"`)
  const keys: Record<string, string[]> = { account: ['provider', 'provider_account_id'], verification_token: ['identifier', 'token'] }
  const key = keys[getTableName(table)]
  return key ? [`primary key (${key.map(q).join(', ')})`] : []
}
