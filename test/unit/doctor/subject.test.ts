import Client from 'better-sqlite3'
import type { Column } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { Cache } from 'drizzle-orm/cache/core'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import * as post from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LiveColumn, LiveKey, LiveTable } from '../../../src/doctor/inspector.js'
import { groupBy, localTimes, read, readOne } from '../../../src/doctor/inspector.js'
import { mysql } from '../../../src/doctor/mysql.js'
import { pg } from '../../../src/doctor/pg.js'
import type { SubjectColumn } from '../../../src/doctor/subject.js'
import { columnName, describeTable, fits, givenTables, isUnique, keysOf, liveColumns, tableNames } from '../../../src/doctor/subject.js'
import { models } from '../../../src/models.js'
import { defineTables } from '../../../src/pg/tables.js'
import type { Database } from '../../../src/query/drizzle.js'

const unread = async () => ({ rows: [] })
const db = drizzlePg(unread) as unknown as Database

const column = (name: string, more: Partial<LiveColumn> = {}): LiveColumn => ({
  name,
  type: 'text',
  holds: 'text',
  notNull: false,
  isFilled: false,
  ...more,
})
const uniqueKey = (columns: string[]): LiveKey => ({ kind: 'unique', name: '', columns, isConstraint: true, isPlain: true })
const live = (columns: LiveColumn[], more: Partial<LiveTable> = {}): LiveTable => ({
  schema: '',
  name: 'user',
  columns,
  keys: [],
  foreignKeys: [],
  ...more,
})

describe('the tables of an app', () => {
  test('are examined in the order of the contract', () => {
    const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
    const tables = { authenticatorsTable, verificationTokensTable, sessionsTable, accountsTable, usersTable }
    expect(givenTables(tables).map(({ model }) => model)).toEqual(Object.keys(models))
    expect(givenTables({ sessionsTable, usersTable: undefined } as never)).toEqual([
      { model: 'sessions', table: sessionsTable, names: { schema: undefined, name: 'session' } },
    ])
  })

  test('have their names in the database', () => {
    expect(tableNames(post.pgTable('user', {}))).toEqual({ schema: undefined, name: 'user' })
    expect(tableNames(post.pgSchema('auth').table('user', {}))).toEqual({ schema: 'auth', name: 'user' })
    expect(tableNames(post.pgSchema('a.b').table('c.d', {}))).toEqual({ schema: 'a.b', name: 'c.d' })
  })

  test('are described with what the database has', () => {
    const usersTable = post
      .pgSchema('auth')
      .table('user', { id: post.uuid().primaryKey(), email: post.varchar('E-mail', { length: 99 }), age: post.integer() })
    const [given] = givenTables({ usersTable } as never)
    if (!given) throw new Error('no table')
    const table = live([column('age', { holds: 'integer' }), column('id', { holds: 'uuid' })])
    const described = describeTable(db, pg, given, table)
    expect(described).toMatchObject({ model: 'users', name: 'user', quoted: '"auth"."user"', live: table })
    expect(described.columns).toMatchObject([
      { field: 'id', name: 'id', contract: { kind: 'id' }, declared: { holds: 'uuid' }, live: { holds: 'uuid' } },
      { field: 'email', name: 'E-mail', contract: { kind: 'string' }, declared: { holds: 'text', length: 99 }, live: undefined },
      { field: 'age', name: 'age', contract: undefined, declared: { holds: 'integer', bits: 31 }, live: { name: 'age' } },
    ])
  })

  test('without a schema are quoted by their name', () => {
    const sessionsTable = my.mysqlTable('session', { expires: my.datetime() })
    const [given] = givenTables({ sessionsTable } as never)
    if (!given) throw new Error('no table')
    expect(describeTable(drizzleMysql(unread) as unknown as Database, mysql, given, live([])).quoted).toBe('`session`')
  })

  test.each(['email', 'userId', 'e-mail', 'a"b', 'a""b"', 'a.b', 'a`b', 'x" from y', ' ', 'a\nselect `b` from c'])(
    'may have a column named %j',
    (name) => {
      const table = post.pgSchema('a"b').table('c"d', { column: post.text(name) })
      expect(columnName(drizzlePg(unread) as unknown as Database, table, table.column as Column)).toBe(name)
      if (name.includes('"')) return
      const other = my.mysqlSchema('a`b').table('c`d', { column: my.text(name) })
      expect(columnName(drizzleMysql(unread) as unknown as Database, other, other.column as unknown as Column)).toBe(name)
    },
  )

  test.each(['"session"', '"auth"."session"', '"a""b"."session"'])(
    'may have a statement that names the table %s before a column',
    (path) => {
      const query = { toSQL: () => ({ sql: `select ${path}."session_token" from ${path}` }) }
      const named = { select: () => ({ from: () => query }) } as unknown as Database
      const table = post.pgTable('session', { sessionToken: post.text() })
      expect(columnName(named, table, table.sessionToken as Column)).toBe('session_token')
    },
  )

  // In Drizzle 1.0, the tables define their casing.
  test.skipIf(process.env.DRIZZLE === 'drizzle 1.0')('may have names that the database object makes', () => {
    const table = post.pgTable('session', { sessionToken: post.text() })
    const named = drizzlePg(unread, { casing: 'snake_case' } as never) as unknown as Database
    expect(columnName(named, table, table.sessionToken as Column)).toBe('session_token')
  })
})

