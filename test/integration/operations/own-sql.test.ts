import { sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import mysql from 'mysql2/promise'
import { expect, inject, onTestFinished, test } from 'vitest'
import { dialects } from '../../../src/dialects.js'
import { connect } from '../../../src/query/connection.js'
import { openTable } from '../../../src/query/table.js'
import { openDatabase } from '../../support/databases.js'

// A type that lets the database convert its values.
const upperCase = { dataType: () => 'varchar(9)', toDriver: (value: string) => sql`upper(${value})` }
const tables = {
  pg: pg.pgTable('thing', { id: pg.text().primaryKey(), code: pg.customType<{ data: string }>(upperCase)() }),
  mysql: my.mysqlTable('thing', { id: my.varchar({ length: 9 }).primaryKey(), code: my.customType<{ data: string }>(upperCase)() }),
  sqlite: lite.sqliteTable('thing', { id: lite.text().primaryKey(), code: lite.customType<{ data: string }>(upperCase)() }),
}

test.each(inject('dialects'))('on %s, a value that a custom type sends as SQL is stored and found', async (dialect) => {
  const { db, close } = await openDatabase(dialect, { migrations: ['create table thing (id varchar(9) primary key, code varchar(9))'] })
  onTestFinished(close)
  const things = openTable(connect('test', dialects[dialect], db), tables[dialect], {}, ['id'])
  await things.insert({ id: '1', code: 'x' })
  await things.insert({ id: '2', code: 'y' })
  const ids = async (is: 'eq' | 'ne' | 'in' | 'lt', value: unknown) =>
    (await things.list({ column: 'code', is, value })).map(({ id }) => id)
  expect(await ids('eq', 'x')).toEqual(['1'])
  expect(await ids('ne', 'x')).toEqual(['2'])
  expect(await ids('in', ['y', 'z'])).toEqual(['2'])
  expect(await ids('lt', 'y')).toEqual(['1'])
})

const word = { dataType: () => 'varchar(9)', toDriver: (value: string) => (/^\w+$/.test(value) ? value : null) as string }
const words = {
  pg: pg.pgTable('thing', { id: pg.text().primaryKey(), code: pg.customType<{ data: string }>(word)() }),
  mysql: my.mysqlTable('thing', { id: my.varchar({ length: 9 }).primaryKey(), code: my.customType<{ data: string }>(word)() }),
  sqlite: lite.sqliteTable('thing', { id: lite.text().primaryKey(), code: lite.customType<{ data: string }>(word)() }),
}

test.each(inject('dialects'))(
  'on %s, a value for which a custom type sends null is refused in a comparison, and not compared',
  async (dialect) => {
    const { db, close } = await openDatabase(dialect, { migrations: ['create table thing (id varchar(9) primary key, code varchar(9))'] })
    onTestFinished(close)
    const things = openTable(connect('test', dialects[dialect], db), words[dialect], {}, ['id'])
    await things.insert({ id: '1', code: 'x' })
    for (const is of ['eq', 'ne', 'gt'] as const)
      await expect(things.count({ column: 'code', is, value: 'no word' }), is).rejects.toMatchObject({ kind: 'invalid' })
    for (const is of ['in', 'notIn'] as const)
      await expect(things.count({ column: 'code', is, value: ['no word', 'y'] }), is).rejects.toMatchObject({ kind: 'invalid' })
  },
)

const unique = {
  pg: pg.pgTable('thing', { id: pg.text().primaryKey(), code: pg.customType<{ data: string }>(word)().unique() }),
  mysql: my.mysqlTable('thing', { id: my.varchar({ length: 9 }).primaryKey(), code: my.customType<{ data: string }>(word)().unique() }),
  sqlite: lite.sqliteTable('thing', { id: lite.text().primaryKey(), code: lite.customType<{ data: string }>(word)().unique() }),
}

test.each(inject('dialects'))('on %s, a unique column may store the null that a custom type sends', async (dialect) => {
  const { db, close } = await openDatabase(dialect, {
    migrations: ['create table thing (id varchar(9) primary key, code varchar(9) unique)'],
  })
  onTestFinished(close)
  const things = openTable(connect('test', dialects[dialect], db), unique[dialect], {}, ['id'])
  for (const id of ['1', '2']) expect(await things.insert({ id, code: '' })).toEqual({ id, code: null })
  expect(await things.lookup(['code'])({ code: '' })).toBeNull()
})

test.runIf(inject('dialects').includes('mysql'))(
  'an update of nothing with such a value finds its row, whatever mysql2 counts',
  async () => {
    const { url, close } = await openDatabase('mysql', { migrations: ['create table thing (id varchar(9) primary key, code varchar(9))'] })
    const client = mysql.createPool({ uri: url, flags: ['-FOUND_ROWS'] })
    onTestFinished(async () => {
      await client.end()
      await close()
    })
    const things = openTable(connect('test', dialects.mysql, drizzle({ client })), tables.mysql, {}, ['id'])
    await things.insert({ id: '1', code: 'x' })
    expect(await things.updateByKey({ id: '1', code: 'x' })).toEqual({ id: '1', code: 'X' })
  },
)
