import SQLite from 'better-sqlite3'
import type { Table } from 'drizzle-orm'
import { entityKind } from 'drizzle-orm'
import { drizzle as drizzleSync } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleD1 } from 'drizzle-orm/d1'
// `drizzle-orm/libsql` imports @libsql/client, which is installed for the matrix only.
import * as libsql from 'drizzle-orm/libsql/driver-core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { models } from '../../src/contract.js'
import { createCodec } from '../../src/query/codec.js'
import type { Database } from '../../src/query/drizzle.js'
import type { RetryLimits } from '../../src/query/retry.js'
import { createStatements } from '../../src/query/statements.js'
import { sqlite } from '../../src/sqlite/dialect.js'
import { defineTables } from '../../src/sqlite/tables.js'
import { createTable } from '../helpers/ddl.js'
import { cache, failureOf } from './scripted.js'

// How a user and what belongs to it are deleted, by drivers that run statements at once, in batches, or one by one.

const { usersTable, accountsTable, sessionsTable } = defineTables()
const ada = { id: '1', name: null, email: 'ada@example.com', emailVerified: null, image: null }

/** A user with an account and a session, another one with a session, and a foreign key of the sessions with this action. */
function openDatabase(action = 'cascade') {
  const client = new SQLite(':memory:')
  onTestFinished(() => void client.close())
  client.pragma('foreign_keys = on')
  client.exec(createTable(usersTable, '"'))
  client.exec(createTable(accountsTable, '"'))
  const sessions = createTable(sessionsTable, '"', [`foreign key ("userId") references "user" (id) on delete ${action}`])
  client.exec(sessions.replace('"userId" text not null', `"userId" text default '2'`))
  client.exec(`insert into user (id, email) values ('1', 'ada@example.com'), ('2', 'bob@example.com')`)
  client.exec(`insert into account ("userId", type, provider, "providerAccountId") values ('1', 'oauth', 'github', '7')`)
  client.exec(`insert into session values ('s1', '1', 0), ('s2', '2', 0)`)
  return client
}
type Client = ReturnType<typeof openDatabase>

/** The part of a D1 database that Drizzle uses, on a database in this process. */
function asD1(client: Client, sent: string[]) {
  const prepare = (text: string) => ({
    bind: (...params: unknown[]) => {
      const execute = () => {
        const statement = client.prepare(text)
        return (statement.reader ? statement.all(...params) : [statement.run(...params)]) as object[]
      }
      const send = async () => {
        sent.push(text)
        return execute()
      }
      return {
        execute,
        run: send,
        all: async () => ({ results: await send() }),
        raw: async () => (await send()).map((row) => Object.values(row)),
      }
    },
  })
  const batch = async (statements: { execute(): unknown }[]) => {
    sent.push('batch')
    return client.transaction(() => statements.map(({ execute }) => ({ results: execute() })))()
  }
  return { prepare, batch }
}

/** The part of a client of @libsql/client that is used, on the same database. */
function asLibsql(client: Client, sent: string[]) {
  const run = ({ sql, args }: { sql: string; args: unknown[] }) => {
    const statement = client.prepare(sql)
    if (!statement.reader) return { rows: [], rowsAffected: statement.run(...args).changes }
    return { rows: (statement.all(...args) as object[]).map((row) => Object.assign(Object.values(row), row)) }
  }
  const execute = async (statement: string | { sql: string; args: unknown[] }) =>
    run(typeof statement === 'string' ? { sql: statement, args: [] } : statement)
  const batch = async (statements: { sql: string; args: unknown[] }[], mode: string) => {
    sent.push(`batch to ${mode}`)
    return client.transaction(() => statements.map(run))()
  }
  return { protocol: 'file', execute, batch }
}
const { construct: drizzleLibsql } = libsql as unknown as { construct(client: object): Database }

/** The same database with a session of another class. */
function withSession(db: Database, kind: string): Database {
  const session = Object.create(db.session as object, { constructor: { value: { [entityKind]: kind } } })
  return Object.create(db, { session: { value: session } })
}

