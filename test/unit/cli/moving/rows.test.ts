import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { planMove } from '../../../../src/cli/moving/plan.js'
import * as schema from '../../../support/schema/sqlite.js'

// Rows that prevent the change to the new tables: counted, and fixed if the plan can.

const { sqliteTable, text } = lite

function open(tables: object, statements: string[]) {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  for (const statement of statements) client.exec(statement)
  const db = drizzle({ client }) as never
  const plan = () => planMove(db, 'sqlite', tables as never, 'official')
  return {
    client,
    db,
    plan,
    all: (query: string) => client.prepare(query).all(),
    /** Severity, code and place of each notice about rows, with the count. */
    async notices() {
      const isOfRows = /^(no-address|capitals|duplicates|case-collisions|orphans|text-dates|unreadable-dates|decimal-ids|too-long)$/
      const { notices } = await plan()
      return notices
        .filter(({ code }) => isOfRows.test(code))
        .map(({ severity, code, table, column, message }) => `${severity} ${code} ${table}.${column} ${/[\d,]+ rows?$/.exec(message)?.[0]}`)
    },
    /** Runs the statements that put rows right. */
    async correct() {
      const { steps } = await plan()
      for (const statement of steps.find(({ about }) => about === 'Fix rows')?.sql ?? []) client.exec(statement)
    },
  }
}

const usersTable = sqliteTable('user', { id: text().primaryKey(), email: text().notNull() })
const rowsOf = (table: string, ...rows: string[]) => rows.map((row) => `insert into "${table}" values (${row})`)

describe('users without an address', () => {
  const users = (column: string) => `create table "Users" ("ID" text primary key, ${column})`

  test('get a placeholder that receives no mail', async () => {
    const { notices, correct, all } = open({ usersTable }, [
      users('"e_mail" text'),
      ...rowsOf('Users', `'a', 'ada@example.com'`, `'b', null`),
    ])
    expect(await notices()).toEqual(['warning no-address Users.e_mail 1 row'])
    await correct()
    expect(all('select * from Users')).toEqual([
      { ID: 'a', e_mail: 'ada@example.com' },
      { ID: 'b', e_mail: 'b@no-email.invalid' },
    ])
    expect(await notices()).toEqual([])
  })

  test('may stay so where the code allows it', async () => {
    const own = sqliteTable('user', { id: text().primaryKey(), email: text() })
    expect(await open({ usersTable: own }, [users('email text'), ...rowsOf('Users', `'b', null`)]).notices()).toEqual([])
  })

  test('are not looked for in a column that is never empty, that is new, or that is of another table', async () => {
    expect(await open({ usersTable }, [users('email text not null')]).notices()).toEqual([])
    expect(await open({ usersTable }, [users('mail text'), ...rowsOf('Users', `'b', null`)]).notices()).toEqual([])
    const sessionsTable = sqliteTable('session', { id: text().primaryKey(), email: text().notNull() })
    expect(
      await open({ sessionsTable }, ['create table session (id text, email text)', ...rowsOf('session', `'b', null`)]).notices(),
    ).toEqual([])
  })
})

test('a users table without ids is no obstacle to the plan', async () => {
  const tables = { usersTable: schema.usersTable, sessionsTable: schema.sessionsTable }
  const sessions = 'create table session (sessionToken text, userId text, expires integer)'
  const { notices } = open(tables, [
    'create table user (email text)',
    'insert into user values (null)',
    sessions,
    `insert into session values ('s', 'a', 1)`,
  ])
  expect(await notices()).toEqual([])
})

describe('addresses with capitals', () => {
  async function check(rows: string[], isLoose = true, tables: object = { usersTable }) {
    const email = `email text not null${isLoose ? ' collate nocase' : ''}`
    const { db, client } = open(tables, [`create table "user" (id text, ${email})`, ...rowsOf('user', ...rows)])
    const { notices, steps } = await planMove(db, 'sqlite', tables as never, 'official')
    for (const statement of steps.find(({ about }) => about === 'Fix rows')?.sql ?? []) client.exec(statement)
    const emails = client.prepare('select email from user order by rowid').pluck().all()
    const found = notices.filter(({ code }) => /^(capitals|case-collisions)$/.test(code))
    return { codes: found.map(({ code, severity, message }) => `${severity} ${code} ${/\d+ rows?$/.exec(message)?.[0]}`).sort(), emails }
  }

  test('become lower case where the old lookup found them', async () => {
    const rows = [`'a', 'Ada@Example.com'`, `'b', 'bob@example.com'`, `'e', 'EVA@example.com'`]
    expect(await check(rows)).toEqual({
      codes: ['warning capitals 2 rows'],
      emails: ['ada@example.com', 'bob@example.com', 'eva@example.com'],
    })
    expect(await check(rows.slice(1, 2))).toEqual({ codes: [], emails: ['bob@example.com'] })
  })

  test('stay where it did not, and in other tables', async () => {
    expect(await check([`'a', 'Ada@example.com'`], false)).toEqual({ codes: [], emails: ['Ada@example.com'] })
    const sessionsTable = sqliteTable('user', { id: text().primaryKey(), email: text().notNull() })
    expect((await check([`'a', 'Ada@example.com'`], true, { sessionsTable })).emails).toEqual(['Ada@example.com'])
  })

  test('must not become the same address', async () => {
    const unique = { usersTable: sqliteTable('user', { id: text(), email: text().notNull().unique() }) }
    const rows = [`'a', 'Ada@example.com'`, `'b', 'ada@example.com'`, `'c', 'ADA@example.com'`]
    expect((await check(rows, true, unique)).codes).toEqual(['error case-collisions 2 rows', 'warning capitals 2 rows'])
    expect((await check(rows, false, unique)).codes).toEqual([])
  })
})

