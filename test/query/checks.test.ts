import Database from 'better-sqlite3'
import type { Table } from 'drizzle-orm'
import { getTableColumns } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { checkTables } from '../../src/checks.js'
import { AdapterConfigError } from '../../src/query/errors.js'

// Which tables the adapter accepts. test/tables/ tests the same through `DrizzleAdapter`, with the tables of `defineTables`.

type Name = 'pg' | 'mysql' | 'sqlite'

// No statement is sent.
const databases = {
  pg: drizzlePg(async () => ({ rows: [] })),
  mysql: drizzleMysql(async () => ({ rows: [] })),
  sqlite: drizzle({ client: new Database(':memory:') }),
}

const custom = {
  pg: (type: string) => pg.customType<{ data: unknown }>({ dataType: () => type })(),
  mysql: (type: string) => my.customType<{ data: unknown }>({ dataType: () => type })(),
  sqlite: (type: string) => lite.customType<{ data: unknown }>({ dataType: () => type })(),
}

const cores = {
  pg: { table: pg.pgTable, text: () => pg.text(), date: () => pg.timestamp(), number: () => pg.integer(), boolean: () => pg.boolean() },
  mysql: { table: my.mysqlTable, text: () => my.text(), date: () => my.datetime(), number: () => my.int(), boolean: () => my.boolean() },
  sqlite: {
    table: lite.sqliteTable,
    text: () => lite.text(),
    date: () => lite.integer({ mode: 'timestamp' }),
    number: () => lite.integer(),
    boolean: () => lite.integer({ mode: 'boolean' }),
  },
}

type Columns = Record<string, unknown>
type TableName = 'usersTable' | 'accountsTable' | 'sessionsTable' | 'verificationTokensTable' | 'authenticatorsTable'

/** Hand-written tables with the columns that must exist, and others. `undefined` leaves a column out. */
function tablesOf(dialect: Name, changes: { [name in TableName]?: Columns } = {}) {
  const { text, date, number, boolean, table } = cores[dialect]
  const required: Record<TableName, Columns> = {
    usersTable: { id: text(), email: text(), emailVerified: date() },
    accountsTable: { userId: text(), type: text(), provider: text(), providerAccountId: text() },
    sessionsTable: { sessionToken: text(), userId: text(), expires: date() },
    verificationTokensTable: { identifier: text(), token: text(), expires: date() },
    authenticatorsTable: {
      credentialID: text(),
      userId: text(),
      providerAccountId: text(),
      credentialPublicKey: text(),
      counter: number(),
      credentialDeviceType: text(),
      credentialBackedUp: boolean(),
    },
  }
  const create = table as unknown as (name: string, columns: object) => Table
  const made = Object.entries(required).map(([name, columns]) => {
    const all = Object.entries({ ...columns, ...changes[name as TableName] }).filter(([, column]) => column !== undefined)
    return [name, create(name, Object.fromEntries(all))]
  })
  return Object.fromEntries(made) as Record<TableName, Table>
}

const check = (dialect: Name, tables: object, db: unknown = databases[dialect]) => checkTables('Test', dialect, db as never, tables)