describe('columns of a described table', () => {
  const usersTable = post.pgTable('user', { id: post.text(), email: post.text(), age: post.integer() })
  const describeUsers = (table: LiveTable) =>
    describeTable(drizzlePg(unread) as unknown as Database, pg, givenTables({ usersTable } as never)[0] as never, table)

  test('are found by their names in code, if the database has all of them', () => {
    const table = describeUsers(live([column('id'), column('age')]))
    expect(liveColumns(table, ['age', 'id'])?.map(({ name }) => name)).toEqual(['age', 'id'])
    expect(liveColumns(table, [])).toEqual([])
    for (const fields of [['email'], ['id', 'email'], ['email', 'id'], ['other']]) expect(liveColumns(table, fields)).toBeUndefined()
  })

  test.each([
    [[['id']], true],
    [[['email'], ['id']], true],
    [[['email', 'id']], false],
    [[['email']], false],
    [[], false],
  ])('with the unique keys %j are unique: %s', (unique, expected) => {
    const table = describeUsers(live([column('id'), column('email')], { keys: unique.map(uniqueKey) }))
    expect(isUnique(table, liveColumns(table, ['id']) ?? [])).toBe(expected)
  })

  test('are unique together if some of them are', () => {
    const table = describeUsers(live([column('id'), column('email')], { keys: [uniqueKey(['email'])] }))
    expect(isUnique(table, liveColumns(table, ['id', 'email']) ?? [])).toBe(true)
  })

  test.each([
    ['text', 'text', true],
    ['text', 'integer', false],
    ['other', 'integer', true],
    ['integer', 'other', false],
    ['text', undefined, false],
    ['other', undefined, false],
  ] as const)('of %s in code and %s in the database fit: %s', (declared, holds, expected) => {
    const one = { declared: { holds: declared }, live: holds && column('id', { holds }) } as SubjectColumn
    expect(fits(one)).toBe(expected)
  })

  test('identify a row', () => {
    expect(keysOf).toEqual({
      users: [['id'], ['email']],
      accounts: [['provider', 'providerAccountId']],
      sessions: [['sessionToken']],
      verificationTokens: [['identifier', 'token']],
      authenticators: [['credentialID']],
    })
  })
})

class FullCache extends Cache {
  override strategy = () => 'all' as const
  override get = async () => [['old']]
  override put = async () => {}
  override onMutate = async () => {}
}

describe('reading', () => {
  const connect = () => {
    const client = new Client(':memory:')
    onTestFinished(() => void client.close())
    client.exec(`create table user (id, email); insert into user values (1, 'ada@example.com'), (2, 'eva@example.com')`)
    return drizzle({ client }) as unknown as Database
  }
  const fields = { id: sql`id`, name: sql`upper(email)` }

  test('gives rows by the names of the fields', async () => {
    const rows = [
      { id: 1, name: 'ADA@EXAMPLE.COM' },
      { id: 2, name: 'EVA@EXAMPLE.COM' },
    ]
    expect(await read(connect(), fields, sql`user`)).toEqual(rows)
    expect(await read(connect(), fields, sql`user`, sql`id > 1`)).toEqual(rows.slice(1))
    expect(await readOne(connect(), fields, sql`user`)).toEqual(rows[0])
  })

  test("does not use the app's cache", async () => {
    const cached = drizzlePg(async () => ({ rows: [['new']] }), { cache: new FullCache() }) as unknown as Database
    for (const where of [undefined, sql`true`])
      expect(await read(cached, { state: sql`state` }, sql`states`, where)).toEqual([{ state: 'new' }])
  })

  test('keeps the order of groups and of their rows', () => {
    expect(groupBy(['b1', 'a1', 'b2', 'b3', 'a2'], (text) => text[0])).toEqual([
      ['b1', 'b2', 'b3'],
      ['a1', 'a2'],
    ])
    expect(groupBy([], () => 1)).toEqual([])
  })

  test('finds the columns that are filled by the clock of the server', () => {
    const clock = { holds: 'date', isLocalTime: true } as const
    const tables = new Map([
      [{ schema: 'auth', name: 'user' }, live([column('made', clock), column('id'), column('seen', { ...clock, isLocalTime: false })])],
      [{ schema: undefined, name: 'session' }, live([column('started', clock)])],
    ])
    const found = { code: 'time-zone', severity: 'warning', message: expect.stringContaining('UTC'), fix: 'the fix' }
    expect(localTimes(tables, 'the fix')).toEqual([
      { ...found, table: 'user', column: 'made' },
      { ...found, table: 'session', column: 'started' },
    ])
  })
})
