import Database from 'better-sqlite3'
import { AdapterConfigError, DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite, DrizzleAdapter as SqliteAdapter } from 'drizzle-auth-adapter/sqlite'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import { singlestoreTable } from 'drizzle-orm/singlestore-core'
import { drizzle as drizzleSingleStore } from 'drizzle-orm/singlestore-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import postgres from 'postgres'
import { describe, expect, test } from 'vitest'

const db = drizzle({ client: new Database(':memory:') })
const tables = defineSqlite()
const expectConfigError = (run: () => unknown, message: RegExp) => {
  expect(run).toThrow(AdapterConfigError)
  expect(run).toThrow(message)
}
// Without types, so that the tests can pass what the types forbid, as JavaScript code can.
const createAdapter = DrizzleAdapter as (db: unknown, tables: unknown) => object
const define = { pg: definePg, mysql: defineMysql, sqlite: defineSqlite } as unknown as Record<string, (options?: unknown) => typeof tables>

describe('DrizzleAdapter rejects immediately', () => {
  test.each([undefined, null, {}, 'file:x.db', { select: 1 }, { select: () => {} }, new Database(':memory:')])(
    'a value that is not a Drizzle database: %o',
    (value) => {
      expectConfigError(() => createAdapter(value, tables), /is not a Drizzle database/)
    },
  )

  test('tables of another dialect than the database', () => {
    expectConfigError(() => createAdapter(db, definePg()), /usersTable is a table of pg, the database is sqlite/)
    expectConfigError(() => createAdapter(db, defineMysql()), /usersTable is a table of mysql, the database is sqlite/)
  })

  test('tables of two dialects', () => {
    expectConfigError(() => createAdapter(db, { ...tables, sessionsTable: definePg().sessionsTable }), /sessionsTable is a table of pg/)
  })

  test('a dialect that is not supported', () => {
    const other = drizzleSingleStore(async () => ({ rows: [] }))
    expectConfigError(() => createAdapter(other, tables), /not supported \(SingleStoreDialect\)/)
    expectConfigError(
      () => createAdapter(db, { ...tables, usersTable: singlestoreTable('x', {}) }),
      /usersTable .* not supported \(SingleStoreTable\)/,
    )
  })

  test('missing tables, and values that are not tables', () => {
    expectConfigError(() => createAdapter(db, undefined), /usersTable is missing/)
    expectConfigError(() => createAdapter(db, { usersTable: tables.usersTable }), /accountsTable is missing/)
    expectConfigError(() => createAdapter(db, { accountsTable: tables.accountsTable }), /usersTable is missing/)
    expectConfigError(() => createAdapter(db, { ...tables, sessionsTable: {} }), /sessionsTable is not a Drizzle table/)
  })

  test('unknown options and invalid values', () => {
    const withOptions = (options: unknown) => () => DrizzleAdapter(db, tables, options as object)
    expectConfigError(withOptions({ retries: 3 }), /options\.retries is unknown\. There are namedStatements, retry, secrets, onError/)
    expectConfigError(withOptions({ namedStatements: 'yes' }), /namedStatements must be true or false/)
    expectConfigError(withOptions({ retry: { tries: 3, every: 1 } }), /retry\.every is unknown\. There are tries, within/)
    for (const retry of [true, null, 3, 'no']) {
      expectConfigError(withOptions({ retry }), /retry must be false, or an object with tries, within or both/)
    }
    for (const tries of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '3', null])
      expectConfigError(withOptions({ retry: { tries } }), /retry\.tries must be a whole number, 1 or more/)
    for (const within of [-1, Number.NaN, Number.POSITIVE_INFINITY, '3', null])
      expectConfigError(withOptions({ retry: { within } }), /retry\.within must be a number of milliseconds, 0 or more/)
    for (const retry of [undefined, false, {}, { tries: 1 }, { within: 0 }, { tries: 3, within: undefined }])
      expect(withOptions({ retry })()).toBeTypeOf('object')
  })

  test('a database of another dialect than the entry point', () => {
    const pgDatabase = drizzlePg({ client: postgres({ max: 1 }) })
    expectConfigError(
      () => SqliteAdapter(pgDatabase as never, tables),
      /the database is pg, this is the adapter for sqlite\. Import it from drizzle-auth-adapter\/pg/,
    )
    expect(SqliteAdapter(db, tables)).toBeTypeOf('object')
  })

  test('a missing column, by its name', () => {
    for (const [name, table] of Object.entries(tables)) {
      const columns = getTableColumns(table)
      const optional = /^(name|image|transports|expires_.*|.*_token|scope|token_type|session_state)$/
      for (const column of Object.keys(columns).filter((column) => !optional.test(column))) {
        const builders = {
          id: lite.text(),
          email: lite.text(),
          emailVerified: lite.integer({ mode: 'timestamp' }),
          userId: lite.text(),
          type: lite.text(),
          provider: lite.text(),
          providerAccountId: lite.text(),
          sessionToken: lite.text(),
          expires: lite.integer({ mode: 'timestamp' }),
          identifier: lite.text(),
          token: lite.text(),
          credentialID: lite.text(),
          credentialPublicKey: lite.text(),
          counter: lite.integer(),
          credentialDeviceType: lite.text(),
          credentialBackedUp: lite.integer({ mode: 'boolean' }),
        }
        const { [column as 'id']: _, ...others } = builders
        expectConfigError(
          () => createAdapter(db, { ...tables, [name]: lite.sqliteTable('x', others) }),
          new RegExp(`${name} has no column ${column}\\.`),
        )
        expect(createAdapter(db, { ...tables, [name]: lite.sqliteTable('x', builders) })).toBeTypeOf('object')
      }
    }
  })

  test('a column with values of another type, by its name', () => {
    const users = (columns: object) =>
      lite.sqliteTable('x', { id: lite.text(), email: lite.text(), emailVerified: lite.integer({ mode: 'timestamp' }), ...columns })
    expectConfigError(
      () => createAdapter(db, { ...tables, usersTable: users({ emailVerified: lite.text() }) }),
      /column emailVerified of usersTable holds string; it must hold a Date/,
    )
    expectConfigError(
      () => createAdapter(db, { ...tables, usersTable: users({ email: lite.integer() }) }),
      /column email of usersTable holds number/,
    )
    expectConfigError(
      () => createAdapter(db, { ...tables, usersTable: users({ image: lite.blob({ mode: 'json' }) }) }),
      /column image of usersTable holds json/,
    )
    expectConfigError(
      () => createAdapter(db, { ...tables, usersTable: users({ id: lite.integer({ mode: 'timestamp' }) }) }),
      /column id of usersTable holds date/,
    )
  })
})

