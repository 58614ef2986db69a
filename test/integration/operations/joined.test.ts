import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { expect, inject, onTestFinished, test } from 'vitest'
import { dialects } from '../../../src/dialects.js'
import { connect } from '../../../src/query/connection.js'
import { asPair } from '../../../src/query/lookup.js'
import { openTable } from '../../../src/query/table.js'
import { openDatabase } from '../../support/databases.js'

const mysqlBlob = my.customType<{ data: Buffer }>({ dataType: () => 'blob' })

// Parents whose first column may be empty, with a column that Drizzle decodes.
const tables = {
  pg: [
    pg.pgTable('parent', { note: pg.text(), id: pg.text().primaryKey(), other: pg.text().array() }),
    pg.pgTable('child', { id: pg.text().primaryKey(), parentId: pg.text('parent_id') }),
  ],
  mysql: [
    my.mysqlTable('parent', { note: my.varchar({ length: 9 }), id: my.varchar({ length: 9 }).primaryKey(), other: mysqlBlob() }),
    my.mysqlTable('child', { id: my.varchar({ length: 9 }).primaryKey(), parentId: my.varchar('parent_id', { length: 9 }) }),
  ],
  sqlite: [
    lite.sqliteTable('parent', { note: lite.text(), id: lite.text().primaryKey(), other: lite.blob() }),
    lite.sqliteTable('child', { id: lite.text().primaryKey(), parentId: lite.text('parent_id') }),
  ],
} as const
const others = { pg: 'text[]', mysql: 'blob', sqlite: 'blob' }

test.each(inject('dialects'))('a row of %s is found with the one it refers to, whose first column is empty', async (dialect) => {
  const migrations = [
    `create table parent (note varchar(9), id varchar(9) primary key, other ${others[dialect]})`,
    'create table child (id varchar(9) primary key, parent_id varchar(9))',
  ]
  const { db, close } = await openDatabase(dialect, { migrations })
  onTestFinished(close)
  const connection = connect('test', dialects[dialect], db)
  const [parents, children] = tables[dialect].map((table) => openTable(connection, table, {}, ['id'])) as [Opened, Opened]
  const other = await parents.insert({ id: 'parent' })
  const row = await children.insert({ id: 'child', parentId: 'parent' })
  const orphan = await children.insert({ id: 'orphan', parentId: 'nobody' })
  const lookup = children.lookupWith(['id'], parents, { from: 'parentId', to: 'id', isOptional: true }, asPair)
  expect(await lookup({ id: 'child' })).toEqual([row, other])
  expect(await lookup({ id: 'orphan' })).toEqual([orphan, null])
})

type Opened = ReturnType<typeof openTable>
