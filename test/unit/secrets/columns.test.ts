import type { Column, Table } from 'drizzle-orm'
import { getTableColumns } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { checkAccountColumns, checkSessionColumns } from '../../../src/secrets/columns.js'

/** Makes a column of a dialect's builder. */
const columnsOf = (create: unknown) => (builder: unknown) =>
  getTableColumns((create as (name: string, columns: object) => Table)('t', { column: builder })).column as unknown as Column
const inPg = columnsOf(pg.pgTable)
const inMysql = columnsOf(my.mysqlTable)
const inSqlite = columnsOf(lite.sqliteTable)
const ofType = (type: string) => inPg(pg.customType<{ data: string }>({ dataType: () => type })())
const named = (columns: Column[]) => columns.map((column) => [column.getSQLType(), column] as const)

const padded = / is .*, which pads what it stores\. Make it a varchar or a text/
const small = (length: string) => new RegExp(` is .*, which cannot hold a protected token. Make it a text of ${length} characters or more`)

describe('a column for session tokens', () => {
  const check = (sessionToken: Column) => () => checkSessionColumns('caller', { sessionToken })

  test.each(
    named([
      inPg(pg.text()),
      inPg(pg.varchar({ length: 46 })),
      inMysql(my.varbinary({ length: 46 })),
      inMysql(my.tinytext()),
      inSqlite(lite.text({ length: 46 })),
      ...['citext', 'VARCHAR (46)', 'character varying(46)'].map(ofType),
    ]),
  )('can be %s', (_, column) => expect(check(column)).not.toThrow())

  test.each(
    named([
      inPg(pg.uuid()),
      inPg(pg.varchar({ length: 45 })),
      inPg(pg.integer()),
      inPg(pg.numeric()),
      inPg(pg.pgEnum('mood', ['glad', 'sad'])()),
      ...['VARCHAR (45)', 'character varying(45)', 'varbinary(45)', 'bigint'].map(ofType),
    ]),
  )('is too small as %s', (_, column) => expect(check(column)).toThrow(small('46')))

  test.each(named([inPg(pg.char({ length: 46 })), inMysql(my.binary({ length: 46 })), ofType('bpchar')]))(
    'must not be padded, as %s is',
    (_, column) => expect(check(column)).toThrow(padded),
  )
})

test.each(['access_token', 'refresh_token', 'id_token'])('the column %s must hold 4,000 characters', (field) => {
  const check = (column: Column) => () => checkAccountColumns('caller', { scope: inPg(pg.varchar({ length: 20 })), [field]: column })
  expect(check(inPg(pg.varchar({ length: 4_000 })))).not.toThrow()
  for (const column of [inPg(pg.varchar({ length: 3_999 })), inMysql(my.tinytext())]) {
    expect(check(column)).toThrow(small('4,000'))
    expect(check(column)).toThrow(`caller: the column ${field} of accountsTable is`)
  }
})
