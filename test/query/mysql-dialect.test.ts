import type { Column, SQL, SQLWrapper } from 'drizzle-orm'
import { getTableColumns, sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import { MySqlDialect } from 'drizzle-orm/mysql-core'
import { drizzle as drizzleProxy } from 'drizzle-orm/mysql-proxy'
import { drizzle as drizzleMysql2 } from 'drizzle-orm/mysql2'
import { describe, expect, test } from 'vitest'
import { mysql } from '../../src/mysql/dialect.js'
import type { Database } from '../../src/query/drizzle.js'

const custom = (type: string) => my.customType<{ data: unknown }>({ dataType: () => type })()

const columns = getTableColumns(
  my.mysqlTable('t', {
    tinyint: my.tinyint(),
    int: my.int(),
    integer: custom('INTEGER'),
    sizedInt: custom('int(10) unsigned'),
    bigint: my.bigint({ mode: 'bigint' }),
    serial: my.serial(),
    counter: custom('serial'),
    decimal: my.decimal({ precision: 10, scale: 2 }),
    decimalNumber: my.decimal({ mode: 'number' }),
    varchar: my.varchar({ length: 5 }),
    char: my.char({ length: 5 }),
    character: custom('character(5)'),
    tinytext: my.tinytext(),
    text: my.text(),
    longtext: my.longtext(),
    utf8: custom('longtext character set utf8mb4'),
    enum: my.mysqlEnum(['a', 'b']),
    set: custom("set('a','b')"),
    binary: my.binary({ length: 5 }),
    varbinary: my.varbinary({ length: 5 }),
    blob: custom('blob'),
    timestamp: my.timestamp(),
    datetime: my.datetime(),
    date: my.date(),
    datetimeText: my.datetime({ mode: 'string' }),
    customDate: custom('datetime'),
    boolean: my.boolean(),
    json: my.json(),
    custom: custom('geometry'),
  }),
) as unknown as Record<string, Column>

const column = (name: string) => columns[name] as Column
const textOf = (expression: SQL | undefined) => expression && new MySqlDialect().sqlToQuery(expression).sql.replaceAll('`t`.', '')
// Drizzle 1.0 puts each part of an `and` in parentheses.
const conditionOf = (condition: SQL) => textOf(condition)?.replace(/^\(\((.*?)\) and \((.*)\)\)$/, '($1 and $2)')
const bytes = (text: string) => new TextEncoder().encode(text)

describe('conditions', () => {
  const same = (name: string, value: SQLWrapper = sql`?`) => conditionOf(mysql.sql.same(column(name), value))

  test.each(['tinyint', 'int', 'integer', 'sizedInt', 'serial', 'counter', 'decimalNumber', 'binary', 'varbinary', 'blob'])(
    'the values of %s are compared by the database',
    (name) => expect(same(name)).toBe(`\`${name}\` = ?`),
  )

  test.each(['varchar', 'tinytext', 'longtext', 'utf8', 'enum', 'decimal', 'custom'])(
    'the values of %s are compared byte by byte, after a comparison that can use an index',
    (name) =>
      expect(same(name)).toBe(
        `(\`${name}\` = ? and cast(convert(\`${name}\` using utf8mb4) as binary) = cast(convert(? using utf8mb4) as binary))`,
      ),
  )

  test.each(['char', 'character'])('the padding of %s does not count', (name) =>
    expect(same(name)).toContain(`cast(convert(trim(trailing ' ' from \`${name}\`) using utf8mb4) as binary) = `),
  )

  test('in a join, both columns are compared without their padding', () => {
    expect(same('varchar', column('char'))).toBe(
      "(`varchar` = `char` and cast(convert(`varchar` using utf8mb4) as binary) = cast(convert(trim(trailing ' ' from `char`) using utf8mb4) as binary))",
    )
  })

  test('a write has no RETURNING', () => {
    const query = {} as never
    expect(mysql.sql.withReturning(query, {})).toBe(query)
  })
})

describe('text in statements', () => {
  const proxy = mysql.forDriver?.(drizzleProxy(async () => ({ rows: [] })) as unknown as Database, {})
  const mysql2 = mysql.forDriver?.(drizzleMysql2.mock() as unknown as Database, {})
  const literal = (name: string, value: unknown) => textOf(proxy?.literal?.(column(name), value))
  const parameter = (name: string, value: unknown) => mysql2?.toParameter?.(column(name), value) as { toSqlString(): string } | undefined

  test.each([
    ["it's", "_utf8mb4 x'69742773'"],
    ['é', "_utf8mb4 x'c3a9'"],
    ['', "_utf8mb4 x''"],
    ['\ufeffa', "_utf8mb4 x'efbbbf61'"],
    ['\\a', "_utf8mb4 x'5c61'"],
    ['a\\', "_utf8mb4 x'615c'"],
  ])('%j is hexadecimal', (text, expected) => {
    expect(literal('varchar', text)).toBe(`(${expected})`)
    expect(parameter('varchar', text)?.toSqlString()).toBe(expected)
  })

  test('text that is the same in every character set and sql_mode is a parameter like any other', () => {
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
    expect(ascii.filter((character) => literal('text', character) === undefined).join('')).toBe(
      ' !#$%&()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
    )
    expect(literal('text', 'Ada Lovelace 1815')).toBeUndefined()
  })

  test('JSON is text', () => {
    expect(literal('json', { a: 1 })).toBe("(_utf8mb4 x'7b2261223a317d')")
    expect(parameter('json', { a: 1 })?.toSqlString()).toBe("_utf8mb4 x'7b2261223a317d'")
  })

  test('what is not text is a parameter', () => {
    for (const [name, value] of [
      ['int', 5],
      ['blob', Buffer.from("it's")],
    ] as const) {
      expect(literal(name, value)).toBeUndefined()
      expect(parameter(name, value)).toBeUndefined()
    }
  })

  test('which driver gets which', () => {
    expect(proxy).not.toHaveProperty('toParameter')
    expect(mysql2).not.toHaveProperty('literal')
  })
})

describe('what is read', () => {
  const reader = (name: string) => mysql.sql.reader?.(column(name))
  const decode = (name: string, raw: unknown) => reader(name)?.decode(raw)

  test.each(['varchar', 'tinytext', 'longtext', 'utf8', 'enum', 'set'])('%s is read as its bytes', (name) => {
    expect(textOf(reader(name)?.expression)).toBe(`cast(convert(\`${name}\` using utf8mb4) as binary)`)
    expect(decode(name, bytes('Zoë'))).toBe('Zoë')
    expect(decode(name, 'Zoë')).toBe('Zoë')
  })

  test('char is read without its padding', () => {
    expect(textOf(reader('char')?.expression)).toBe("cast(convert(trim(trailing ' ' from `char`) using utf8mb4) as binary)")
  })

  test('a type of the app decodes its text', () => {
    const upper = my.customType<{ data: string }>({ dataType: () => 'varchar(5)', fromDriver: (value) => `${value}`.toUpperCase() })
    const { shout } = getTableColumns(my.mysqlTable('t', { shout: upper() }))
    expect(mysql.sql.reader?.(shout)?.decode(bytes('ada'))).toBe('ADA')
  })

  test.each(['timestamp', 'datetime', 'date'])('%s is read as text, and is in UTC', (name) => {
    expect(textOf(reader(name)?.expression)).toBe(`cast(\`${name}\` as binary)`)
    for (const [text, date] of [
      ['2026-03-01 12:34:56.789', '2026-03-01T12:34:56.789Z'],
      ['2026-03-01 12:34:56.789123', '2026-03-01T12:34:56.789Z'],
      ['2026-03-01 12:34:56', '2026-03-01T12:34:56.000Z'],
      ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ] as const)
      expect(decode(name, bytes(text))).toEqual(new Date(date))
    for (const text of [
      '2026-02-31',
      '0000-00-00 00:00:00',
      'x2026-03-01',
      '2026-03-01x',
      '2026-03-01 12:34',
      '2026-03-01 12:34:56.',
      '2026-03-01 12:34:56.789 2026-03-01',
      '',
    ])
      expect(decode(name, text)).toBeUndefined()
  })

  test('JSON is parsed', () => {
    expect(textOf(reader('json')?.expression)).toBe('cast(convert(`json` using utf8mb4) as binary)')
    expect(decode('json', bytes('{"a":["ë"]}'))).toEqual({ a: ['ë'] })
  })

  test('a decimal keeps its digits', () => {
    expect(textOf(reader('decimal')?.expression)).toBe('cast(`decimal` as binary)')
    expect(decode('decimal', bytes('12345678901234567890.10'))).toBe('12345678901234567890.10')
  })

  test.each<[string, [unknown, unknown][]]>([
    [
      'int',
      [
        [5, 5],
        ['5', 5],
        ['-5', -5],
        [5n, 5],
        ['x5', undefined],
        [null, undefined],
        ['', undefined],
      ],
    ],
    [
      'decimalNumber',
      [
        ['1.50', 1.5],
        [1.5, 1.5],
      ],
    ],
    [
      'bigint',
      [
        ['9007199254740993', 2n ** 53n + 1n],
        ['-1', -1n],
        [7, 7n],
        [7n, 7n],
        ['1.5', undefined],
        ['x1', undefined],
        ['1x', undefined],
      ],
    ],
    [
      'boolean',
      [
        [1, true],
        ['1', true],
        [true, true],
        ['true', true],
        [0, false],
        ['0', false],
        [false, false],
        ['false', false],
        [2, undefined],
      ],
    ],
  ])('%s is read from a number or its text', (name, values) => {
    expect(reader(name)?.expression).toBeUndefined()
    expect(values.map(([raw]) => decode(name, raw))).toEqual(values.map(([, value]) => value))
  })

  test.each(['datetimeText', 'customDate', 'custom', 'varbinary'])('%s is left to Drizzle', (name) => expect(reader(name)).toBeUndefined())
})
