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

/** Throws an AdapterConfigError that says what is wrong and what to change. */
function expectConfigError(run: () => unknown, ...said: RegExp[]) {
  let error: Error | undefined
  try {
    run()
  } catch (thrown) {
    error = thrown as Error
  }
  expect(error).toBeInstanceOf(AdapterConfigError)
  for (const words of said) expect(error?.message).toMatch(words)
  expect(error?.message).toMatch(/\b(give|use|add|pass|rename|define|make|set|choose|take|upgrade|update|change|must|needs?)\b/i)
}

// Without types, as JavaScript code calls them.
const make = DrizzleAdapter as (db: unknown, tables: unknown, options?: unknown) => object
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
    numbers: {
      integer: () => pg.integer(),
      'bigint in numbers': () => pg.bigint({ mode: 'number' }),
      'bigint in bigints': () => pg.bigint({ mode: 'bigint' }),
      numeric: () => pg.numeric(),
    },
    counting: {
      serial: () => pg.serial(),
      identity: () => pg.integer().generatedAlwaysAsIdentity(),
      'a default': () => pg.integer().default(sql`nextval('ids')`),
      $defaultFn: () => pg.integer().$defaultFn(() => 1),
    },
    unlike: {
      'integer and text': [() => pg.serial(), () => pg.text()],
      'uuid and text': [() => pg.uuid(), () => pg.text()],
      'text and uuid': [() => pg.text(), () => pg.uuid()],
    },
    alike: {
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
    numbers: {
      int: () => my.int(),
      'bigint in numbers': () => my.bigint({ mode: 'number' }),
      'bigint in bigints': () => my.bigint({ mode: 'bigint', unsigned: true }),
      decimal: () => my.decimal(),
    },
    counting: { serial: () => my.serial(), autoincrement: () => my.int().autoincrement(), $defaultFn: () => my.int().$defaultFn(() => 1) },
    unlike: {
      'int and varchar': [() => my.serial(), () => my.varchar({ length: 99 })],
      'varchar and int': [() => my.varchar({ length: 99 }), () => my.int()],
    },
    alike: {
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
    numbers: { real: () => lite.real(), numeric: () => lite.numeric(), 'bigint in blobs': () => lite.blob({ mode: 'bigint' }) },
    counting: {
      'integer primary key': () => lite.integer(),
      autoIncrement: () => lite.integer().primaryKey({ autoIncrement: true }),
      $defaultFn: () => lite.real().$defaultFn(() => 1),
    },
    unlike: {
      'integer and text': [() => lite.integer(), () => lite.text()],
      'text and integer': [() => lite.text(), () => lite.integer()],
    },
    alike: { 'integer and integer': [() => lite.integer(), () => lite.integer()], 'text and text': [() => lite.text(), () => lite.text()] },
  },
}

describe.each(Object.keys(dialects) as (keyof typeof dialects)[])('configuration on %s', (dialect) => {
  const { define, core, text, date, numbers, counting, unlike, alike } = dialects[dialect]
  const table = dialects[dialect].table as unknown as (name: string, columns: object) => object
  const db = databases[dialect]
  const key = (id: () => unknown) => (id() as Builder).primaryKey()

  /** Hand-written tables. `userId` has the type of `id` except in one table. */
  const written = (id: () => unknown, userId = id, where = 'accountsTable') => {
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

  test.each(Object.entries(numbers))('rejects a numeric id without a default: %s', (_type, id) => {
    expectConfigError(() => make(db, usersOf(id)), /usersTable/, /\bid\b/, /default/i)
    expect(
      make(
        db,
        usersOf(() => (id() as unknown as Builder).$defaultFn(() => 1)),
      ),
    ).toBeTypeOf('object')
  })

  test.each(Object.entries(counting))('accepts a numeric id with a default: %s', (_type, id) => {
    expect(make(db, usersOf(id))).toBeTypeOf('object')
  })

  test.each(Object.entries(unlike))('rejects a userId whose type differs from the id: %s', (_types, [id, userId]) => {
    const made = () => ((id as () => unknown)() as Builder).$defaultFn(() => 1)
    for (const where of ['accountsTable', 'sessionsTable', 'authenticatorsTable'])
      expectConfigError(() => make(db, written(made, userId, where)), new RegExp(where), /userId/, /\bid\b/)
  })

  test.each(Object.entries(alike))('accepts a userId of a compatible type: %s', (_types, [id, userId]) => {
    for (const where of ['accountsTable', 'sessionsTable', 'authenticatorsTable'])
      expect(make(db, written(id as () => unknown, userId, where))).toBeTypeOf('object')
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
      expectConfigError(() => make(db, { ...tables, [name]: alias(tables[name] as object, 'other') }), new RegExp(name), /alias/)
    expectConfigError(() => define({ usersTable: alias(tables.usersTable as object, 'other') }), /usersTable/, /alias/)
  })

  test('rejects options that are not an object', async () => {
    const tables = define()
    for (const options of [null, 'retry', 3, true, [], () => {}]) expectConfigError(() => make(db, tables, options), /options/, /object/)
    for (const options of [null, 'table', 3, true, []]) expectConfigError(() => define(options), /options/, /object/)
    for (const options of [null, 'batch', 3, true])
      await expect((async () => (deleteExpired as (...parameters: unknown[]) => unknown)(db, tables, options))()).rejects.toBeInstanceOf(
        AdapterConfigError,
      )
    expect(make(db, tables, undefined)).toBeTypeOf('object')
  })
})
