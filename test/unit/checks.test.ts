import Database from 'better-sqlite3'
import { AdapterConfigError, DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite, DrizzleAdapter as SqliteAdapter } from 'drizzle-auth-adapter/sqlite'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { singlestoreTable } from 'drizzle-orm/singlestore-core'
import { drizzle as drizzleSingleStore } from 'drizzle-orm/singlestore-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { keyOf } from '../../src/library.js'
import type { DialectName } from '../support/dialects.js'
import { tableOf, typesOf } from '../support/table-sets.js'

// No statement is sent: the configuration is checked first.
const db = drizzle({ client: new Database(':memory:') })
const pgDatabase = drizzlePg(async () => ({ rows: [] }))
const mysqlDatabase = drizzleMysql(async () => ({ rows: [] }))
const tables = defineSqlite()

// Without types, as JavaScript code calls it.
const createAdapter = DrizzleAdapter as (db: unknown, tables: unknown, options?: unknown) => object

function expectConfigError(run: () => unknown, message: RegExp) {
  expect(run).toThrow(AdapterConfigError)
  expect(run).toThrow(message)
}

describe('a database', () => {
  test.each([undefined, null, 'file:x.db'])('must be an object, not %o', (value) => {
    expectConfigError(() => createAdapter(value, tables), /is not a Drizzle database\. Pass the result of drizzle\({ client }\)/)
  })

  const firstCall = async (value: unknown) => {
    const adapter = createAdapter(value, tables) as { getUser(id: string): Promise<unknown> }
    const error = await adapter.getUser('1').catch((error) => error)
    expect(error).toBeInstanceOf(AdapterConfigError)
    return (error as Error).message
  }

  const lacking = new Proxy({}, { get: () => undefined })
  const throwing = new Proxy(
    {},
    {
      get() {
        throw new Error('no request yet')
      },
    },
  )

  // It may be a Proxy that has no database before the first request.
  test.each([{}, { select: 1 }, new Database(':memory:'), lacking])(
    'may be there later, but is one of Drizzle at the first call: %o',
    async (value) => {
      expect(await firstCall(value)).toMatch(/is not a Drizzle database\. Pass the result of drizzle\({ client }\)/)
    },
  )

  test('may throw until it is there, and is then used', async () => {
    expect(createAdapter(throwing, tables)).toBeTypeOf('object')
    let current: object = throwing
    const later = new Proxy({}, { get: (_, name) => Reflect.get(current, name) })
    const adapter = createAdapter(later, tables) as { getUser(id: string): Promise<unknown> }
    current = pgDatabase
    await expect(adapter.getUser('1')).rejects.toThrow('the database is pg, the tables are of sqlite')
    current = drizzle({ client: new Database(':memory:') })
    await expect(adapter.getUser('1')).rejects.toMatchObject({ kind: 'schema' })
  })

  test('must have a supported dialect', () => {
    expectConfigError(
      () =>
        createAdapter(
          drizzleSingleStore(async () => ({ rows: [] })),
          tables,
        ),
      /the database is not a Drizzle database of PostgreSQL, MySQL or SQLite/,
    )
  })

  test.each([
    ['pg', pgDatabase, tables, 'sqlite'],
    ['mysql', mysqlDatabase, definePg(), 'pg'],
    ['sqlite', db, defineMysql(), 'mysql'],
    ['pg', new Proxy(pgDatabase, {}), tables, 'sqlite'],
  ])('must have the dialect of the tables: %s', (dialect, database, others, found) => {
    expectConfigError(
      () => createAdapter(database, others),
      new RegExp(`the database is ${dialect}, the tables are of ${found}\\. Define them with drizzle-auth-adapter/${dialect}`),
    )
  })
})