/** Expects an error for whoever configures the adapter, which contains these words. */
function rejects(run: () => unknown, ...words: string[]) {
  let error: unknown
  try {
    run()
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(AdapterConfigError)
  for (const word of ['Test: ', ...words]) expect((error as Error).message).toContain(word)
}

describe('tables', () => {
  test.each(['pg', 'mysql', 'sqlite'] as const)('with the columns of the contract are accepted on %s', (dialect) => {
    check(dialect, tablesOf(dialect))
    check(dialect, { sessionsTable: tablesOf(dialect).sessionsTable })
    check(dialect, {})
  })

  test('must have every column that is not optional', () => {
    for (const [name, table] of Object.entries(tablesOf('sqlite')))
      for (const column of Object.keys(getTableColumns(table)))
        rejects(() => check('sqlite', tablesOf('sqlite', { [name]: { [column]: undefined } })), name, `no column ${column}`, 'holds a')
  })

  test.each([
    ['usersTable', 'id', { integer: lite.integer().$defaultFn(() => 1), text: lite.text() }, { date: lite.integer({ mode: 'timestamp' }) }],
    ['usersTable', 'email', { text: lite.text() }, { number: lite.integer(), blob: lite.blob() }],
    ['usersTable', 'emailVerified', { seconds: lite.integer({ mode: 'timestamp' }) }, { string: lite.text(), number: lite.integer() }],
    ['usersTable', 'name', { absent: undefined, text: lite.text() }, { json: lite.text({ mode: 'json' }) }],
    ['authenticatorsTable', 'counter', { integer: lite.integer(), real: lite.real() }, { string: lite.text() }],
    ['authenticatorsTable', 'credentialBackedUp', { boolean: lite.integer({ mode: 'boolean' }) }, { number: lite.integer() }],
  ] as const)('hold what the contract says: %s.%s', (name, column, right, wrong) => {
    const checkWith = (builder: unknown) => {
      const { usersTable, ...others } = tablesOf('sqlite', { [name]: { [column]: builder } })
      check('sqlite', name === 'usersTable' ? { usersTable } : others)
    }
    for (const builder of [...Object.values(right), custom.sqlite('anything').$defaultFn(() => 1)]) checkWith(builder)
    for (const builder of Object.values(wrong)) rejects(() => checkWith(builder), `${column} of ${name}`, 'must hold a')
  })

  test('belong to the database', () => {
    rejects(() => check('pg', tablesOf('sqlite')), 'usersTable', 'sqlite', 'drizzle-auth-adapter/pg')
    rejects(() => check('pg', {}, databases.mysql), 'the database is mysql', 'drizzle-auth-adapter/mysql')
    rejects(() => check('sqlite', { sessionsTable: {} }), 'sessionsTable is not a Drizzle table')
    const { sessionsTable } = tablesOf('sqlite')
    rejects(() => check('sqlite', { sessionsTable: lite.alias(sessionsTable as lite.SQLiteTable, 's') }), 'sessionsTable', 'alias')
  })

  test('have no two columns of the same name in the database', () => {
    check('sqlite', tablesOf('sqlite', { usersTable: { mail: lite.text('e-mail'), other: lite.text() } }))
    rejects(
      () => check('sqlite', tablesOf('sqlite', { usersTable: { mail: lite.text('email') } })),
      'usersTable',
      'two columns named email',
    )
  })

  test('may have any columns besides', () => {
    check('sqlite', tablesOf('sqlite', { accountsTable: { id: lite.real(), toString: lite.blob() } }))
  })
})

describe('a table that was checked before', () => {
  test('is not looked at again', () => {
    let reads = 0
    const { sessionsTable } = tablesOf('sqlite')
    const watched = new Proxy(sessionsTable, {
      get(target, name) {
        reads++
        return Reflect.get(target, name)
      },
    })
    check('sqlite', { sessionsTable: watched })
    const before = reads
    check('sqlite', { sessionsTable: watched })
    expect(reads).toBe(before)
    expect(before).toBeGreaterThan(0)
  })

  test('is looked at again as the table of another model', () => {
    const { sessionsTable } = tablesOf('sqlite')
    check('sqlite', { sessionsTable })
    rejects(() => check('sqlite', { verificationTokensTable: sessionsTable }), 'verificationTokensTable', 'identifier')
  })

  test('is looked at again for another database', () => {
    const { sessionsTable } = tablesOf('sqlite')
    check('sqlite', { sessionsTable })
    rejects(() => check('pg', { sessionsTable }), 'sessionsTable is a table of sqlite')
  })

  test('is looked at again with other users', () => {
    const { accountsTable, usersTable } = tablesOf('sqlite')
    const others = tablesOf('sqlite', { usersTable: { id: lite.integer().primaryKey() } })
    check('sqlite', { accountsTable, usersTable })
    rejects(() => check('sqlite', { accountsTable, usersTable: others.usersTable }), 'userId of accountsTable')
  })
})

describe('the ids of users', () => {
  const checkId = (dialect: Name, id: unknown) => check(dialect, { usersTable: tablesOf(dialect, { usersTable: { id } }).usersTable })

  test.each<[Name, string, () => { $defaultFn(make: () => never): unknown }]>([
    ['pg', 'integer', () => pg.integer()],
    ['pg', 'bigint', () => pg.bigint({ mode: 'bigint' })],
    ['pg', 'real', () => pg.real()],
    ['pg', 'numeric', () => pg.numeric()],
    ['mysql', 'decimal', () => my.decimal()],
    ['sqlite', 'real', () => lite.real()],
  ])('that are numbers need a default: %s %s', (dialect, _type, id) => {
    rejects(() => checkId(dialect, id()), 'id of usersTable', 'default')
    checkId(
      dialect,
      id().$defaultFn(() => 1 as never),
    )
  })

  test('that are texts, or of a custom type, need none', () => {
    for (const id of [pg.text(), pg.uuid(), custom.pg('integer'), custom.pg('numeric(9)')]) checkId('pg', id)
  })

  const uuid = () => pg.uuid()
  const text = () => pg.text()
  const number = () => pg.integer().$defaultFn(() => 1)
  const decimal = () => pg.numeric().$defaultFn(() => '1')
  const bigint = () => pg.bigint({ mode: 'bigint' }).$defaultFn(() => 1n)
  test.each<[Name, string, () => unknown, () => unknown, boolean]>([
    ['pg', 'text and varchar', text, () => pg.varchar({ length: 9 }), true],
    ['pg', 'uuid and uuid', uuid, uuid, true],
    ['pg', 'uuid and text', uuid, text, false],
    ['pg', 'text and uuid', text, uuid, false],
    ['pg', 'serial and integer', () => pg.serial(), () => pg.integer(), true],
    ['pg', 'integer and bigint in numbers', number, () => pg.bigint({ mode: 'number' }), true],
    ['pg', 'integer and bigint in bigints', number, bigint, false],
    ['pg', 'numeric and numeric', decimal, () => pg.numeric({ precision: 9 }), true],
    ['pg', 'numeric and text', decimal, text, false],
    ['pg', 'numeric and integer', decimal, number, false],
    ['pg', 'text and a custom text', text, () => custom.pg('citext'), false],
    ['pg', 'two custom texts', () => custom.pg('citext'), () => custom.pg('text'), true],
    ['pg', 'a custom uuid and a custom text', () => custom.pg('uuid'), () => custom.pg('text'), false],
    ['pg', 'a domain named after its use', () => custom.pg('user_uuid'), () => custom.pg('text'), true],
    ['mysql', 'binary and a custom varbinary', () => my.binary({ length: 16 }), () => custom.mysql('varbinary(16)'), true],
    ['mysql', 'varbinary and a custom binary', () => my.varbinary({ length: 16 }), () => custom.mysql('BINARY(16)'), true],
    ['mysql', 'binary and a custom blob', () => my.binary({ length: 16 }), () => custom.mysql('tinyblob'), true],
    ['mysql', 'an enum of a word and a custom text', () => my.mysqlEnum(['binary']), () => custom.mysql('text'), false],
    ['mysql', 'varchar and a custom varbinary', () => my.varchar({ length: 9 }), () => custom.mysql('varbinary(16)'), false],
  ])('have the type of userId: %s, %s', (dialect, _types, id, userId, isRight) => {
    for (const name of ['accountsTable', 'sessionsTable', 'authenticatorsTable'] as const) {
      const { usersTable, [name]: table } = tablesOf(dialect, { usersTable: { id: id() }, [name]: { userId: userId() } })
      if (isRight) check(dialect, { usersTable, [name]: table })
      else rejects(() => check(dialect, { usersTable, [name]: table }), `userId of ${name}`, 'same type')
    }
  })
})