describe.each(['pg', 'mysql', 'sqlite'])('defineTables of %s', (dialect) => {
  const core = { pg, mysql: my, sqlite: lite }[dialect] as unknown as Record<string, (...parameters: unknown[]) => never>
  const otherCore = (dialect === 'pg' ? lite : pg) as unknown as Record<string, (...parameters: unknown[]) => never>
  const defineTables = define[dialect] as (options?: unknown) => typeof tables
  const creator = { pg: 'pgTableCreator', mysql: 'mysqlTableCreator', sqlite: 'sqliteTableCreator' }[dialect] as string

  test('uses the names of the contract for tables and columns', () => {
    const named = Object.values(defineTables()).map((table) => [
      getTableName(table),
      ...Object.values<{ name: string }>(getTableColumns(table)).map(({ name }) => name),
    ])
    expect(named).toEqual([
      ['user', 'id', 'name', 'email', 'emailVerified', 'image'],
      [
        'account',
        'userId',
        'type',
        'provider',
        'providerAccountId',
        'refresh_token',
        'access_token',
        'expires_at',
        'expires_in',
        'token_type',
        'scope',
        'id_token',
        'session_state',
      ],
      ['session', 'sessionToken', 'userId', 'expires'],
      ['verificationToken', 'identifier', 'token', 'expires'],
      [
        'authenticator',
        'userId',
        'credentialID',
        'providerAccountId',
        'credentialPublicKey',
        'counter',
        'credentialDeviceType',
        'credentialBackedUp',
        'transports',
      ],
    ])
  })

  test('rejects invalid options, and says what is wrong', () => {
    expectConfigError(() => defineTables({ prefix: 'x' }), /options\.prefix is unknown\. There are columns, table, usersTable, foreignKeys/)
    expectConfigError(() => defineTables({ columns: { user: {} } }), /columns\.user is unknown\. There are users, accounts/)
    expectConfigError(
      () => defineTables({ columns: { users: { email: core.text?.() } } }),
      /columns\.users\.email is a column of the table already/,
    )
    expectConfigError(
      () => defineTables({ columns: { sessions: { ip: otherCore.text?.() } } }),
      new RegExp(`columns\\.sessions\\.ip is not a column of drizzle-orm/${dialect}-core`),
    )
    expectConfigError(() => defineTables({ columns: { sessions: { ip: 'text' } } }), /columns\.sessions\.ip is not a column/)
    expectConfigError(() => defineTables({ table: 'auth_' }), /table must be a table creator/)
    expectConfigError(() => defineTables({ table: otherCore[dialect === 'pg' ? 'sqliteTable' : 'pgTable'] }), /table must be a creator of/)
    expectConfigError(() => defineTables({ foreignKeys: 'no' }), /foreignKeys must be true or false/)
    expectConfigError(() => defineTables({ usersTable: {} }), /defineTables: usersTable is not a Drizzle table/)
    expectConfigError(
      () => defineTables({ usersTable: otherCore[dialect === 'pg' ? 'sqliteTable' : 'pgTable']?.('x', { id: otherCore.text?.() }) }),
      /usersTable must be a/,
    )
    expectConfigError(
      () =>
        defineTables({
          usersTable:
            core[creator]?.((name: string) => name) &&
            (core[`${dialect}Table`] as never as (...p: unknown[]) => unknown)('x', { key: core.text?.() }),
        }),
      /usersTable has no column id/,
    )
    expectConfigError(
      () => defineTables({ usersTable: defineTables().usersTable, columns: { users: { x: core.text?.() } } }),
      /exclude each other/,
    )
  })

  test('accepts a table creator', () => {
    const prefixed = defineTables({ table: core[creator]?.((name: string) => `auth_${name}`) })
    expect(Object.values(prefixed).map(getTableName)).toEqual([
      'auth_user',
      'auth_account',
      'auth_session',
      'auth_verificationToken',
      'auth_authenticator',
    ])
  })
})