describe('tables', () => {
  test('of Better Auth are refused with the function for them, however they are passed', () => {
    const id = () => lite.text().primaryKey()
    const date = () => lite.integer({ mode: 'timestamp_ms' })
    const flag = lite.integer({ mode: 'boolean' })
    const user = lite.sqliteTable('user', { id: id(), name: lite.text(), email: lite.text(), emailVerified: flag, image: lite.text() })
    const account = lite.sqliteTable('account', { id: id(), accountId: lite.text(), providerId: lite.text(), userId: lite.text() })
    const session = lite.sqliteTable('session', { id: id(), token: lite.text(), expiresAt: date(), userId: lite.text() })
    const hint = /Better Auth: import { drizzleAdapter } from 'drizzle-auth-adapter\/better-auth'/
    const wrong = [
      { user, account, session },
      { users: user, accounts: account },
      { schema: { user, account, session } },
      { usersTable: user, accountsTable: account, sessionsTable: session },
      { ...tables, accountsTable: account },
      { ...tables, sessionsTable: session },
    ]
    for (const given of wrong) expectConfigError(() => createAdapter(db, given), hint)
    // An app may have the tables of both.
    createAdapter(db, { ...tables, user, account, session })
  })

  test('must be Drizzle tables of the database’s dialect', () => {
    expectConfigError(() => createAdapter(db, { ...tables, sessionsTable: {} }), /sessionsTable is not a Drizzle table/)
    expectConfigError(() => SqliteAdapter(db, definePg() as never), /usersTable is a table of pg, not of sqlite/)
    expectConfigError(
      () => createAdapter(db, { ...tables, sessionsTable: defineMysql().sessionsTable }),
      /sessionsTable is a table of mysql/,
    )
    const usersTable = singlestoreTable('x', {})
    expectConfigError(() => createAdapter(db, { ...tables, usersTable }), /usersTable is not a Drizzle table of PostgreSQL/)
  })

  test('must include users and accounts', () => {
    expectConfigError(() => createAdapter(db, undefined), /usersTable is missing/)
    expectConfigError(() => createAdapter(db, { usersTable: tables.usersTable }), /accountsTable is missing/)
  })

  test('must not be aliases', () => {
    for (const [name, table] of Object.entries(tables))
      expectConfigError(
        () => createAdapter(db, { ...tables, [name]: lite.alias(table as never, 'other') }),
        new RegExp(`${name} is an alias`),
      )
    expectConfigError(
      () => createAdapter(pgDatabase, { ...definePg(), usersTable: pg.alias(definePg().usersTable as never, 'x') }),
      /alias/,
    )
    const mysqlTables = defineMysql()
    const usersTable = my.alias(mysqlTables.usersTable as never, 'x')
    expectConfigError(() => createAdapter(mysqlDatabase, { ...mysqlTables, usersTable }), /alias/)
  })

  test('must have the columns of the contract, of their types', () => {
    const [id, email, emailVerified] = [lite.text(), lite.text(), lite.integer({ mode: 'timestamp' })]
    const users = (columns: object) => ({ ...tables, usersTable: tableOf('sqlite', 'x', columns as never) })
    expect(createAdapter(db, users({ id, email, emailVerified }))).toBeTypeOf('object')
    // Tables that were mixed up.
    const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = tables
    const mixedUp = [
      [{ usersTable: accountsTable }, 'usersTable has no column id. It looks like your accountsTable. Pass it under that name'],
      [{ accountsTable: usersTable }, 'accountsTable has no column userId. It looks like your usersTable.'],
      [{ sessionsTable: verificationTokensTable }, 'It looks like your verificationTokensTable. Pass it under that name'],
      [{ verificationTokensTable: sessionsTable }, 'It looks like your sessionsTable. Pass it under that name'],
      [{ usersTable: authenticatorsTable }, 'It looks like your authenticatorsTable. Pass it under that name'],
    ] as const
    for (const [given, message] of mixedUp) expect(() => createAdapter(db, { ...tables, ...given })).toThrow(message)
    const wrong: [object, RegExp][] = [
      [{ id, emailVerified }, /usersTable has no column email\. Add one that holds a text/],
      [{ id, email, emailVerified: lite.text() }, /column emailVerified of usersTable is text and holds string; it must hold a Date/],
      [{ id, email: lite.integer(), emailVerified }, /column email of usersTable is integer and holds number/],
      [{ id: emailVerified, email, emailVerified }, /column id of usersTable is integer and holds date/],
      [{ id, email, emailVerified, image: lite.blob({ mode: 'json' }) }, /column image of usersTable is blob and holds json/],
    ]
    for (const [columns, message] of wrong) expectConfigError(() => createAdapter(db, users(columns)), message)
  })
})

const databases = { pg: pgDatabase, mysql: mysqlDatabase, sqlite: db }
const define = { pg: definePg, mysql: defineMysql, sqlite: defineSqlite } as unknown as Record<DialectName, (options: object) => object>

/** An adapter for users with these columns. Without columns of accounts, the accounts are those of `defineTables`. */
function openWith(dialect: DialectName, users: object, accounts?: object) {
  const { text, date } = typesOf[dialect]
  const usersTable = tableOf(dialect, 'u', { id: text().primaryKey(), email: text(), emailVerified: date(), ...users })
  if (!accounts) return createAdapter(databases[dialect], define[dialect]({ usersTable }))
  const key = { userId: text(), type: text(), provider: text(), providerAccountId: text() }
  return createAdapter(databases[dialect], { usersTable, accountsTable: tableOf(dialect, 'a', { ...key, ...accounts }) })
}

const one = () => '1' as never

