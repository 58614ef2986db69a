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
    const id = lite.text()
    const email = lite.text()
    const emailVerified = lite.integer({ mode: 'timestamp' })
    const users = (columns: object) => ({ ...tables, usersTable: lite.sqliteTable('x', columns as { id: typeof id }) })
    expect(createAdapter(db, users({ id, email, emailVerified }))).toBeTypeOf('object')
    expectConfigError(() => createAdapter(db, users({ id, emailVerified })), /usersTable has no column email\. Add one that holds a text/)
    // Tables that were mixed up.
    const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = tables
    const mixedUp = [
      [{ ...tables, usersTable: accountsTable }, 'usersTable has no column id. It looks like your accountsTable. Pass it under that name'],
      [
        { ...tables, accountsTable: usersTable },
        'accountsTable has no column userId. It looks like your usersTable. Pass it under that name',
      ],
      [{ ...tables, sessionsTable: verificationTokensTable }, 'It looks like your verificationTokensTable. Pass it under that name'],
      [{ ...tables, verificationTokensTable: sessionsTable }, 'It looks like your sessionsTable. Pass it under that name'],
      [{ ...tables, usersTable: authenticatorsTable }, 'It looks like your authenticatorsTable. Pass it under that name'],
    ] as const
    for (const [given, message] of mixedUp) expect(() => createAdapter(db, given)).toThrow(message)
    expectConfigError(
      () => createAdapter(db, users({ id, email, emailVerified: lite.text() })),
      /column emailVerified of usersTable is text and holds string; it must hold a Date/,
    )
    expectConfigError(
      () => createAdapter(db, users({ id, email: lite.integer(), emailVerified })),
      /column email of usersTable is integer and holds number; it must hold a text/,
    )
    expectConfigError(
      () => createAdapter(db, users({ id: emailVerified, email, emailVerified })),
      /column id of usersTable is integer and holds date/,
    )
    const image = lite.blob({ mode: 'json' })
    expectConfigError(
      () => createAdapter(db, users({ id, email, emailVerified, image })),
      /column image of usersTable is blob and holds json/,
    )
  })
})

describe('numeric ids', () => {
  const pgUsers = (id: object) => {
    const columns = { id: id as ReturnType<typeof pg.text>, email: pg.text(), emailVerified: pg.timestamp() }
    return definePg({ usersTable: pg.pgTable('people', columns) as never })
  }
  const mysqlUsers = (id: object) => {
    const columns = { id: id as ReturnType<typeof my.text>, email: my.text(), emailVerified: my.datetime() }
    return defineMysql({ usersTable: my.mysqlTable('people', columns) as never })
  }
  const sqliteUsers = (id: object) => {
    const columns = { id: id as ReturnType<typeof lite.text>, email: lite.text(), emailVerified: lite.integer({ mode: 'timestamp' }) }
    return defineSqlite({ usersTable: lite.sqliteTable('people', columns) as never })
  }

  test.each([
    ['integer of PostgreSQL', pgDatabase, () => pgUsers(pg.integer().primaryKey())],
    ['bigint of MySQL', mysqlDatabase, () => mysqlUsers(my.bigint({ mode: 'bigint' }).primaryKey())],
    ['integer of SQLite without a primary key', db, () => sqliteUsers(lite.integer())],
  ])('without a default are rejected: %s', (_type, database, define) => {
    expectConfigError(() => createAdapter(database, define()), /column id of usersTable holds numbers and has no default/)
  })

  test.each([
    ['serial', pgDatabase, () => pgUsers(pg.serial().primaryKey())],
    ['identity', pgDatabase, () => pgUsers(pg.integer().primaryKey().generatedAlwaysAsIdentity())],
    ['a default', pgDatabase, () => pgUsers(pg.integer().primaryKey().default(sql`nextval('ids')`))],
    ['autoincrement', mysqlDatabase, () => mysqlUsers(my.int().primaryKey().autoincrement())],
    ['integer primary key', db, () => sqliteUsers(lite.integer().primaryKey())],
    ['$defaultFn', db, () => sqliteUsers(lite.integer().$defaultFn(() => 1))],
  ])('with a default are accepted: %s', (_default, database, define) => {
    expect(createAdapter(database, define())).toBeTypeOf('object')
  })
})

