import type { Column } from 'drizzle-orm'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { sqlite } from '../../../src/doctor/sqlite.js'

// https://sqlite.org/datatype3.html#determination_of_column_affinity
test.each([
  ['BIGINT', 'integer'],
  // The rules have an order: this contains INT.
  ['charint', 'integer'],
  ['varchar(255)', 'text'],
  ['clob', 'text'],
  ['blob', 'bytes'],
  ['', 'bytes'],
  ['double', 'number'],
  // NUMERIC stores whole numbers as integers.
  ['numeric', 'integer'],
  ['timestamp', 'integer'],
])('parses the type %j', (type, holds) => expect(sqlite.parseType(type)).toEqual({ holds }))

test('a column in the mode timestamp has no milliseconds', () => {
  const { seconds, milliseconds } = sqliteTable('dates', {
    seconds: integer({ mode: 'timestamp' }),
    milliseconds: integer({ mode: 'timestamp_ms' }),
  }) as unknown as Record<string, Column>
  expect(sqlite.parseType('integer', seconds)).toEqual({ holds: 'integer', fraction: 0 })
  expect(sqlite.parseType('integer', milliseconds)).toEqual({ holds: 'integer' })
})