test.each<[string, DialectName, object, object?]>([
  // Ids that are numbers must come from the database.
  ['column id of usersTable holds numbers and has no default', 'pg', { id: pg.integer().primaryKey() }],
  ['column id of usersTable holds numbers and has no default', 'mysql', { id: my.bigint({ mode: 'bigint' }).primaryKey() }],
  ['column id of usersTable holds numbers and has no default', 'sqlite', { id: lite.integer() }],
  // Columns outside of the domain.
  [
    'the column id of usersTable is numeric(20, 2) and holds string; it must hold a text, a uuid or an integer',
    'pg',
    { id: pg.numeric({ precision: 20, scale: 2 }).$defaultFn(one) },
    {},
  ],
  ['the column id of usersTable is real and holds', 'pg', { id: pg.real().$defaultFn(one) }, {}],
  ['the column id of usersTable is interval and holds', 'pg', { id: pg.interval() }, {}],
  ['the column email of usersTable is inet and holds string; it must hold a text', 'pg', { email: pg.inet() }, {}],
  ['the column image of usersTable is numeric and holds string; it must hold a text', 'pg', { image: pg.numeric() }, {}],
  ['the column expires_at of accountsTable is real and holds number; it must hold an integer.', 'pg', {}, { expires_at: pg.real() }],
  ['the column id of usersTable is decimal and holds', 'mysql', { id: my.decimal({ precision: 10, scale: 0 }).$defaultFn(one) }, {}],
  ['the column name of usersTable is time and holds string; it must hold a text', 'mysql', { name: my.time() }, {}],
  ['the column id of usersTable is real and holds', 'sqlite', { id: lite.real().$defaultFn(one) }, {}],
  ['the column email of usersTable is numeric and holds string; it must hold a text', 'sqlite', { email: lite.numeric() }, {}],
  // The type of userId must be that of the id.
  ['column userId of accountsTable is ', 'pg', { id: pg.serial() }, {}],
  ['column userId of accountsTable is ', 'pg', { id: pg.uuid() }, {}],
  ['column userId of accountsTable is ', 'pg', {}, { userId: pg.uuid() }],
  ['column userId of accountsTable is ', 'pg', { id: pg.bigserial({ mode: 'bigint' }) }, { userId: pg.bigint({ mode: 'number' }) }],
])('a column is refused: %s, %s', (message, dialect, users, accounts) => {
  expect(() => openWith(dialect, users, accounts)).toThrow(AdapterConfigError)
  expect(() => openWith(dialect, users, accounts)).toThrow(message)
})

test.each<[string, DialectName, object, object?]>([
  ['a serial', 'pg', { id: pg.serial().primaryKey() }],
  ['an identity', 'pg', { id: pg.integer().primaryKey().generatedAlwaysAsIdentity() }],
  ['an integer with a default', 'pg', { id: pg.integer().primaryKey().default(sql`nextval('ids')`) }],
  ['an integer with autoincrement', 'mysql', { id: my.int().primaryKey().autoincrement() }],
  ['an integer primary key', 'sqlite', { id: lite.integer().primaryKey() }],
  ['an integer with $defaultFn', 'sqlite', { id: lite.integer().$defaultFn(() => 1) }],
  ['a serial with integer', 'pg', { id: pg.serial() }, { userId: pg.integer() }],
  ['a varchar with text', 'pg', { id: pg.varchar({ length: 40 }) }, {}],
  ['a uuid with uuid', 'pg', { id: pg.uuid() }, { userId: pg.uuid() }],
  ['a text beside other types', 'pg', { price: pg.numeric(), clock: pg.time(), address: pg.inet() }],
  ['a text beside other types', 'mysql', { price: my.decimal(), ratio: my.double() }],
  ['a text beside other types', 'sqlite', { ratio: lite.real(), bytes: lite.blob() }],
])('the id may be %s on %s', (_, dialect, users, accounts) => expect(openWith(dialect, users, accounts)).toBeTypeOf('object'))

// Tables of Better Auth, whose keys are those of the app.
test('a key of several columns on MySQL must not have an auto-increment column beside one that the database fills', () => {
  const text = () => my.varchar({ length: 40 }).primaryKey()
  const key = (tenant: object) => () =>
    keyOf(tableOf('mysql', 'item', { id: my.int().autoincrement().primaryKey(), tenant }), 'the table item')
  const message = /the table item has the key tenant with a default beside an auto-increment key\. Give tenant a \$defaultFn/
  for (const value of ['x', sql`(uuid())`]) expectConfigError(key(text().default(value)), message)
  expect(key(text())()).toEqual(['id', 'tenant'])
  expect(key(text().$defaultFn(() => 'x'))()).toEqual(['id', 'tenant'])
})

test('a key of Better Auth must be of a type that identifies rows', () => {
  const key = (id: object) => () => keyOf(tableOf('pg', 'item', { id }), 'the table item')
  for (const id of [pg.numeric(), pg.real(), pg.time(), pg.inet()])
    expectConfigError(key(id), /the table item has the key id of the type .*; a key must be a text, a uuid, an integer or a date/)
  for (const id of [pg.text(), pg.uuid(), pg.serial(), pg.timestamp()]) expect(key(id)()).toEqual(['id'])
})

test('options are checked', () => {
  const withOptions = (options: unknown) => () => createAdapter(db, tables, options)
  for (const options of [null, 'retry', 3, []]) expectConfigError(withOptions(options), /options must be an object/)
  expectConfigError(withOptions({ retries: 3 }), /options\.retries is unknown\. There are retry, secrets, onError/)
  expectConfigError(withOptions({ secrets: { sessionTokens: 'hashed' } }), /secrets must be the result of secretsAtRest/)
  expectConfigError(withOptions({ retry: { every: 1 } }), /retry\.every is unknown\. There are tries, within/)
  for (const retry of [true, 3]) expectConfigError(withOptions({ retry }), /retry must be an object/)
  for (const retry of [undefined, false, {}, { tries: 1 }, { within: 0 }]) expect(withOptions({ retry })()).toBeTypeOf('object')
})
