import type { Column, Table } from 'drizzle-orm'
import { getTableColumns } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { AdapterConfigError } from '../../src/query/errors.js'
import { checkAccountColumns, checkSessionColumns } from '../../src/secrets/columns.js'

const custom = (type: string) => pg.customType<{ data: string }>({ dataType: () => type })()

/** One column of a table, made by its builder. */
function columnOf(builder: unknown): Column {
  const kind = (builder as { config: { columnType: string } }).config.columnType
  const create = (/^My/.test(kind) ? my.mysqlTable : /^SQ/.test(kind) ? lite.sqliteTable : pg.pgTable) as unknown as (
    name: string,
    columns: object,
  ) => Table
  return getTableColumns(create('t', { column: builder })).column as unknown as Column
}

const session = (builder: unknown) => () => checkSessionColumns('caller', { columns: { sessionToken: columnOf(builder) } } as never)
const account = (columns: Record<string, unknown>) => () =>
  checkAccountColumns('caller', {
    columns: Object.fromEntries(Object.entries(columns).map(([name, builder]) => [name, columnOf(builder)])),
  } as never)

function messageOf(check: () => void): string {
  try {
    check()
  } catch (error) {
    expect(error).toBeInstanceOf(AdapterConfigError)
    return (error as Error).message
  }
  return expect.fail('no error was thrown')
}

describe('a column for session tokens holds 46 characters', () => {
  const fitting = [
    pg.text(),
    pg.varchar(),
    pg.varchar({ length: 46 }),
    pg.char({ length: 46 }),
    my.varchar({ length: 46 }),
    my.varbinary({ length: 46 }),
    my.binary({ length: 46 }),
    my.tinytext(),
    my.text(),
    lite.text(),
    lite.text({ length: 46 }),
    lite.blob({ mode: 'buffer' }),
    ...['citext', 'VARCHAR(46)', 'varchar (46)', 'character varying(46)', 'character(46)', 'nchar(46)', 'nvarchar(46)', 'bpchar(46)'].map(
      custom,
    ),
    ...['tinyblob', 'bytea', 'bpchar', 'varchar', 'nvarchar', 'varbinary', 'character varying', 'uuids', 'xchar(1)', 'text(5)'].map(custom),
    custom('xuuid'),
  ].map((builder) => [columnOf(builder).getSQLType(), builder] as const)

  const tooSmall = [
    pg.uuid(),
    pg.varchar({ length: 45 }),
    pg.char({ length: 36 }),
    pg.char(),
    pg.integer(),
    pg.numeric(),
    pg.pgEnum('mood', ['glad', 'sad'])(),
    my.varchar({ length: 45 }),
    my.char({ length: 9 }),
    my.char(),
    my.binary({ length: 45 }),
    my.binary(),
    my.varbinary({ length: 45 }),
    my.bigint({ mode: 'number' }),
    my.mysqlEnum(['a', 'b']),
    lite.integer(),
    ...['uuid', 'UUID', 'VARCHAR(45)', 'varchar (45)', 'varchar  (45)', 'character varying(45)', 'character(45)', 'nchar(45)'].map(custom),
    ...['nvarchar(45)', 'bpchar(45)', 'char', 'nchar', 'character', 'binary', 'decimal(60)', 'bigint'].map(custom),
  ].map((builder) => [columnOf(builder).getSQLType(), builder] as const)

  test.each(fitting)('%s is accepted', (_, builder) => expect(session(builder)).not.toThrow())

  test.each(tooSmall)('%s is rejected, and the message names the column and its type', (type, builder) => {
    const message = messageOf(session(builder))
    expect(message).toContain(`caller: the column sessionToken of sessionsTable is ${type.toLowerCase()}, which`)
    expect(message).toContain('46 characters')
  })
})

describe('columns for OAuth tokens hold 4,000 characters', () => {
  test.each(['access_token', 'refresh_token', 'id_token'])('%s', (field) => {
    const all = { access_token: pg.text(), refresh_token: pg.text(), id_token: pg.text() }
    expect(account({ ...all, [field]: pg.varchar({ length: 4_000 }) })).not.toThrow()
    expect(account({ ...all, [field]: custom('xtinytext') })).not.toThrow()
    for (const builder of [pg.varchar({ length: 3_999 }), my.tinytext(), custom('tinyblob'), custom('char')]) {
      const message = messageOf(account({ ...all, [field]: builder }))
      expect(message).toContain(`the column ${field} of accountsTable is`)
      expect(message).toContain('4,000 characters')
    }
  })

  test('may be absent, and other columns may be small', () => {
    expect(account({})).not.toThrow()
    expect(account({ refresh_token: pg.text(), scope: pg.varchar({ length: 20 }) })).not.toThrow()
  })
})
