import Database from 'better-sqlite3'
import { sql as expression } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { models } from '../../src/contract.js'
import type { SqlDialect, Writes } from '../../src/query/dialect.js'
import type { Database as AnyDatabase } from '../../src/query/drizzle.js'
import { Failure } from '../../src/query/errors.js'
import type { Protection } from '../../src/query/protection.js'
import { createRows } from '../../src/query/rows.js'
import { sqlite } from '../../src/sqlite/dialect.js'

const usersTable = lite.sqliteTable('people', {
  id: lite.integer().primaryKey(),
  email: lite.text().notNull(),
  name: lite.text(),
})
const sessionsTable = lite.sqliteTable('sessions', {
  sessionToken: lite.text().primaryKey(),
  userId: lite.integer().notNull(),
  expires: lite.integer({ mode: 'timestamp_ms' }).notNull(),
  device: lite.text(),
})
// Its users have ids that are no numbers.
const notesTable = lite.sqliteTable('notes', { id: lite.text().primaryKey(), userId: lite.text().notNull() })

const schema = `
  create table people (id integer primary key, email text not null unique, name text);
  create table sessions (sessionToken text primary key, userId integer not null, expires integer not null, device text);
  create table notes (id text primary key, userId text not null);
  insert into people values (1, 'ada@example.com', 'Ada'), (2, 'bob@example.com', null);
  insert into sessions values ('one', 1, 4000000000000, 'phone'), ('two', 1, 4000000000000, null), ('lost', 9, 4000000000000, null);
  insert into notes values ('a', '1'), ('b', 'eva');
`

/** Returns promises, as most drivers do. */
const prepareAsync: SqlDialect['prepare'] = (query, returnsRows) => {
  const run = sqlite.sql.prepare(query, returnsRows)
  return async (parameters) => run(parameters)
}

interface Changes {
  sql?: Partial<SqlDialect>
  writes?: Partial<Writes>
  protection?: Protection
  isAsync?: boolean
}

/** Users, their sessions and their notes, in a database of their own. */
function open({ sql = {}, writes = {}, protection, isAsync = false }: Changes = {}) {
  const client = new Database(':memory:')
  client.exec(schema)
  const db = drizzle({ client }) as unknown as AnyDatabase
  const connection = {
    db,
    sql: { ...sqlite.sql, ...(isAsync && { prepare: prepareAsync }), ...sql },
    writes: { ...sqlite.writes, ...writes },
    retry: false as const,
  }
  return {
    users: createRows(connection, usersTable, models.users, ['id']),
    sessions: createRows(connection, sessionsTable, models.sessions, ['sessionToken'], () => protection),
    notes: createRows(connection, notesTable, models.authenticators, ['id']),
    column: (query: string) => client.prepare(query).pluck().all(),
  }
}

const ada = { id: '1', email: 'ada@example.com', name: 'Ada' }
const bob = { id: '2', email: 'bob@example.com', name: null }
const expires = new Date(4e12)
const one = { sessionToken: 'one', userId: '1', expires, device: 'phone' }
const two = { sessionToken: 'two', userId: '1', expires, device: null }

