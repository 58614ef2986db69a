import type { Column } from 'drizzle-orm'
import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { mysql } from '../../../src/doctor/mysql.js'
import { pg } from '../../../src/doctor/pg.js'
import { sqlite } from '../../../src/doctor/sqlite.js'

const integerOf = (bits: number) => ({ holds: 'integer', bits })
const textOf = (length: number, isBinary: boolean) => ({ holds: 'text', length, isBinary })

describe('a type of PostgreSQL', () => {
  test.each([
    ['smallint', integerOf(15)],
    ['smallserial', integerOf(15)],
    ['integer', integerOf(31)],
    ['int', integerOf(31)],
    ['serial', integerOf(31)],
    ['bigint', integerOf(63)],
    ['bigserial', integerOf(63)],
    ['BIGINT', integerOf(63)],
    ['text', { holds: 'text' }],
    ['citext', { holds: 'text' }],
    ['bpchar', { holds: 'text' }],
    ['varchar', { holds: 'text' }],
    ['character varying', { holds: 'text' }],
    ['character varying(255)', { holds: 'text', length: 255 }],
    ['varchar(36)', { holds: 'text', length: 36 }],
    ['varchar (36)', { holds: 'text', length: 36 }],
    ['varchar(36 )', { holds: 'text', length: 36 }],
    ['character(3)', { holds: 'text', length: 3 }],
    ['char(3)', { holds: 'text', length: 3 }],
    ['timestamp', { holds: 'date', fraction: 6 }],
    ['timestamp (3)', { holds: 'date', fraction: 3 }],
    ['timestamp without time zone', { holds: 'date', fraction: 6 }],
    ['timestamp(0) without time zone', { holds: 'date', fraction: 0 }],
    ['timestamp(3) with time zone', { holds: 'zoned date', fraction: 3 }],
    ['timestamptz', { holds: 'zoned date', fraction: 6 }],
    ['timestamptz(0)', { holds: 'zoned date', fraction: 0 }],
    ['date', { holds: 'day' }],
    ['boolean', { holds: 'boolean' }],
    ['uuid', { holds: 'uuid' }],
    ['bytea', { holds: 'bytes' }],
    ['json', { holds: 'json' }],
    ['jsonb', { holds: 'json' }],
    ['numeric', { holds: 'number' }],
    ['numeric(10,2)', { holds: 'number' }],
    ['numeric(10, 2)', { holds: 'number' }],
    ['real', { holds: 'number' }],
    ['double precision', { holds: 'number' }],
    ['interval', { holds: 'other' }],
    ['time without time zone', { holds: 'other' }],
  ])('%s', (type, expected) => expect(pg.parseType(type)).toEqual(expected))

  test.each([
    'text[]',
    'integer[]',
    'varchar(9)[]',
    'character varying(255)[]',
    'numeric(10,2)[]',
    'timestamp[]',
    'timestamp(3) without time zone[]',
    'timestamp(3) with time zone[]',
    'numeric(10,2)[][]',
  ])('%s, an array, is not taken for its elements', (type) => expect(pg.parseType(type)).toEqual({ holds: 'other' }))

  test.each(['mood', '"Date"', 'timestamps', 'my timestamp', '"my text"', 'my text', 'texts', 'textual(3)', '', '(3)'])(
    '%j, a type of the app, is not taken for one of the server',
    (type) => expect(pg.parseType(type)).toEqual({ holds: 'other' }),
  )
})

