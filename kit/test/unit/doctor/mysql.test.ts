import { expect, test } from 'vitest'
import { mysql } from '../../../src/doctor/mysql.js'

// The types as information_schema of MySQL and MariaDB and as Drizzle write them.
test.each([
  ['int(11)', { holds: 'integer', bits: 31 }],
  ['int(10) unsigned', { holds: 'integer', bits: 32 }],
  ['integer unsigned', { holds: 'integer', bits: 32 }],
  ['bigint', { holds: 'integer', bits: 63 }],
  ['serial', { holds: 'integer', bits: 64 }],
  ['tinyint(1)', { holds: 'boolean' }],
  ['datetime', { holds: 'date', fraction: 0 }],
  ['timestamp(6)', { holds: 'date', fraction: 6, endsIn2038: true }],
  ['varchar(255)', { holds: 'text', length: 255, isBinary: false }],
  ['varbinary(1020)', { holds: 'text', length: 1020, isBinary: true }],
  ['text', { holds: 'text', length: 65_535, isBinary: true }],
  ['longtext character set utf8mb4', { holds: 'text' }],
  ['decimal(10,2)', { holds: 'number' }],
  ["enum('a','b')", { holds: 'other' }],
  ['charset', { holds: 'other' }],
  ['timestamps', { holds: 'other' }],
])('parses the type %s', (type, expected) => expect(mysql.parseType(type)).toEqual(expected))
