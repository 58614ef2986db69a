import { sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
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

test.each(inject('dialects'))('on %s, a custom type that sends SQL is refused at its first use, with a sentence', async (dialect) => {
  const { db, close } = await openDatabase(dialect, { migrations: ['create table thing (id varchar(9) primary key, code varchar(9))'] })
  onTestFinished(close)
  const things = openTable(connect('test', dialects[dialect], db), tables[dialect], {}, ['id'])
  const refused = { name: 'AdapterConfigError', message: expect.stringMatching(/column code of thing has a custom type that sends an SQL/) }
  await things.insert({ id: '1' })
  const uses = {
    insert: () => things.insert({ id: '2', code: 'x' }),
    update: () => things.updateByKey({ id: '1', code: 'x' }),
    lookup: () => things.lookup(['code'])({ code: 'x' }),
    count: () => things.count({ column: 'code', is: 'eq', value: 'x' }),
  }
  for (const [name, use] of Object.entries(uses)) await expect(use(), name).rejects.toMatchObject(refused)
  expect(await things.list({ and: [] })).toEqual([{ id: '1', code: null }])
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
