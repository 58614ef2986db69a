import type { Column } from 'drizzle-orm'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { inspectors } from '../../../src/doctor/index.js'

// The types as the catalogs of the databases and Drizzle write them.
test.each([
  ['pg', 'character varying(255)', { holds: 'text', length: 255 }],
  ['pg', 'varchar (36)', { holds: 'text', length: 36 }],
  ['pg', 'timestamp (3)', { holds: 'date', fraction: 3 }],
  ['pg', 'timestamp(3) with time zone', { holds: 'zoned date', fraction: 3 }],
  ['pg', 'timestamptz(0)', { holds: 'zoned date', fraction: 0 }],
  ['pg', 'varchar(9)[]', { holds: 'other' }],
  ['pg', 'timestamp(3) without time zone[]', { holds: 'other' }],
  ['pg', '"Date"', { holds: 'other' }],
  ['mysql', 'integer unsigned', { holds: 'integer', bits: 32 }],
  ['mysql', 'serial', { holds: 'integer', bits: 64 }],
  ['mysql', 'tinyint(1)', { holds: 'boolean' }],
  ['mysql', 'timestamp(6)', { holds: 'date', fraction: 6, endsIn2038: true }],
  ['mysql', 'varbinary(1020)', { holds: 'text', length: 1020, isBinary: true }],
  ['mysql', 'text', { holds: 'text', length: 65_535, isBinary: true }],
  ['mysql', 'longtext character set utf8mb4', { holds: 'text' }],
  ['mysql', "enum('a','b')", { holds: 'other' }],
  // https://sqlite.org/datatype3.html#determination_of_column_affinity: the rules have an order, and this contains INT.
  ['sqlite', 'charint', { holds: 'integer' }],
  ['sqlite', 'varchar(255)', { holds: 'text' }],
  ['sqlite', '', { holds: 'bytes' }],
  ['sqlite', 'double', { holds: 'number' }],
] as const)('parses the type of %s %j', (dialect, type, expected) => expect(inspectors[dialect].parseType(type)).toEqual(expected))

test('a column of SQLite in the mode timestamp has no milliseconds', () => {
  const { seconds, milliseconds } = sqliteTable('dates', {
    seconds: integer({ mode: 'timestamp' }),
    milliseconds: integer({ mode: 'timestamp_ms' }),
  }) as unknown as Record<string, Column>
  expect(inspectors.sqlite.parseType('integer', seconds)).toEqual({ holds: 'integer', fraction: 0 })
  expect(inspectors.sqlite.parseType('integer', milliseconds)).toEqual({ holds: 'integer' })
})