describe('a column outside of the domain', () => {
  const one = () => '1' as never
  const pgTables = (more: object) => ({
    usersTable: pg.pgTable('u', { id: pg.text().primaryKey(), email: pg.text(), emailVerified: pg.timestamp(), ...more }),
    accountsTable: definePg().accountsTable,
  })
  const mysqlTables = (more: object) => ({
    usersTable: my.mysqlTable('u', {
      id: my.varbinary({ length: 1020 }).primaryKey(),
      email: my.text(),
      emailVerified: my.datetime(),
      ...more,
    }),
    accountsTable: defineMysql().accountsTable,
  })
  const sqliteTables = (more: object) => ({
    usersTable: lite.sqliteTable('u', {
      id: lite.text().primaryKey(),
      email: lite.text(),
      emailVerified: lite.integer({ mode: 'timestamp' }),
      ...more,
    }),
    accountsTable: defineSqlite().accountsTable,
  })

  test.each<[string, object, (more: object) => object, object]>([
    [
      'id of usersTable is numeric(20, 2) and holds string; it must hold a text, a uuid or an integer',
      pgDatabase,
      pgTables,
      { id: pg.numeric({ precision: 20, scale: 2 }).primaryKey().$defaultFn(one) },
    ],
    ['id of usersTable is numeric and', pgDatabase, pgTables, { id: pg.numeric({ mode: 'number' }).primaryKey().$defaultFn(one) }],
    ['id of usersTable is real and', pgDatabase, pgTables, { id: pg.real().primaryKey().$defaultFn(one) }],
    ['id of usersTable is interval and', pgDatabase, pgTables, { id: pg.interval().primaryKey() }],
    ['email of usersTable is inet and holds string; it must hold a text', pgDatabase, pgTables, { email: pg.inet() }],
    ['name of usersTable is time and holds string; it must hold a text', pgDatabase, pgTables, { name: pg.time() }],
    ['image of usersTable is numeric and holds string; it must hold a text', pgDatabase, pgTables, { image: pg.numeric() }],
    [
      'id of usersTable is decimal and',
      mysqlDatabase,
      mysqlTables,
      { id: my.decimal({ precision: 10, scale: 0 }).primaryKey().$defaultFn(one) },
    ],
    ['id of usersTable is double and', mysqlDatabase, mysqlTables, { id: my.double().primaryKey().$defaultFn(one) }],
    ['name of usersTable is time and holds string; it must hold a text', mysqlDatabase, mysqlTables, { name: my.time() }],
    ['id of usersTable is real and', db, sqliteTables, { id: lite.real().primaryKey().$defaultFn(one) }],
    ['email of usersTable is numeric and holds string; it must hold a text', db, sqliteTables, { email: lite.numeric() }],
  ])('is refused as a key or a column of the contract: %s', (message, database, define, columns) => {
    expect(() => createAdapter(database, define(columns))).toThrow(AdapterConfigError)
    expect(() => createAdapter(database, define(columns))).toThrow(`DrizzleAdapter: the column ${message}`)
  })

  test('of a number in the contract must be an integer', () => {
    const { usersTable } = definePg()
    const columns = { userId: pg.text(), type: pg.text(), provider: pg.text(), providerAccountId: pg.text(), expires_at: pg.real() }
    expectConfigError(
      () => createAdapter(pgDatabase, { usersTable, accountsTable: pg.pgTable('a', columns) }),
      /the column expires_at of accountsTable is real and holds number; it must hold an integer\./,
    )
  })

  test('is accepted beside them', () => {
    expect(createAdapter(pgDatabase, pgTables({ price: pg.numeric(), clock: pg.time(), address: pg.inet() }))).toBeTypeOf('object')
    expect(createAdapter(mysqlDatabase, mysqlTables({ price: my.decimal(), ratio: my.double() }))).toBeTypeOf('object')
    expect(createAdapter(db, sqliteTables({ ratio: lite.real(), bytes: lite.blob() }))).toBeTypeOf('object')
  })
})

describe('the type of userId', () => {
  const pgTables = (id: object, userId: object) => ({
    usersTable: pg.pgTable('u', { id: id as ReturnType<typeof pg.text>, email: pg.text(), emailVerified: pg.timestamp() }),
    accountsTable: pg.pgTable('a', {
      userId: userId as ReturnType<typeof pg.text>,
      type: pg.text(),
      provider: pg.text(),
      providerAccountId: pg.text(),
    }),
  })

  test.each([
    ['integer and text', () => pg.serial(), () => pg.text()],
    ['uuid and text', () => pg.uuid(), () => pg.text()],
    ['text and uuid', () => pg.text(), () => pg.uuid()],
    ['bigint in bigints and in numbers', () => pg.bigserial({ mode: 'bigint' }), () => pg.bigint({ mode: 'number' })],
  ])('must be that of the id: %s', (_types, id, userId) => {
    expectConfigError(
      () => createAdapter(pgDatabase, pgTables(id(), userId())),
      /column userId of accountsTable is .* Give both the same type/,
    )
  })

  test.each([
    ['serial and integer', () => pg.serial(), () => pg.integer()],
    ['varchar and text', () => pg.varchar({ length: 40 }), () => pg.text()],
    ['uuid and uuid', () => pg.uuid(), () => pg.uuid()],
  ])('may have another name: %s', (_types, id, userId) => {
    expect(createAdapter(pgDatabase, pgTables(id(), userId()))).toBeTypeOf('object')
  })
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
