import { defineTables as mysqlTables } from 'drizzle-auth-adapter/mysql'
import { defineTables as pgTables } from 'drizzle-auth-adapter/pg'
import { defineTables as sqliteTables } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createTable } from '../../support/ddl.js'
import { createRows, makeAdapter, openDatabase, rowsFor } from './database.js'

// A type that sends null for what is none of its values.
const word = {
  dataType: () => 'varchar(40)',
  toDriver: (value: string) => (/^\w+$/.test(value) ? value : null) as string,
  fromDriver: (value: string) => value,
}
const ofPg = () => pg.customType<{ data: string; driverData: string }>(word)()
const ofMysql = () => my.customType<{ data: string; driverData: string }>(word)()
const ofSqlite = () => lite.customType<{ data: string; driverData: string }>(word)()

// Made for each test, so that no statement is kept yet.
const tablesOf = {
  pg: () => ({
    ...pgTables({
      foreignKeys: false,
      usersTable: pg.pgTable('user', {
        id: ofPg().primaryKey(),
        name: pg.text(),
        email: pg.text().notNull(),
        emailVerified: pg.timestamp(),
      }),
    }),
    sessionsTable: pg.pgTable('session', {
      sessionToken: ofPg().primaryKey(),
      userId: ofPg().notNull(),
      expires: pg.timestamp().notNull(),
    }),
  }),
  mysql: () => ({
    ...mysqlTables({
      foreignKeys: false,
      usersTable: my.mysqlTable('user', {
        id: ofMysql().primaryKey(),
        name: my.text(),
        email: my.varchar({ length: 99 }).notNull(),
        emailVerified: my.datetime(),
      }),
    }),
    sessionsTable: my.mysqlTable('session', {
      sessionToken: ofMysql().primaryKey(),
      userId: ofMysql().notNull(),
      expires: my.datetime().notNull(),
    }),
  }),
  sqlite: () => ({
    ...sqliteTables({
      foreignKeys: false,
      usersTable: lite.sqliteTable('user', {
        id: ofSqlite().primaryKey(),
        name: lite.text(),
        email: lite.text().notNull(),
        emailVerified: lite.integer({ mode: 'timestamp_ms' }),
      }),
    }),
    sessionsTable: lite.sqliteTable('session', {
      sessionToken: ofSqlite().primaryKey(),
      userId: ofSqlite().notNull(),
      expires: lite.integer({ mode: 'timestamp_ms' }).notNull(),
    }),
  }),
}

describe.each(inject('dialects'))('a key for which a custom type sends null on %s', (dialect) => {
  async function open() {
    const tables = tablesOf[dialect]()
    const migrations = Object.values(tables).map((table) => createTable(table as Table, dialect === 'mysql' ? '`' : '"'))
    const { db, close } = await openDatabase(dialect, { migrations })
    onTestFinished(close)
    const adapter = makeAdapter(db, tables)
    await createRows(adapter, 'ada')
    return adapter
  }

  test('is nobody’s, and changes no statement for other keys: deleteUser', async () => {
    const adapter = await open()
    expect(await adapter.deleteUser('no word')).toBeNull()
    expect(await adapter.deleteUser('ada')).toMatchObject({ id: 'ada' })
    expect(await adapter.getUser('ada')).toBeNull()
    expect(await adapter.getAccount('ada', 'ada')).toBeNull()
  })

  test('is nobody’s, and changes no statement for other keys: updates, and the deletion of a session', async () => {
    const adapter = await open()
    await expect(adapter.updateUser({ id: 'no word', name: 'x' })).rejects.toMatchObject({ kind: 'not-found' })
    expect(await adapter.updateUser({ id: 'ada', name: 'Ada' })).toMatchObject({ id: 'ada', name: 'Ada' })
    expect(await adapter.updateSession({ ...rowsFor('x').session, sessionToken: 'no word' }).catch(({ kind }) => kind)).toBeNull()
    expect(await adapter.updateSession({ sessionToken: 'ada', expires: new Date(3e12) })).toMatchObject({ expires: new Date(3e12) })
    expect(await adapter.deleteSession('no word')).toBeNull()
    expect(await adapter.deleteSession('ada')).toMatchObject({ sessionToken: 'ada' })
  })
})