const drivers: Record<string, (client: Client, sent: string[]) => Database> = {
  synchronous: (client) => drizzleSync({ client }) as unknown as Database,
  'with batches': (client, sent) => drizzleD1(asD1(client, sent) as never) as unknown as Database,
  'of libSQL on a file': (client, sent) => drizzleLibsql(asLibsql(client, sent)),
  'with neither': (client, sent) => withSession(drizzleD1(asD1(client, sent) as never) as unknown as Database, 'SQLiteRemoteSession'),
}

function deleteUser(db: Database, id = '1', limits: RetryLimits | false = false) {
  const statementsOf = (name: 'users' | 'accounts' | 'sessions', table: unknown) =>
    createStatements(db, table as Table, ['id'], createCodec(models[name], table as Table, sqlite.sql), sqlite.sql, limits)
  const own = { userId: id }
  return sqlite.writes.removeUser(statementsOf('users', usersTable), { id }, [
    [statementsOf('accounts', accountsTable), own],
    [statementsOf('sessions', sessionsTable), own],
  ])
}

const idsIn = (client: Client) => ({
  users: client.prepare('select id from user').pluck().all(),
  accounts: client.prepare('select "providerAccountId" from account').pluck().all(),
  sessions: client.prepare('select "sessionToken" from session order by 1').pluck().all(),
})
const everything = { users: ['1', '2'], accounts: ['7'], sessions: ['s1', 's2'] }
const others = { users: ['2'], accounts: [], sessions: ['s2'] }

describe.each(Object.entries(drivers))('a driver %s', (_, connect) => {
  const open = () => {
    const client = openDatabase()
    return { client, db: connect(client, []) }
  }

  test('deletes a user and its rows', async () => {
    const { client, db } = open()
    expect(await deleteUser(db)).toEqual(ada)
    expect(idsIn(client)).toEqual(others)
    expect(await deleteUser(db)).toBeNull()
  })

  test('deletes rows whose user is gone', async () => {
    const { client, db } = open()
    client.pragma('foreign_keys = off')
    client.exec(`delete from user where id = '1'`)
    expect(await deleteUser(db)).toBeNull()
    expect(idsIn(client)).toEqual(others)
  })

  test('keeps everything if a trigger keeps the user without an error', async () => {
    const { client, db } = open()
    client.exec('create trigger keep before delete on user begin select raise(ignore); end')
    expect(await deleteUser(db)).toBeNull()
    expect(idsIn(client)).toEqual(everything)
  })

  test('keeps everything if rows of the app refer to the user', async () => {
    const { client, db } = open()
    client.exec(`create table post (author text references user (id)); insert into post values ('1')`)
    await expect(deleteUser(db)).rejects.toMatchObject({ kind: 'still-referenced' })
    expect(idsIn(client)).toEqual(everything)
  })
})

test.each(['synchronous', 'with batches', 'of libSQL on a file'])(
  'a driver %s deletes the rows first, so that no foreign key need do so',
  async (name) => {
    const client = openDatabase('restrict')
    expect(await deleteUser(drivers[name]?.(client, []) as Database)).toEqual(ada)
    expect(idsIn(client)).toEqual(others)
  },
)

test('a batch is one call', async () => {
  const sent: string[] = []
  const client = openDatabase()
  await deleteUser(drivers['with batches']?.(client, sent) as Database)
  expect(sent).toEqual(['batch'])
  await deleteUser(drivers['of libSQL on a file']?.(client, sent) as Database, '2')
  expect(sent).toEqual(['batch', 'batch to write'])
})

