import type { Column } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import * as post from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { expect, test } from 'vitest'
import type { Database } from '../../../../src/query/drizzle.js'
import { columnName, tableNames } from '../../../src/doctor/table.js'

const noRows = async () => ({ rows: [] })

test('tableNames separates the schema from the name', () => {
  expect(tableNames(post.pgTable('user', {}))).toEqual({ schema: undefined, name: 'user' })
  expect(tableNames(post.pgSchema('a.b').table('c.d', {}))).toEqual({ schema: 'a.b', name: 'c.d' })
})

// columnName reads the name from a statement that Drizzle writes.
test.each(['userId', 'a"b', 'a""b"', 'a.b', 'x" from y', 'a\nselect "b" from c'])('columnName reads %j on PostgreSQL', (name) => {
  const table = post.pgSchema('a"b').table('c"d', { column: post.text(name) })
  expect(columnName(drizzlePg(noRows) as unknown as Database, table, table.column as Column)).toBe(name)
})

test.each(['userId', 'a`b', 'a.b', 'x` from y'])('columnName reads %j on MySQL', (name) => {
  const table = my.mysqlSchema('a`b').table('c`d', { column: my.text(name) })
  expect(columnName(drizzleMysql(noRows) as unknown as Database, table, table.column as unknown as Column)).toBe(name)
})