describe.each([true, false])('rows, with a driver that is asynchronous: %s', (isAsync) => {
  test('are found by their key, or by the columns that are named', async () => {
    const { users, sessions } = open({ isAsync })
    expect(await users.find({ id: '1' })).toEqual(ada)
    expect(await users.find({ id: '2', email: 'ignored' })).toEqual(bob)
    expect(await users.find({ id: '1', email: 'bob@example.com' }, ['email'])).toEqual(bob)
    expect(await sessions.list({ userId: '1' }, ['userId'])).toEqual([one, two])
    expect(await sessions.list({ sessionToken: 'two' })).toEqual([two])
    expect(await sessions.internals.select({ sessionToken: 'two' })).toEqual([two])
  })

  test.each(['3', 'ada', '01', '', null, undefined, {}])('are not found by %o', async (id) => {
    const { users, sessions } = open({ isAsync })
    expect(await users.find({ id })).toBeNull()
    expect(await users.list({ id })).toEqual([])
    expect(await users.update({ id, name: 'Eva' })).toBeNull()
    expect(await users.update({ id })).toBeNull()
    expect(await users.remove({ id })).toBeNull()
    expect(await sessions.findWithUser({ sessionToken: id }, users)).toBeNull()
  })

  test('are found with their users', async () => {
    const { users, sessions } = open({ isAsync })
    expect(await sessions.findWithUser({ sessionToken: 'one' }, users)).toEqual({ row: one, user: ada })
    expect(await sessions.findWithUser({ sessionToken: 'lost' }, users)).toBeNull()
  })

  test('are inserted, with what the database adds', async () => {
    const { users, column } = open({ isAsync })
    expect(await users.insert({ email: 'eva@example.com' })).toEqual({ id: '3', email: 'eva@example.com', name: null })
    expect(column('select email from people where id = 3')).toEqual(['eva@example.com'])
  })

  test('are changed', async () => {
    const { users, column } = open({ isAsync })
    expect(await users.update({ id: '2', name: 'Bob' })).toEqual({ ...bob, name: 'Bob' })
    expect(await users.update({ id: '2' })).toEqual({ ...bob, name: 'Bob' })
    expect(await users.updateExisting({ id: '2', name: null })).toEqual(bob)
    expect(column('select name from people')).toEqual(['Ada', null])
    const notFound = expect.objectContaining({ kind: 'not-found', details: { table: 'people' } })
    for (const input of [{ id: '3', name: 'Eva' }, { id: '3' }, { id: 'ada' }])
      await expect(users.updateExisting(input)).rejects.toThrow(notFound)
  })

  test('are removed once', async () => {
    const { sessions, column } = open({ isAsync })
    expect(await sessions.remove({ sessionToken: 'one' })).toEqual(one)
    expect(await sessions.remove({ sessionToken: 'one' })).toBeNull()
    expect(column('select sessionToken from sessions')).toEqual(['lost', 'two'])
  })
})

test('users are removed with what belongs to them', async () => {
  const { users, sessions, notes, column } = open()
  expect(await users.removeWith([sessions, notes], '1')).toEqual(ada)
  expect([column('select sessionToken from sessions'), column('select id from notes')]).toEqual([['lost'], ['b']])
  for (const id of ['1', '3', 'ada', '', null]) expect(await users.removeWith([sessions, notes], id as string)).toBeNull()
  expect(column('select id from people')).toEqual([2])
})

test('nothing can belong to a user whose id another table cannot hold', async () => {
  const { sessions, notes, column } = open()
  expect(await notes.removeWith([sessions], 'b')).toEqual({ id: 'b', userId: 'eva' })
  expect(column('select count(*) from sessions')).toEqual([3])
})

describe('protected rows', () => {
  /** Stores tokens with a prefix. Older rows may have none. Callers get their own token, and what the row was used for. */
  const protection: Protection = {
    storedKey: async (key) => key && { sessionToken: [`stored ${key.sessionToken}`, key.sessionToken] },
    storedValues: async (values, key) => ({
      ...values,
      ...('sessionToken' in values && { sessionToken: `stored ${values.sessionToken}` }),
      ...(key && { device: `${values.device} of ${key.sessionToken}` }),
    }),
    reveal: async (row, key, use) => ({ ...row, sessionToken: key?.sessionToken, stored: row.sessionToken, use }),
  }
  const revealed = { ...one, stored: 'one', use: undefined }

  test('are found by each form of their key, and revealed', async () => {
    const { users, sessions } = open({ protection })
    expect(await sessions.insert({ ...one, sessionToken: 'new' })).toEqual({
      ...one,
      sessionToken: 'new',
      stored: 'stored new',
      use: 'inserted',
    })
    expect(await sessions.find({ sessionToken: 'new' })).toEqual({ ...one, sessionToken: 'new', stored: 'stored new', use: undefined })
    expect(await sessions.find({ sessionToken: 'one' })).toEqual(revealed)
    expect(await sessions.findWithUser({ sessionToken: 'one' }, users)).toEqual({ row: { ...revealed, use: 'joined' }, user: ada })
    expect(await sessions.findWithUser({ sessionToken: 'new' }, users)).toEqual({
      row: { ...one, sessionToken: 'new', stored: 'stored new', use: 'joined' },
      user: ada,
    })
    expect(await sessions.findWithUser({ sessionToken: 'nobody' }, users)).toBeNull()
    expect(await sessions.internals.select({ sessionToken: 'one' })).toEqual([one])
  })

  test('are changed and removed', async () => {
    const { sessions } = open({ protection })
    expect(await sessions.update({ sessionToken: 'one', device: 'tablet' })).toEqual({ ...revealed, device: 'tablet of one' })
    expect(await sessions.update({ sessionToken: 'one' })).toEqual({ ...revealed, device: 'tablet of one' })
    expect(await sessions.remove({ sessionToken: 'one' })).toEqual({ ...revealed, device: 'tablet of one', use: 'removed' })
    expect(await sessions.find({ sessionToken: 'one' })).toBeNull()
  })

  test.each([
    [protection, 2],
    [undefined, 1],
  ])('are looked for again if their key has several forms, and was not found: %#', async (protection, times) => {
    const calls: string[] = []
    const missing = (name: string) => async () => {
      calls.push(name)
      return null
    }
    const { sessions } = open({ ...(protection && { protection }), writes: { update: missing('update'), remove: missing('remove') } })
    expect(await sessions.update({ sessionToken: 'one', device: 'x' })).toBeNull()
    expect(await sessions.remove({ sessionToken: 'one' })).toBeNull()
    expect(calls).toEqual([...Array(times).fill('update'), ...Array(times).fill('remove')])
  })
})

