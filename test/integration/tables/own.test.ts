import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { casesFor } from 'drizzle-auth-adapter/testing'
import { sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { AnyAdapter } from '../../support/databases.js'
import { makeAdapter, openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { createTables, mysqlTables, pgTables, sqliteTables } from '../../support/loose.js'
import { openOwnUsers } from '../../support/own-users.js'
import { expectRoundTrip } from '../../support/round-trip.js'
import type { ColumnBuilder, DefaultTables } from '../../support/table-sets.js'
import { creationOf, tableOf, typesOf } from '../../support/table-sets.js'

// Keys are compared exactly on tables of the app's own, whatever their types and collations. conditions.test.ts has other comparisons.

const uuid = '5f0c2a1e-7d0b-4b1a-9c2e-1a2b3c4d5e6f'
const looseOnPg = `create collation loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`

/** A custom type whose values have a prefix in the app and none in the database. */
const prefixed = (type: string) => ({
  dataType: () => type,
  toDriver: (value: string) => value.replace(/^usr_/, ''),
  fromDriver: (value: unknown) => `usr_${value}`,
})
const ofType = (dialect: DialectName, type: string) => typesOf[dialect].custom({ dataType: () => type })

interface Id {
  column: object
  /** An id, and texts that are no user's. Without it, the database generates ids, which are numbers. */
  id?: string
  others?: string[]
  before?: string
}

const spellings = (id: string) => [`${id}abc`, id.replace(/\d/, '0$&'), id.replace(/\d/, ' $&'), 'usr_', 'x']

const ids: Record<DialectName, Record<string, Id>> = {
  pg: {
    'varchar without a length': { column: pg.varchar(), id: 'x'.repeat(300), others: ['x'] },
    uuid: {
      column: pg.uuid(),
      id: uuid,
      others: [uuid.toUpperCase(), `{${uuid}}`, uuid.replaceAll('-', ''), `${uuid}\0`, 'abc', '', '\u{1F600}'],
    },
    'uuid with a custom type': {
      column: typesOf.pg.custom(prefixed('UUID')),
      id: `usr_${uuid}`,
      others: [`usr_${uuid.toUpperCase()}`, `usr_{${uuid}}`, 'usr_x'],
    },
    'integer with a custom type': {
      column: typesOf.pg.custom(prefixed('integer')),
      id: 'usr_12',
      others: [...spellings('usr_12'), `usr_${'9'.repeat(30)}x`],
    },
    citext: { column: ofType('pg', 'citext'), before: 'create extension citext', id: 'Ada', others: ['ada', 'Ada\0'] },
    'text of a nondeterministic collation': {
      column: ofType('pg', 'text collate loose'),
      before: looseOnPg,
      id: 'jose',
      others: ['jos\u00e9', 'JOSE'],
    },
    serial: { column: pg.serial() },
    'bigint as identity': { column: pg.bigint({ mode: 'bigint' }).generatedByDefaultAsIdentity() },
  },
  mysql: {
    'VARCHAR(100), in capitals': { column: ofType('mysql', 'VARCHAR(100)'), id: 'AbC', others: ['abc', 'AbC ', '\u00e1bc'] },
    'int with a custom type': {
      column: typesOf.mysql.custom(prefixed('int')),
      id: 'usr_12',
      others: [...spellings('usr_12'), 'usr_12 ', 'usr_1.2e1'],
    },
    'varbinary, returned as bytes': {
      column: typesOf.mysql.custom({
        dataType: () => 'varbinary(40)',
        toDriver: (value: string) => value,
        fromDriver: (value: Buffer) => value.subarray().toString(),
      }),
      id: 'AbC',
      others: ['abc', 'AbC '],
    },
    int: { column: my.int({ unsigned: true }).autoincrement() },
    bigint: { column: my.bigint({ mode: 'bigint' }).autoincrement() },
  },
  sqlite: {
    'string, of numeric affinity': { column: ofType('sqlite', 'string'), id: '1000', others: ['1e3', '01000', '1000.0', ' 1000'] },
    'char(20), which is not padded': { column: ofType('sqlite', 'char(20) collate rtrim'), id: 'ada  ', others: ['ada', 'ada '] },
    'text collate nocase': { column: ofType('sqlite', 'text collate nocase'), id: 'Ada', others: ['ada'] },
    integer: { column: lite.integer() },
  },
}

/** Expects that a user is found by the exact id, and neither found, updated nor deleted by the others. */
async function expectExactId(adapter: AnyAdapter, id: string, others: string[]) {
  const user = await adapter.createUser({ id, email: 'ada@example.com' })
  for (const other of others) {
    expect(await adapter.getUser(other), `getUser(${other})`).toBeNull()
    expect(await adapter.deleteUser(other), `deleteUser(${other})`).toBeNull()
    const update = adapter.updateUser({ id: other, email: 'mallory@example.com' })
    await expect(update, `updateUser(${other})`).rejects.toMatchObject({ kind: 'not-found' })
    expect(await adapter.listAuthenticatorsByUserId(other)).toEqual([])
  }
  await adapter.createSession({ sessionToken: 's', userId: id, expires: new Date(4e12) })
  expect(await adapter.getSessionAndUser('s')).toMatchObject({ user })
  expect(await adapter.deleteUser(id)).toEqual(user)
}

/** Expects that an id that the database generates can be given as text, number or bigint, and in no other form. */
async function expectNumericId(adapter: AnyAdapter) {
  await expectRoundTrip(adapter as unknown as Adapter, {})
  const ada = await adapter.createUser({ email: 'ada@example.com' })
  for (const id of [ada.id, Number(ada.id), BigInt(ada.id)] as string[]) {
    expect(await adapter.getUser(id)).toEqual(ada)
    expect(await adapter.updateUser({ id, email: 'ada@example.com' })).toEqual(ada)
    const sessionToken = crypto.randomUUID()
    expect(await adapter.createSession({ sessionToken, userId: id, expires: new Date(0) })).toMatchObject({ userId: ada.id })
    expect(await adapter.getSessionAndUser(sessionToken)).toMatchObject({ user: ada })
  }
  const others = [
    Number(ada.id) + 0.5,
    -Number(ada.id),
    2 ** 53,
    [ada.id],
    true,
    `0${ada.id}`,
    `${ada.id}.0`,
    `+${ada.id}`,
    '9'.repeat(99),
    '',
  ]
  for (const id of others as string[]) {
    expect(await adapter.getUser(id)).toBeNull()
    expect(await adapter.deleteUser(id)).toBeNull()
  }
}

const loose = { pg: pgTables, mysql: mysqlTables, sqlite: sqliteTables }

describe.each(inject('dialects'))('own tables on %s', (dialect) => {
  async function openUsers(columns: Parameters<typeof openOwnUsers>[1], before: string[] = []) {
    const opened = await openOwnUsers(dialect, columns, before)
    onTestFinished(opened.close)
    return { ...opened, tables: opened.tables as unknown as DefaultTables }
  }
  const key = (column: object) => (column as ColumnBuilder).primaryKey()

  test.each(Object.entries(ids[dialect]))('a user is found by the exact id only: %s', async (_, { column, id, others, before }) => {
    const { adapter } = await openUsers({ id: key(column) }, before ? [before] : [])
    if (id === undefined) await expectNumericId(adapter)
    else await expectExactId(adapter, id, others ?? [])
  })

  const suffix = dialect === 'mysql' ? ' character set utf8mb4 collate utf8mb4_general_ci' : ''

  test('with case-insensitive keys fulfil the contract, and keys are compared exactly, also with the joined user', async () => {
    const tables = loose[dialect]
    const migrations = createTables(tables, dialect === 'pg' ? '"' : '`', suffix)
    const { adapter: create, close } = await openDatabase(dialect, {
      tables,
      migrations: dialect === 'pg' ? ['create extension citext', ...migrations] : migrations,
    })
    onTestFinished(close)
    const adapter = create()
    const cases = casesFor(adapter, { leaveOut: { storage: 'the columns are shorter' } })
    for (const c of cases) await c.run(adapter).catch((cause) => Promise.reject(new Error(`${c.name}: ${cause.message}`, { cause })))
    const user = await adapter.createUser({ id: 'AbCdEf', email: 'ada@example.com' })
    await adapter.createSession({ sessionToken: 'token', userId: 'abcdef', expires: new Date(4e12) })
    await adapter.linkAccount({ userId: 'abcdef', type: 'oauth', provider: 'p', providerAccountId: '1' })
    expect(await adapter.getSessionAndUser('token')).toBeNull()
    expect(await adapter.getUserByAccount({ provider: 'p', providerAccountId: '1' })).toBeNull()
    expect(await adapter.getUser(user.id)).toEqual(user)
  })

  test('may fill the id by themselves, which counts more than a given id', async () => {
    const { adapter } = await openUsers({
      id: typesOf[dialect]
        .text()
        .primaryKey()
        .$defaultFn(() => sql`concat('o', 'wn')`),
    })
    expect(await adapter.createUser({ id: 'given', email: 'a@example.com' })).toMatchObject({ id: 'own' })
    expect(await adapter.getUser('given')).toBeNull()
    expect(await adapter.getUser('own')).toMatchObject({ email: 'a@example.com' })
  })

  test('may have sessions without a user, which belong to nobody, and an id that stays a number', async () => {
    const { integer, text, date } = typesOf[dialect]
    const { db, exec, run, tables } = await openUsers({ id: text().primaryKey() })
    const sessionsTable = tableOf(dialect, 'other', {
      id: integer(),
      sessionToken: text().primaryKey(),
      userId: text(),
      expires: date().notNull(),
    })
    await exec(creationOf(dialect, sessionsTable))
    const adapter = makeAdapter(db, { ...tables, sessionsTable })
    const { id } = await adapter.createUser({ id: 'ada', email: 'a@example.com' })
    const session = { id: 1, sessionToken: 's', userId: id, expires: new Date(0) }
    expect(await adapter.createSession(session as never)).toEqual(session)
    await adapter.createSession({ ...session, sessionToken: 't', userId: null } as never)
    expect(await adapter.listSessions(null as never)).toEqual([])
    expect(await adapter.revokeSessions(null as never)).toBe(0)
    expect(await run('select * from other')).toHaveLength(2)
  })

  test.runIf(dialect === 'mysql')('with an id that the driver rounds are refused', async () => {
    const { adapter, exec } = await openUsers({ id: key(typesOf.mysql.custom({ dataType: () => 'bigint', fromDriver: String })) })
    await exec(`insert into people (id, email) values (9007199254740993, 'a@example.com')`)
    await expect(adapter.getUserByEmail('a@example.com')).rejects.toMatchObject({ kind: 'garbled' })
  })

  test.runIf(dialect === 'pg')('may pad session tokens, whose padding is not part of them', async () => {
    const { db, exec, tables } = await openUsers({ id: pg.text().primaryKey() })
    const sessionsTable = pg.pgTable('padded', {
      sessionToken: pg.char({ length: 60 }).primaryKey(),
      userId: pg.text().notNull(),
      expires: pg.timestamp({ precision: 3 }).notNull(),
    })
    await exec(creationOf('pg', sessionsTable))
    const adapter = DrizzleAdapter(db as never, { ...tables, sessionsTable })
    const { id: userId } = await adapter.createUser({ id: 'ada', email: 'ada@example.com' })
    const session = { sessionToken: 'token', userId, expires: new Date(4e12) }
    expect(await adapter.createSession(session)).toEqual(session)
    await adapter.createSession({ ...session, sessionToken: 'other' })
    expect(await adapter.getSessionAndUser('token')).toMatchObject({ session })
    expect((await adapter.listSessions(userId, { current: 'token' })).filter(({ current }) => current)).toHaveLength(1)
    expect(await adapter.revokeSessions(userId, { except: 'token' })).toBe(1)
    expect(await adapter.deleteSession('token')).toEqual(session)
  })
})
