import type { Column } from 'drizzle-orm'
import { getTableColumns, sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import { describe, expect, test } from 'vitest'
import { mysql } from '../../src/mysql/dialect.js'

const custom = (type: string) => my.customType<{ data: unknown }>({ dataType: () => type })()

const columns = getTableColumns(
  my.mysqlTable('t', {
    tinyint: my.tinyint(),
    unsignedTiny: my.tinyint({ unsigned: true }),
    smallint: my.smallint(),
    mediumint: my.mediumint(),
    int: my.int(),
    integer: custom('INTEGER'),
    sizedInt: custom('int(10) unsigned'),
    bigint: my.bigint({ mode: 'bigint' }),
    unsignedBig: my.bigint({ mode: 'bigint', unsigned: true }),
    serial: my.serial(),
    float: my.float(),
    decimal: my.decimal({ precision: 10, scale: 2 }),
    decimalShort: my.decimal({ precision: 5 }),
    decimalPlain: my.decimal(),
    decimalLong: my.decimal({ precision: 20, scale: 2 }),
    decimalTiny: my.decimal({ precision: 5, scale: 2 }),
    decimalFine: my.decimal({ precision: 20, scale: 10 }),
    decimalSpaced: custom('DECIMAL(20, 2)'),
    varchar: my.varchar({ length: 5 }),
    char: my.char({ length: 5 }),
    character: custom('character(5)'),
    tinytext: my.tinytext(),
    text: my.text(),
    mediumtext: my.mediumtext(),
    longtext: my.longtext(),
    binary: my.binary({ length: 5 }),
    varbinary: my.varbinary({ length: 5 }),
    blob: custom('blob'),
    timestamp: my.timestamp(),
    datetime: my.datetime(),
    json: my.json(),
    custom: custom('geometry'),
    required: my.varchar({ length: 5 }).notNull(),
  }),
) as unknown as Record<string, Column>

const column = (name: string) => columns[name] as Column
const bytes = (text: string) => new TextEncoder().encode(text)
const grin = '\u{1F600}'

describe('values that a column cannot store unchanged', () => {
  test.each<[string, unknown[], unknown[], string?]>([
    ['tinyint', [0, 127, -128, 127n, 1.5], [128, -129, 128n]],
    ['unsignedTiny', [0, 255], [-1, 256]],
    ['smallint', [32_767, -32_768], [32_768]],
    ['mediumint', [2 ** 23 - 1, -(2 ** 23)], [2 ** 23]],
    [
      'int',
      [2 ** 31 - 1, '2147483647', '-2147483648', '2147483647.55', 'x2147483648', '2147483648x'],
      [2 ** 31, '2147483648', '-2147483649', '2147483648.55'],
    ],
    ['integer', [2 ** 31 - 1], [2 ** 31, '2147483648']],
    ['sizedInt', [2 ** 32 - 1, '4294967295'], [2 ** 32, -1, '-1']],
    ['bigint', [2n ** 63n - 1n, -(2n ** 63n)], [2n ** 63n, '9223372036854775808']],
    ['unsignedBig', [2n ** 64n - 1n, '18446744073709551615'], [2n ** 64n, -1n, '18446744073709551616', '1'.repeat(21)]],
    ['serial', [2n ** 63n - 1n], [2n ** 63n]],
    ['float', [1e300, 2 ** 70], []],
    ['decimal', ['99999999.99', '-99999999.99', '0.00'], ['100000000.00', '-100000000.00', '100000000']],
    ['decimalShort', ['99999', '-99999'], ['100000', '-100000']],
    ['decimalPlain', ['9999999999', '-9999999999'], ['10000000000']],
    ['decimalLong', ['123456789.00', '999999999999999999.99'], ['1000000000000000000.00']],
    ['decimalTiny', ['999.99'], ['1000.00']],
    ['decimalFine', ['9999999999.0000000001'], ['10000000000.0000000001']],
    ['decimalSpaced', ['999999999999999999.99'], ['1000000000000000000.00']],
    ['varchar', ['abcde', '', '12345', 'ab ', grin.repeat(5)], ['abcdef', '123456', grin.repeat(6), 'a'.repeat(11)], 'too-long'],
    ['char', ['abcde', grin.repeat(5)], ['abcdef'], 'too-long'],
    ['char', [' ab'], ['ab ', ' ']],
    ['character', ['abcde'], ['abcdef'], 'too-long'],
    ['tinytext', ['a'.repeat(255), `${'é'.repeat(127)}a`], ['a'.repeat(256), 'é'.repeat(128)], 'too-long'],
    ['text', ['a'.repeat(2 ** 16 - 1), 'ab '], ['a'.repeat(2 ** 16)], 'too-long'],
    // Measured only where they could be too long, because that takes long.
    ['mediumtext', ['a'.repeat(2 ** 22)], ['a'.repeat(2 ** 25 - 1)], 'too-long'],
    ['longtext', ['a'.repeat(2 ** 17)], []],
    ['binary', ['abcde', 'éé', bytes('abcde')], ['abcdef', 'ééé', bytes('abcdef')], 'too-long'],
    ['varbinary', ['abcde', bytes('abcde'), new DataView(new ArrayBuffer(5))], ['ééé', new DataView(new ArrayBuffer(6))], 'too-long'],
    ['blob', [bytes('a'.repeat(70_000))], []],
    ['timestamp', [new Date(1000), new Date(2 ** 31 * 1000 - 1)], [new Date(999), new Date(2 ** 31 * 1000), new Date(-1)]],
    [
      'datetime',
      [new Date(0), new Date('9999-12-31T23:59:59.999Z')],
      [new Date('+010000-01-01T00:00:00Z'), new Date('-000001-01-01T00:00:00Z'), new Date(Number.NaN)],
    ],
    // mysql2 would write their properties into the statement.
    ['custom', ['text', 5, true, sql`now()`], [{}, [], { toSqlString: () => '1' }]],
    ['json', [{}, []], []],
    ['varchar', [null, undefined, sql`now()`, {}], []],
    ['required', ['a'], [null], 'missing-value'],
  ])('%s', (name, stored, rejected, reason = 'invalid') => {
    const reasons = (values: unknown[]) => values.map((value) => mysql.sql.reasonToReject(column(name), value))
    expect(reasons(stored)).toEqual(stored.map(() => undefined))
    expect(reasons(rejected)).toEqual(rejected.map(() => reason))
  })

  test('the spelling of decimals', () => {
    const matches = (name: string, text: string) => mysql.sql.decimalSpelling(column(name)).test(text)
    expect([matches('decimal', '1.00'), matches('decimal', '1'), matches('decimal', '1.0')]).toEqual([true, false, false])
    expect([matches('decimalPlain', '1'), matches('decimalPlain', '1.0')]).toEqual([true, false])
  })
})