describe('a type of MySQL', () => {
  test.each([
    ['smallint', integerOf(15)],
    ['smallint(5) unsigned', integerOf(16)],
    ['mediumint', integerOf(23)],
    ['int', integerOf(31)],
    ['int(11)', integerOf(31)],
    ['INT', integerOf(31)],
    ['integer', integerOf(31)],
    ['integer unsigned', integerOf(32)],
    ['int unsigned', integerOf(32)],
    ['int(10) unsigned', integerOf(32)],
    ['bigint', integerOf(63)],
    ['bigint(20)', integerOf(63)],
    ['bigint unsigned', integerOf(64)],
    ['serial', integerOf(64)],
    ['datetime', { holds: 'date', fraction: 0 }],
    ['datetime(3)', { holds: 'date', fraction: 3 }],
    ['timestamp', { holds: 'date', fraction: 0, endsIn2038: true }],
    ['timestamp(6)', { holds: 'date', fraction: 6, endsIn2038: true }],
    ['varchar(255)', textOf(255, false)],
    ['char(36)', textOf(36, false)],
    ['char(36 )', textOf(36, false)],
    ['char', textOf(1, false)],
    ['varbinary(1020)', textOf(1020, true)],
    ['binary(16)', textOf(16, true)],
    ['binary', textOf(1, true)],
    ['tinytext', textOf(255, true)],
    ['tinyblob', textOf(255, true)],
    ['text', textOf(65_535, true)],
    ['blob', textOf(65_535, true)],
    ['mediumtext', { holds: 'text' }],
    ['mediumblob', { holds: 'text' }],
    ['longtext', { holds: 'text' }],
    ['longtext character set utf8mb4', { holds: 'text' }],
    ['longblob', { holds: 'text' }],
    ['tinyint', { holds: 'boolean' }],
    ['tinyint(1)', { holds: 'boolean' }],
    ['bool', { holds: 'boolean' }],
    ['boolean', { holds: 'boolean' }],
    ['json', { holds: 'json' }],
    ['date', { holds: 'day' }],
    ['uuid', { holds: 'uuid' }],
    ['decimal(10,2)', { holds: 'number' }],
    ['float', { holds: 'number' }],
    ['double', { holds: 'number' }],
    ["enum('a','b')", { holds: 'other' }],
    ['time', { holds: 'other' }],
    ['point', { holds: 'other' }],
    ['', { holds: 'other' }],
    // Names that contain that of another type.
    ['mychar(3)', { holds: 'other' }],
    ['charset', { holds: 'other' }],
    ['mytimestamp', { holds: 'other' }],
    ['timestamps', { holds: 'other' }],
    ['verylongtext', { holds: 'other' }],
    ['longtexts', { holds: 'other' }],
    ['my int', { holds: 'other' }],
    ['`int`', { holds: 'other' }],
  ])('%s', (type, expected) => expect(mysql.parseType(type)).toEqual(expected))
})

describe('a type of SQLite', () => {
  test.each([
    ['integer', 'integer'],
    ['INT', 'integer'],
    ['bigint', 'integer'],
    // SQLite's rules have an order: this contains INT.
    ['charint', 'integer'],
    ['text', 'text'],
    ['varchar(255)', 'text'],
    ['clob', 'text'],
    ['nchar(5)', 'text'],
    ['blob', 'bytes'],
    ['', 'bytes'],
    ['real', 'number'],
    ['double', 'number'],
    ['float', 'number'],
    ['numeric', 'integer'],
    ['timestamp', 'integer'],
  ])('%j holds %s', (type, holds) => expect(sqlite.parseType(type)).toEqual({ holds }))

  const { seconds, milliseconds, decimalSeconds, words } = sqliteTable('dates', {
    seconds: integer({ mode: 'timestamp' }),
    milliseconds: integer({ mode: 'timestamp_ms' }),
    decimalSeconds: real(),
    words: text(),
  }) as unknown as Record<string, Column>

  test('a column that code reads as seconds has no milliseconds', () => {
    expect(sqlite.parseType('integer', seconds)).toEqual({ holds: 'integer', fraction: 0 })
    expect(sqlite.parseType('numeric', seconds)).toEqual({ holds: 'integer', fraction: 0 })
    expect(sqlite.parseType('integer', milliseconds)).toEqual({ holds: 'integer' })
    expect(sqlite.parseType('real', decimalSeconds)).toEqual({ holds: 'number' })
    expect(sqlite.parseType('text', words)).toEqual({ holds: 'text' })
  })
})

describe('SQL of a fix', () => {
  test('has names in the quotes of the database', () => {
    expect(pg.quote('a"b"c')).toBe('"a""b""c"')
    expect(sqlite.quote('a"b"c')).toBe('"a""b""c"')
    expect(mysql.quote('a`b`c')).toBe('`a``b``c`')
  })

  test('changes the type of a column', () => {
    expect(pg.changeType('"user"', '"id"', 'text', true)).toBe('ALTER TABLE "user" ALTER COLUMN "id" TYPE text USING "id"::text;')
    expect(mysql.changeType('`user`', '`id`', 'varchar(36)', true)).toBe('ALTER TABLE `user` MODIFY `id` varchar(36) NOT NULL;')
    expect(mysql.changeType('`user`', '`name`', 'text', false)).toBe('ALTER TABLE `user` MODIFY `name` text;')
    expect(sqlite.changeType('"user"', '"id"', 'text', true)).toContain('drizzle-kit push')
  })

  test('adds a foreign key that cascades', () => {
    for (const { addForeignKey } of [pg, mysql])
      expect(addForeignKey('session', 'userId', 'user', 'id')).toBe(
        'ALTER TABLE session ADD FOREIGN KEY (userId) REFERENCES user (id) ON DELETE CASCADE;',
      )
    expect(sqlite.addForeignKey('session', 'userId', 'user', 'id')).toContain('drizzle-kit push')
  })

  test('writes a text in lower case', () => {
    expect(pg.lowerCase('"email"')).toBe('LOWER("email")')
    expect(sqlite.lowerCase('"email"')).toBe('LOWER("email")')
    // LOWER does nothing to the bytes of a binary column.
    expect(mysql.lowerCase('`email`')).toBe('LOWER(CONVERT(`email` USING utf8mb4))')
  })
})
