import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import { integer, sqliteTable, text, withReplicas } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AdapterConfigError, AdapterOperationError, Failure } from '../../src/query/errors.js'
import { readOptions } from '../../src/secrets/options.js'
import { openTables } from '../../src/secrets/tables.js'

// Which tables the work on stored secrets opens, and how.

const newer = { id: '2026b', secret: 'the new secret of the tests with 32 characters or more' }
const parts = readOptions({ sessionTokens: 'migrating', accountTokens: { keys: [newer] } })

const sessionsTable = sqliteTable('session', {
  sessionToken: text().primaryKey(),
  userId: text().notNull(),
  expires: integer({ mode: 'timestamp_ms' }).notNull(),
})
const accountsTable = sqliteTable('account', {
  userId: text().notNull(),
  type: text().notNull(),
  provider: text().notNull(),
  providerAccountId: text().notNull(),
  access_token: text(),
})
const tables = { sessionsTable, accountsTable }

const mysqlSessions = (length: number) =>
  my.mysqlTable('session', {
    sessionToken: my.varchar({ length }).primaryKey(),
    userId: my.varchar({ length: 36 }).notNull(),
    expires: my.datetime().notNull(),
  })
const mysqlAccounts = (length: number) =>
  my.mysqlTable('account', {
    userId: my.varchar({ length: 36 }).notNull(),
    type: my.varchar({ length: 36 }).notNull(),
    provider: my.varchar({ length: 36 }).notNull(),
    providerAccountId: my.varchar({ length: 36 }).notNull(),
    access_token: my.varchar({ length }),
  })

let client: Database.Database
beforeEach(() => {
  client = new Database(':memory:')
})
afterEach(() => {
  vi.restoreAllMocks()
  client.close()
})

const mysqlDb = drizzleMysql(async () => ({ rows: [] }))
const open = (given: unknown, of: object = parts, db: unknown = drizzle({ client })) => openTables('caller', db, given as object, of)

test('those that are given and protected', () => {
  const opened = (given: object, of: object = parts) => {
    const { sessions, accounts } = open(given, of)
    return [sessions?.key, accounts?.key]
  }
  const [session, account] = [['sessionToken'], ['provider', 'providerAccountId']]
  expect(opened(tables)).toEqual([session, account])
  expect(opened({ sessionsTable })).toEqual([session, undefined])
  expect(opened({ accountsTable })).toEqual([undefined, account])
  expect(opened(tables, { sessions: parts.sessions })).toEqual([session, undefined])
  expect(opened(tables, { accounts: parts.accounts })).toEqual([undefined, account])
})

test.each([
  [undefined, parts],
  [{}, parts],
  [tables, {}],
  [{ sessionsTable }, { accounts: parts.accounts }],
  [{ accountsTable }, { sessions: parts.sessions }],
])('at least one', (given, of) => {
  expect(() => open(given, of)).toThrow(/^caller: no table is given whose secrets are protected/)
  expect(() => open(given, of)).toThrow(AdapterConfigError)
})

test('that fit the contract', () => {
  const wrong = [
    { sessionsTable: sqliteTable('session', { sessionToken: text() }) },
    { accountsTable: sqliteTable('account', { provider: text() }) },
    { sessionsTable: mysqlSessions(46) },
  ]
  for (const given of wrong) {
    expect(() => open(given)).toThrow(AdapterConfigError)
    expect(() => open(given)).toThrow(/^caller: /)
  }
  for (const db of [null, {}]) expect(() => open(tables, parts, db)).toThrow(/^caller: the first argument is not a Drizzle database/)
})

test('that can hold protected values', () => {
  expect(() => open({ sessionsTable: mysqlSessions(46), accountsTable: mysqlAccounts(4_000) }, parts, mysqlDb)).not.toThrow()
  expect(() => open({ sessionsTable: mysqlSessions(45) }, parts, mysqlDb)).toThrow('caller: the column sessionToken')
  expect(() => open({ accountsTable: mysqlAccounts(3_999) }, parts, mysqlDb)).toThrow('caller: the column access_token')
})

test('as their driver needs it', () => {
  // mysql-proxy cannot be trusted to escape every text.
  expect(open({ sessionsTable: mysqlSessions(46) }, parts, mysqlDb).sql.literal).toBeTypeOf('function')
})

test('of the primary, where there are replicas', async () => {
  client.exec('create table session (sessionToken text primary key, userId text, expires integer)')
  client.exec("insert into session values ('a', '1', 0)")
  const replica = new Database(':memory:')
  const db = withReplicas(drizzle({ client }), [drizzle({ client: replica })])
  expect(await open({ sessionsTable }, parts, db).sessions?.select({ sessionToken: 'a' })).toHaveLength(1)
  replica.close()
})

test('again while they are locked, and not within a transaction', async () => {
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void) => setImmediate(run)) as never)
  const run = vi.fn(() => {
    throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  })
  await expect(Promise.resolve(open({ sessionsTable }).sessions?.attempt('read', run))).rejects.toMatchObject({ kind: 'conflict' })
  expect(run.mock.calls.length).toBeGreaterThan(3)
  run.mockClear()
  const failure = drizzle({ client }).transaction((transaction) => {
    try {
      return open({ sessionsTable }, parts, transaction).sessions?.attempt('read', run)
    } catch (error) {
      return error
    }
  })
  expect(failure).toMatchObject({ kind: 'conflict' })
  expect(run).toHaveBeenCalledOnce()
})

test('with failures that name the caller and hold no values', async () => {
  const { redact } = open(tables)
  expect(await redact(Promise.resolve(5))).toBe(5)
  const failure = await redact(Promise.reject(new Failure('duplicate', { table: 'session' }))).catch((error) => error)
  expect(failure).toBeInstanceOf(AdapterOperationError)
  expect(failure).toMatchObject({ operation: 'caller', kind: 'duplicate', table: 'session' })
  const broken = await redact(Promise.reject(new Error('secret-token'))).catch((error) => error)
  expect(broken).toBeInstanceOf(AdapterOperationError)
  expect(broken.message).not.toContain('secret-token')
})
