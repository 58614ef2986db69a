import type { Column } from 'drizzle-orm'
import * as post from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { expect, test } from 'vitest'
import type { Database } from '../../../../src/query/drizzle.js'
import { columnName, tableNames } from '../../../src/doctor/table.js'

test('tableNames separates the schema from the name', () => {
  expect(tableNames(post.pgTable('user', {}))).toEqual({ schema: undefined, name: 'user' })
  expect(tableNames(post.pgSchema('a.b').table('c.d', {}))).toEqual({ schema: 'a.b', name: 'c.d' })
})

// columnName reads the name from a statement that Drizzle writes.
test.each(['userId', 'a"b', 'a.b', 'x" from y'])('columnName reads %j', (name) => {
  const table = post.pgSchema('a"b').table('c"d', { column: post.text(name) })
  expect(columnName(drizzle(async () => ({ rows: [] })) as unknown as Database, table, table.column as Column)).toBe(name)
})
