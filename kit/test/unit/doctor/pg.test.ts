import { expect, test } from 'vitest'
import { pg } from '../../../src/doctor/pg.js'

// The types as format_type() of PostgreSQL and as Drizzle write them.
test.each([
  ['integer', { holds: 'integer', bits: 31 }],
  ['BIGINT', { holds: 'integer', bits: 63 }],
  ['citext', { holds: 'text' }],
  ['character varying', { holds: 'text' }],
  ['character varying(255)', { holds: 'text', length: 255 }],
  ['varchar (36)', { holds: 'text', length: 36 }],
  ['timestamp (3)', { holds: 'date', fraction: 3 }],
  ['timestamp without time zone', { holds: 'date', fraction: 6 }],
  ['timestamp(3) with time zone', { holds: 'zoned date', fraction: 3 }],
  ['timestamptz(0)', { holds: 'zoned date', fraction: 0 }],
  ['numeric(10,2)', { holds: 'number' }],
  ['date', { holds: 'day' }],
  ['varchar(9)[]', { holds: 'other' }],
  ['timestamp(3) without time zone[]', { holds: 'other' }],
  ['timestamps', { holds: 'other' }],
  ['"Date"', { holds: 'other' }],
])('parses the type %s', (type, expected) => expect(pg.parseType(type)).toEqual(expected))