test.each([
  ['LibSQLSession', true],
  ['SQLiteD1Session', true],
  ['EffectSQLiteD1Session', false],
  ['LibSQLSessionV2', false],
])('a session that is a %s has batches: %s', async (kind, hasBatches) => {
  const sent: string[] = []
  const client = openDatabase()
  const d1 = drizzleD1(asD1(client, sent) as never) as unknown as Database
  expect(await deleteUser(withSession(d1, kind))).toEqual(ada)
  expect(sent.includes('batch')).toBe(hasBatches)
  const transaction = Object.assign(withSession(d1, kind), { rollback: () => {} })
  sent.length = 0
  expect(await deleteUser(transaction, '2')).toMatchObject({ id: '2' })
  expect(sent).not.toContain('batch')
})

test('of concurrent callers, one gets the user from libSQL on a file', async () => {
  const client = openDatabase()
  const { batch, ...others } = asLibsql(client, [])
  const late: typeof batch = async (statements, mode) => {
    client.exec(`delete from user where id = '1'`)
    return batch(statements, mode)
  }
  expect(await deleteUser(drizzleLibsql({ ...others, batch: late }))).toBeNull()
})

test('a user is known to be kept also where a driver wraps the error', async () => {
  const client = openDatabase()
  const d1 = asD1(client, [])
  const batch = () => Promise.reject(new Error('D1_ERROR', { cause: new Error('wrapped', { cause: new Error('integer overflow') }) }))
  expect(await deleteUser(drizzleD1({ ...d1, batch } as never) as unknown as Database)).toEqual(ada)
  const failing = () => Promise.reject(new Error('D1_ERROR', { cause: 'integer overflow' }))
  await expect(deleteUser(drizzleD1({ ...d1, batch: failing } as never) as unknown as Database)).rejects.toMatchObject({ kind: 'unknown' })
})

describe('a driver with neither, where a foreign key clears the userId of sessions', () => {
  const open = (action: string) => {
    const client = openDatabase(action)
    return { client, db: drivers['with neither']?.(client, []) as Database }
  }

  test.each(['set null', 'set default'])('keeps everything (on delete %s)', async (action) => {
    const { client, db } = open(action)
    await expect(deleteUser(db)).rejects.toMatchObject({ kind: 'still-referenced', details: { table: 'user' } })
    expect(idsIn(client)).toEqual(everything)
  })

  test("keeps everything, whatever is in Drizzle's cache", async () => {
    const { client, db } = open('set null')
    await expect(deleteUser(cache(db, []))).rejects.toMatchObject({ kind: 'still-referenced' })
    expect(idsIn(client)).toEqual(everything)
  })

  test('looks for such rows again if the connection is lost', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const client = openDatabase('set null')
    const { prepare, ...others } = asD1(client, [])
    const connect = vi.fn(async () => {}).mockRejectedValueOnce(new Error('Network connection lost.'))
    const bind = (text: string, params: unknown[]) => {
      const statement = prepare(text).bind(...params)
      return { ...statement, raw: () => connect().then(statement.raw) }
    }
    const losing = (text: string) => ({ bind: (...params: unknown[]) => bind(text, params) })
    const db = withSession(drizzleD1({ ...others, prepare: losing } as never) as unknown as Database, 'SQLiteRemoteSession')
    const [failure] = await Promise.all([failureOf(deleteUser(db, '1', {})), vi.runAllTimersAsync()])
    expect(failure).toMatchObject({ kind: 'still-referenced' })
    expect(idsIn(client)).toEqual(everything)
  })

  test('deletes a user without sessions', async () => {
    const { client, db } = open('set null')
    client.exec(`delete from session where "userId" = '1'`)
    expect(await deleteUser(db)).toEqual(ada)
  })

  test('deletes everything where foreign keys are not enforced', async () => {
    const { client, db } = open('set null')
    client.pragma('foreign_keys = off')
    expect(await deleteUser(db)).toEqual(ada)
    expect(idsIn(client)).toEqual(others)
  })

  test('deletes everything where another column is cleared', async () => {
    const { client, db } = open('cascade')
    client.exec('alter table account add column manager text references user (id) on delete set null')
    expect(await deleteUser(db)).toEqual(ada)
    expect(idsIn(client)).toEqual(others)
  })
})