describe('duplicates', () => {
  const tokens = (key = '') => `create table verificationToken (identifier text, token text, expires integer not null${key})`
  const { verificationTokensTable } = schema
  const same = rowsOf('verificationToken', `'i', 't', 1`, `'i', 't', 2`, `'i', 't', 3`, `'i', 'u', 1`, `'j', 'u', 1`, `'j', 'u', 1`)

  test('of a new key are counted in all rows', async () => {
    expect(await open({ verificationTokensTable }, [tokens(), ...same]).notices()).toEqual([
      'error duplicates verificationToken.identifier, token 3 rows',
    ])
    expect(await open({ verificationTokensTable }, [tokens(), ...same.slice(2, 5)]).notices()).toEqual([])
  })

  test('do not count without a value', async () => {
    const missing = rowsOf('verificationToken', `'i', null, 1`, `'i', null, 1`, `null, 't', 1`, `null, 't', 1`)
    expect(await open({ verificationTokensTable }, [tokens(), ...missing]).notices()).toEqual([])
  })

  test.each([
    ['the key is there', ', primary key (identifier, token)', []],
    ['a part of it is unique', ', unique (token)', []],
    ['another column is a key', ', unique (expires)', ['error duplicates verificationToken.identifier, token 1 row']],
    ['a key has further columns', ', unique (identifier, token, expires)', ['error duplicates verificationToken.identifier, token 1 row']],
  ])('are looked for unless a key forbids them: %s', async (_, key, expected) => {
    const { client, notices } = open({ verificationTokensTable }, [tokens(key)])
    if (expected.length > 0) client.exec(`insert into verificationToken values ('i', 't', 1), ('i', 't', 2)`)
    expect(await notices()).toEqual(expected)
  })

  test('an index forbids nothing, and one of the code finds nothing', async () => {
    const { client, notices } = open({ verificationTokensTable }, [
      tokens(),
      'create index x on verificationToken (token)',
      ...same.slice(0, 2),
    ])
    expect(await notices()).toHaveLength(1)
    client.exec('delete from verificationToken where expires = 2; insert into verificationToken values (1, 1, 1)')
    expect(await notices()).toEqual([])
  })

  test('of a column that is new are not looked for', async () => {
    const { notices } = open({ verificationTokensTable }, [
      'create table verificationToken (identifier text, expires integer)',
      ...rowsOf('verificationToken', `'i', 1`, `'i', 1`),
    ])
    expect(await notices()).toEqual([])
  })
})

describe('rows of users who do not exist', () => {
  const tables = { usersTable: schema.usersTable, sessionsTable: schema.sessionsTable }
  const users = [`create table "user" (id text primary key, email text not null)`, ...rowsOf('user', `'a', 'ada@example.com'`)]
  const sessions = (more = '') => `create table "Session" (sessionToken text primary key, user_id text${more}, expires integer)`
  const rows = rowsOf('Session', `'s', 'a', 1`, `'t', 'gone', 1`, `'u', 'gone', 1`, `'v', null, 1`)

  test('are counted, and the fix removes them', async () => {
    const { notices, plan, client, all } = open(tables, [...users, sessions(), ...rows])
    expect(await notices()).toEqual(['error orphans Session.user_id 2 rows'])
    client.exec((await plan()).notices.find(({ code }) => code === 'orphans')?.fix ?? '')
    expect(await notices()).toEqual([])
    expect(all('select sessionToken from Session order by 1')).toEqual([{ sessionToken: 's' }, { sessionToken: 'v' }])
  })

  test.each([
    ['by a foreign key', ' references user (id)', []],
    ['unless it is one to another table', ' references team (id)', ['error orphans Session.user_id 2 rows']],
    ['unless it is one to another column', ' references user (email)', ['error orphans Session.user_id 2 rows']],
  ])('cannot be there %s', async (_, reference, expected) => {
    expect(
      await open(tables, ['create table team (id text)', ...users, sessions(reference), 'pragma foreign_keys = off', ...rows]).notices(),
    ).toEqual(expected)
  })

  test('are looked for where a foreign key is on another column, or on another table', async () => {
    const other = 'create table device (user_id text references user (id))'
    const { notices } = open(tables, [
      ...users,
      other,
      sessions(', other text references user (id)'),
      'pragma foreign_keys = off',
      `insert into Session values ('t', 'gone', null, 1)`,
    ])
    expect(await notices()).toEqual(['error orphans Session.user_id 1 row'])
  })

  test('are not looked for where the plan does not know the users or the column, or for a key of several columns', async () => {
    const pair = sqliteTable('session', { sessionToken: text().primaryKey(), userId: text(), email: text() }, (t) => [
      lite.foreignKey({ columns: [t.userId, t.email], foreignColumns: [usersTable.id, usersTable.email] }),
    ])
    const gone = `insert into session values ('s', 'gone', 'eva@example.com')`
    expect(
      await open({ usersTable, sessionsTable: pair }, [
        ...users,
        'create table session (sessionToken text, userId text, email text)',
        gone,
      ]).notices(),
    ).toEqual([])
    expect(await open({ sessionsTable: schema.sessionsTable }, [sessions(), ...rows]).notices()).toEqual([])
    expect(
      await open(tables, [
        ...users,
        'create table session (sessionToken text, expires integer)',
        `insert into session values ('s', 1)`,
      ]).notices(),
    ).toEqual([])
  })
})
