import Database from 'better-sqlite3'
import { AdapterConfigError, DrizzleAdapter, deleteExpired } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'

// No statement is sent: the configuration is checked first.
const databases = {
  pg: drizzlePg(async () => ({ rows: [] })),
  mysql: drizzleMysql(async () => ({ rows: [] })),
  sqlite: drizzle({ client: new Database(':memory:') }),
}

/** Expects an AdapterConfigError whose message matches and says what to change. */
function expectConfigError(run: () => unknown, ...messages: RegExp[]) {
  let error: Error | undefined
  try {
    run()
  } catch (thrown) {
    error = thrown as Error
  }
  expect(error).toBeInstanceOf(AdapterConfigError)
  expect(error?.message).toMatch(/^(DrizzleAdapter|defineTables|deleteExpired): /)
  for (const message of messages) expect(error?.message).toMatch(message)
  expect(error?.message).toMatch(/\b(give|use|add|pass|rename|define|make|set|choose|take|upgrade|update|change|must|needs?)\b/i)
}

// Without types, as JavaScript code calls it.
const createAdapter = DrizzleAdapter as (db: unknown, tables: unknown, options?: unknown) => object
type Define = (options?: unknown) => Record<string, object>
type Core = Record<string, (...parameters: unknown[]) => never>
interface Builder {
  primaryKey(): Builder
  default(value: unknown): Builder
  $defaultFn(make: () => unknown): Builder
}

const dialects = {
  pg: {
    define: definePg as unknown as Define,
    core: pg as unknown as Core,
    table: pg.pgTable,
    text: () => pg.text(),
    date: () => pg.timestamp(),
    withoutDefault: {
      integer: () => pg.integer(),
      'bigint in numbers': () => pg.bigint({ mode: 'number' }),
      'bigint in bigints': () => pg.bigint({ mode: 'bigint' }),
      numeric: () => pg.numeric(),
    },
    withDefault: {
      serial: () => pg.serial(),
      identity: () => pg.integer().generatedAlwaysAsIdentity(),
      'a default': () => pg.integer().default(sql`nextval('ids')`),
      $defaultFn: () => pg.integer().$defaultFn(() => 1),
    },
    incompatible: {
      'integer and text': [() => pg.serial(), () => pg.text()],
      'uuid and text': [() => pg.uuid(), () => pg.text()],
      'text and uuid': [() => pg.text(), () => pg.uuid()],
    },
    compatible: {
      'serial and integer': [() => pg.serial(), () => pg.integer()],
      'bigserial and bigint': [() => pg.bigserial({ mode: 'bigint' }), () => pg.bigint({ mode: 'bigint' })],
      'varchar and text': [() => pg.varchar({ length: 40 }), () => pg.text()],
      'uuid and uuid': [() => pg.uuid(), () => pg.uuid()],
    },
  },
  mysql: {
    define: defineMysql as unknown as Define,
    core: my as unknown as Core,
    table: my.mysqlTable,
    text: () => my.varchar({ length: 99 }),
    date: () => my.datetime(),
    withoutDefault: {
      int: () => my.int(),
      'bigint in numbers': () => my.bigint({ mode: 'number' }),
      'bigint in bigints': () => my.bigint({ mode: 'bigint', unsigned: true }),
      decimal: () => my.decimal(),
    },
    withDefault: {
      serial: () => my.serial(),
      autoincrement: () => my.int().autoincrement(),
      $defaultFn: () => my.int().$defaultFn(() => 1),
    },
    incompatible: {
      'int and varchar': [() => my.serial(), () => my.varchar({ length: 99 })],
      'varchar and int': [() => my.varchar({ length: 99 }), () => my.int()],
    },
    compatible: {
      'serial and bigint': [() => my.serial(), () => my.bigint({ mode: 'number', unsigned: true })],
      'char and varchar': [() => my.char({ length: 36 }), () => my.varchar({ length: 36 })],
    },
  },
  sqlite: {
    define: defineSqlite as unknown as Define,
    core: lite as unknown as Core,
    table: lite.sqliteTable,
    text: () => lite.text(),
    date: () => lite.integer({ mode: 'timestamp' }),
    withoutDefault: { real: () => lite.real(), numeric: () => lite.numeric(), 'bigint in blobs': () => lite.blob({ mode: 'bigint' }) },
    withDefault: {
      'integer primary key': () => lite.integer(),
      autoIncrement: () => lite.integer().primaryKey({ autoIncrement: true }),
      $defaultFn: () => lite.real().$defaultFn(() => 1),
    },
    incompatible: {
      'integer and text': [() => lite.integer(), () => lite.text()],
      'text and integer': [() => lite.text(), () => lite.integer()],
    },
    compatible: {
      'integer and integer': [() => lite.integer(), () => lite.integer()],
      'text and text': [() => lite.text(), () => lite.text()],
    },
  },
}

