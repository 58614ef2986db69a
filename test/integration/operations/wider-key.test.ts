import { customType, mysqlTable, varchar } from 'drizzle-orm/mysql-core'
import { expect, inject, onTestFinished, test } from 'vitest'
import { dialects } from '../../../src/dialects.js'
import { connect } from '../../../src/query/connection.js'
import { openTable } from '../../../src/query/table.js'
import { openDatabase } from '../../support/databases.js'

// A type that sends null for what is none of its values.
const letter = customType<{ data: string }>({
  dataType: () => 'varchar(50)',
  toDriver: (value) => (/^\w$/.test(value) ? value : null) as string,
})
const drizzleTable = mysqlTable('item', { id: letter().primaryKey(), kind: varchar({ length: 5 }) })

// On MySQL a row is read first, then written by its key.
test.runIf(inject('dialects').includes('mysql'))('a key that the definition does not allow never means all rows', async () => {
  const migrations = [
    'create table item (id varchar(50) primary key, kind varchar(5))',
    "insert into item values ('no letter', 'a'), ('b', 'b'), ('c', 'c')",
  ]
  const { db, run, close } = await openDatabase('mysql', { migrations })
  onTestFinished(close)
  const items = openTable(connect('test', dialects.mysql, db), drizzleTable, {}, ['id'])
  const isA = { column: 'kind', is: 'eq', value: 'a' } as const
  const garbled = expect.objectContaining({ kind: 'garbled', details: expect.objectContaining({ table: 'item', column: 'id' }) })
  await expect(items.deleteOne(isA)).rejects.toEqual(garbled)
  await expect(items.updateOne(isA, { kind: 'x' })).rejects.toEqual(garbled)
  expect(await run('select kind from item order by kind')).toEqual([{ kind: 'a' }, { kind: 'b' }, { kind: 'c' }])
})
