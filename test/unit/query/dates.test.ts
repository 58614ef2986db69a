import { datetime, mysqlTable } from 'drizzle-orm/mysql-core'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { decodeDate } from '../../../src/query/kinds.js'

describe('a date as text', () => {
  const { at } = mysqlTable('dates', { at: datetime() })

  test.each([
    ['2026-06-05', '2026-06-05T00:00:00.000Z'],
    ['2026-06-05 01:02:03', '2026-06-05T01:02:03.000Z'],
    ['2026-06-05 01:02:03.4', '2026-06-05T01:02:03.400Z'],
    ['2026-06-05 01:02:03.45+00', '2026-06-05T01:02:03.450Z'],
    ['2026-06-05 01:02:03.456', '2026-06-05T01:02:03.456Z'],
    ['2026-06-05 01:02:03.456999', '2026-06-05T01:02:03.456Z'],
    ['2026-06-05T01:02:03.456Z', '2026-06-05T01:02:03.456Z'],
    ['2026-06-05 01:02:03+00', '2026-06-05T01:02:03.000Z'],
    ['2026-06-05 01:02:03+05:30', '2026-06-04T19:32:03.000Z'],
    ['2026-06-05 01:02:03-0330', '2026-06-05T04:32:03.000Z'],
    // PostgreSQL has such offsets for dates before standard time.
    ['1883-01-01 00:00:00-04:56:02', '1883-01-01T04:56:02.000Z'],
    ['0050-06-05 01:02:03', '0050-06-05T01:02:03.000Z'],
    ['12026-06-05 01:02:03', '+012026-06-05T01:02:03.000Z'],
  ])('%s is %s', (text, instant) => expect(decodeDate(text, at)?.toISOString()).toBe(instant))

  test.each([
    ...['0000-00-00', '2026-00-00', '2026-06-00', '2026-02-31', '2026-06-05 25:00:00', '2026-06-05 01:02:03.', '2026-06-05 01:02:03.4x'],
    ...['05/06/2026 01:02:03', '05.06.2026 01:02:03', 'Fri Jun 05 01:02:03 2026', '0044-03-15 12:00:00 BC', 'infinity', '', '1780621323'],
  ])('%j is not a date', (text) => {
    expect(decodeDate(text, at)).toBeUndefined()
  })
})

describe('a date as a number', () => {
  const { seconds, milliseconds } = sqliteTable('dates', {
    seconds: integer({ mode: 'timestamp' }),
    milliseconds: integer({ mode: 'timestamp_ms' }),
  })

  test.each([1_780_621_323, 1_780_621_323n, '1780621323'])('may be a number, a bigint or text: %s', (count) => {
    expect(decodeDate(count, seconds)).toEqual(new Date('2026-06-05T01:02:03Z'))
    expect(decodeDate(count, milliseconds)).toEqual(new Date('1970-01-21T14:37:01.323Z'))
  })

  test.each(['never', '', Number.POSITIVE_INFINITY, 2n ** 63n, 8_640_000_000_000_001, new Uint8Array(2)])('%s is not a date', (raw) => {
    expect(decodeDate(raw, milliseconds)).toBeUndefined()
  })
})
