import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Column, Table } from 'drizzle-orm'
import { getTableColumns, getTableName } from 'drizzle-orm'
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

const names = {
  user: ['id', 'name', 'email', 'email_verified', 'image', 'last_login_ip', 'Old', 'plan2'],
  account: [
    ...['user_id', 'type', 'provider', 'provider_account_id', 'refresh_token', 'access_token', 'expires_at', 'expires_in'],
    ...['token_type', 'scope', 'id_token', 'session_state'],
  ],
  session: ['session_token', 'user_id', 'expires'],
  verification_token: ['identifier', 'token', 'expires'],
  authenticator: [
    ...['user_id', 'credential_id', 'provider_account_id', 'credential_public_key', 'counter', 'credential_device_type'],
    ...['credential_backed_up', 'transports'],
  ],
}

const indexes = {
  pg: (table: Table) => pg.getTableConfig(table as pg.PgTable).indexes,
  mysql: (table: Table) => my.getTableConfig(table as my.MySqlTable).indexes,
  sqlite: (table: Table) => lite.getTableConfig(table as lite.SQLiteTable).indexes,
}

describe.each(inject('dialects'))('snake_case on %s', (dialect) => {
  test('applies to the names of columns, tables and indexes in the database, and not to names in code', () => {
    const tables = tablesOf[dialect]() as Record<string, Table>
    expect(Object.keys(tables)).toEqual(['usersTable', 'accountsTable', 'sessionsTable', 'verificationTokensTable', 'authenticatorsTable'])
    const columns = (table: Table) => Object.values(getTableColumns(table) as Record<string, Column>).map(({ name }) => name)
    expect(Object.fromEntries(Object.values(tables).map((table) => [getTableName(table), columns(table)]))).toEqual(names)
    expect(Object.keys(getTableColumns(tables.authenticatorsTable as Table))).toContain('credentialID')
    expect(Object.values(tables).flatMap((table) => indexes[dialect](table).map(({ config }) => config.name))).toEqual([
      'account_user_id_idx',
      'session_user_id_idx',
      'session_expires_idx',
      'verification_token_expires_idx',
    ])
  })

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

test('another casing is rejected', () => {
  for (const define of [definePg, defineMysql, defineSqlite] as (typeof definePg)[])
    expect(() => define({ casing: 'kebab' as never })).toThrow("defineTables: casing must be 'camelCase' or 'snake_case'.")
})