describe('a failure', () => {
  type Kind = 'invalid' | 'conflict' | 'garbled'

  /** Statements fail in this way: the join of two tables, all others that are kept, the comparison of a key, the check of the connection. */
  function openFailing({ join, kept, compared, checked }: { join?: Kind; kept?: Kind; compared?: Kind; checked?: Kind }) {
    const failing = (kind: Kind) => {
      throw new Failure(kind)
    }
    return open({
      sql: {
        guard: expression`1 = 1`,
        prepare(query, returnsRows) {
          const kind = query.toSQL().sql.includes(' join ') ? join : kept
          return kind ? () => failing(kind) : sqlite.sql.prepare(query, returnsRows)
        },
        once(query, returnsRows) {
          // The check of the connection has no parameter but its limit.
          const kind = query.toSQL().params.length > 1 ? compared : checked
          return kind ? () => failing(kind) : sqlite.sql.once(query, returnsRows)
        },
      },
    })
  }
  const failure = (kind: Kind) => expect.objectContaining({ kind })
  const calls: [string, (opened: ReturnType<typeof open>) => Promise<unknown>, unknown][] = [
    ['find', ({ users }) => users.find({ id: '1' }), null],
    ['list', ({ users }) => users.list({ id: '1' }), []],
    ['update', ({ users }) => users.update({ id: '1', name: 'Eva' }), null],
    ['remove', ({ users }) => users.remove({ id: '1' }), null],
    ['removeWith', ({ users, sessions }) => users.removeWith([sessions], '1'), null],
  ]

  test.each(calls)('of %s means that there is no row if the database cannot compare the key', async (_name, call, nothing) => {
    expect(await call(openFailing({ kept: 'invalid', compared: 'invalid' }))).toEqual(nothing)
  })

  test.each(calls)('of %s is thrown if it has another reason', async (_name, call) => {
    await expect(call(openFailing({ kept: 'invalid' }))).rejects.toThrow(failure('invalid'))
    await expect(call(openFailing({ kept: 'invalid', compared: 'conflict' }))).rejects.toThrow(failure('invalid'))
    await expect(call(openFailing({ kept: 'conflict', compared: 'invalid' }))).rejects.toThrow(failure('conflict'))
  })

  test.each(calls)('of %s may be that of the connection, which is then thrown', async (_name, call) => {
    for (const compared of ['invalid', 'conflict'] as const)
      await expect(call(openFailing({ kept: 'invalid', compared, checked: 'garbled' }))).rejects.toThrow(failure('garbled'))
  })

  test('of a join means that each table is asked by itself', async () => {
    const { users, sessions } = openFailing({ join: 'invalid' })
    expect(await sessions.findWithUser({ sessionToken: 'one' }, users)).toEqual({ row: one, user: ada })
    expect(await sessions.findWithUser({ sessionToken: 'lost' }, users)).toBeNull()
    expect(await sessions.findWithUser({ sessionToken: 'nobody' }, users)).toBeNull()
  })

  test('of a join that has another reason is thrown', async () => {
    const { users, sessions } = openFailing({ join: 'conflict' })
    await expect(sessions.findWithUser({ sessionToken: 'one' }, users)).rejects.toThrow(failure('conflict'))
  })
})