describe.each(Object.keys(dialects) as (keyof typeof dialects)[])('configuration on %s', (dialect) => {
  const { define, core, text, date, withoutDefault, withDefault, incompatible, compatible } = dialects[dialect]
  const table = dialects[dialect].table as unknown as (name: string, columns: object) => object
  const db = databases[dialect]
  const key = (id: () => unknown) => (id() as Builder).primaryKey()

  /** Hand-written tables. `userId` has the type of `id` except in one table. */
  const handwritten = (id: () => unknown, userId = id, where = 'accountsTable') => {
    const idOf = (name: string) => (name === where ? userId : id)() as object
    const number = dialect === 'mysql' ? my.int : dialect === 'pg' ? pg.integer : lite.integer
    const boolean = () => (dialect === 'sqlite' ? lite.integer({ mode: 'boolean' }) : (core.boolean as () => object)())
    return {
      usersTable: table('u', { id: key(id), email: text(), emailVerified: date() }),
      accountsTable: table('a', { userId: idOf('accountsTable'), type: text(), provider: text(), providerAccountId: text() }),
      sessionsTable: table('s', { userId: idOf('sessionsTable'), sessionToken: text(), expires: date() }),
      authenticatorsTable: table('w', {
        userId: idOf('authenticatorsTable'),
        credentialID: text(),
        providerAccountId: text(),
        credentialPublicKey: text(),
        counter: number(),
        credentialDeviceType: text(),
        credentialBackedUp: boolean(),
      }),
    }
  }
  const usersOf = (id: () => unknown) => define({ usersTable: table('people', { id: key(id), email: text(), emailVerified: date() }) })

  test.each(Object.entries(withoutDefault))('rejects a numeric id without a default: %s', (_type, id) => {
    expectConfigError(() => createAdapter(db, usersOf(id)), /usersTable/, /\bid\b/, /default/i)
    expect(
      createAdapter(
        db,
        usersOf(() => (id() as unknown as Builder).$defaultFn(() => 1)),
      ),
    ).toBeTypeOf('object')
  })

  test.each(Object.entries(withDefault))('accepts a numeric id with a default: %s', (_type, id) => {
    expect(createAdapter(db, usersOf(id))).toBeTypeOf('object')
  })

  test.each(Object.entries(incompatible))('rejects a userId whose type differs from the id: %s', (_types, [id, userId]) => {
    const made = () => ((id as () => unknown)() as Builder).$defaultFn(() => 1)
    for (const where of ['accountsTable', 'sessionsTable', 'authenticatorsTable'])
      expectConfigError(() => createAdapter(db, handwritten(made, userId, where)), new RegExp(where), /userId/, /\bid\b/)
  })

  test.each(Object.entries(compatible))('accepts a userId of a compatible type: %s', (_types, [id, userId]) => {
    for (const where of ['accountsTable', 'sessionsTable', 'authenticatorsTable'])
      expect(createAdapter(db, handwritten(id as () => unknown, userId, where))).toBeTypeOf('object')
  })

  test('rejects an added column whose name in the database is taken', () => {
    const named = (name?: string) => (core.text as (name?: string) => object)(name)
    expectConfigError(() => define({ columns: { users: { mail: named('email') } } }), /columns\.users\.mail/, /email/)
    expectConfigError(() => define({ columns: { accounts: { owner: named('userId') } } }), /columns\.accounts\.owner/, /userId/)
    expectConfigError(
      () => define({ columns: { sessions: { ip: named('note'), agent: named('note') } } }),
      /columns\.sessions\.agent/,
      /note/,
    )
    expectConfigError(() => define({ columns: { sessions: { note: named(), agent: named('note') } } }), /columns\.sessions\.agent/, /note/)
    expect(define({ columns: { users: { mail: named('mail') }, sessions: { email: named('mail') } } })).toBeTypeOf('object')
  })

  test('rejects a table creator that gives tables the same name', () => {
    const creator = core[`${dialect}TableCreator`] as (rename: (name: string) => string) => object
    expectConfigError(() => define({ table: creator(() => 'auth') }), /table/, /auth/)
    expectConfigError(() => define({ table: creator((name) => name.slice(0, 1)) }), /table/)
    const usersTable = table('session', { id: key(text), email: text(), emailVerified: date() })
    expectConfigError(() => define({ usersTable }), /usersTable/, /session/)
    expect(define({ table: creator((name) => name.toLowerCase()) })).toBeTypeOf('object')
  })

  test('rejects a table alias', () => {
    const tables = define()
    const alias = core.alias as (table: object, name: string) => object
    for (const name of Object.keys(tables))
      expectConfigError(() => createAdapter(db, { ...tables, [name]: alias(tables[name] as object, 'other') }), new RegExp(name), /alias/)
    expectConfigError(() => define({ usersTable: alias(tables.usersTable as object, 'other') }), /usersTable/, /alias/)
  })

  test('rejects options that are not an object', async () => {
    const tables = define()
    for (const options of [null, 'retry', 3, true, [], () => {}])
      expectConfigError(() => createAdapter(db, tables, options), /options/, /object/)
    for (const options of [null, 'table', 3, true, []]) expectConfigError(() => define(options), /options/, /object/)
    for (const options of [null, 'batch', 3, true])
      await expect((async () => (deleteExpired as (...parameters: unknown[]) => unknown)(db, tables, options))()).rejects.toBeInstanceOf(
        AdapterConfigError,
      )
    expect(createAdapter(db, tables, undefined)).toBeTypeOf('object')
  })
})
