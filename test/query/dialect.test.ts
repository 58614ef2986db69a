import type { Column } from 'drizzle-orm'
import * as lite from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { hasForms, rejectByteOrderMarks } from '../../src/query/dialect.js'
import { sqlite } from '../../src/sqlite/dialect.js'

test.each([
  [{ id: ['1', '2'] }, true],
  [{ provider: 'github', id: ['1'] }, true],
  [{ provider: 'github', id: '1' }, false],
  [{ id: null }, false],
  [{}, false],
])('whether a value of %j can have several forms: %s', (where, expected) => expect(hasForms(where)).toBe(expected))

test('text that starts with a byte order mark is rejected where the driver would drop the mark', () => {
  const column = lite.sqliteTable('people', { id: lite.text() }).id as Column
  const dialect = rejectByteOrderMarks(sqlite.sql)
  for (const sent of ['\ufeff', '\ufeffada']) expect(dialect.reasonToReject(column, sent)).toBe('garbled')
  for (const sent of ['ada', '', 'ada\ufeff', 5, null, ['\ufeff']]) expect(dialect.reasonToReject(column, sent)).toBeUndefined()
  expect(dialect.reasonToReject(column, 'ada\0')).toBe('invalid')
  expect(sqlite.sql.reasonToReject(column, '\ufeffada')).toBeUndefined()
  expect({ ...dialect, reasonToReject: undefined }).toEqual({ ...sqlite.sql, reasonToReject: undefined })
})
