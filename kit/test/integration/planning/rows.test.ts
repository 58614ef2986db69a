import { readFile } from 'node:fs/promises'
import Database from 'better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as schema from '../../../../test/support/schema/sqlite.js'
import { planOf } from '../../support/planning/plan.js'

// Rows that the new tables cannot hold as they are: counted, and corrected where the plan can.

function open(tables: object, statements: string[]) {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  for (const statement of statements) client.exec(statement)
  const plan = () => planOf(client, tables)
  return {
    client,
    plan,
    all: (query: string) => client.prepare(query).all(),
    /** Severity, code and place of each notice about rows, with the count. */
    async notices() {
      const { notices } = await plan()
      return notices
        .filter(({ message }) => /[\d,]+ rows?$/.test(message))
        .map(({ severity, code, table, column, message }) => `${severity} ${code} ${table}.${column} ${/[\d,]+ rows?$/.exec(message)?.[0]}`)
    },
    /** Runs the plan. */
    async correct() {
      for (const statement of (await plan()).steps.flatMap(({ sql }) => sql)) client.exec(statement)
    },
  }
}

const usersTable = sqliteTable('user', { id: text().primaryKey(), email: text().notNull().unique() })

describe('users without an address', () => {
  const statements = [
    'create table "Users" ("ID" text primary key, "e_mail" text)',
    `insert into "Users" values ('a', 'a@b.c'), ('b', null)`,
  ]

  test('get a placeholder that receives no mail', async () => {
    const { notices, correct, all } = open({ usersTable }, statements)
    expect(await notices()).toEqual(['warning no-address Users.e_mail 1 row'])
    await correct()
    expect(all('select * from user')).toEqual([
      { id: 'a', email: 'a@b.c', official_e_mail: 'a@b.c' },
      { id: 'b', email: 'b@no-email.invalid', official_e_mail: null },
    ])
    expect(await notices()).toEqual([])
  })

  test('stay without one if the code allows null', async () => {
    const own = sqliteTable('user', { id: text().primaryKey(), email: text('e_mail') })
    expect(await open({ usersTable: own }, statements).notices()).toEqual([])
  })
})

describe('addresses with capital letters', () => {
  const users = (collation: string) => `create table "user" (id text primary key, email text not null${collation})`
  const emails = `insert into user values ('a', 'Ada@Example.com'), ('b', 'bob@example.com'), ('e', 'EVA@example.com')`

  test('become lower case if the old lookup ignored case', async () => {
    const { notices, correct, all } = open({ usersTable }, [users(' collate nocase'), emails])
    expect(await notices()).toEqual(['warning capitals user.email 2 rows'])
    await correct()
    expect(all('select email from user order by id')).toEqual(
      ['ada@example.com', 'bob@example.com', 'eva@example.com'].map((email) => ({ email })),
    )
  })

  test('stay as they are if it did not', async () => {
    const { notices, correct, all } = open({ usersTable }, [users(''), emails])
    expect(await notices()).toEqual([])
    await correct()
    expect(all(`select email from user where id = 'a'`)).toEqual([{ email: 'Ada@Example.com' }])
  })

  test('must not become the same address', async () => {
    const same = `insert into user values ('x', 'ADA@example.com'), ('y', 'ada@example.com')`
    expect(await open({ usersTable }, [users(' collate nocase'), emails, same]).notices()).toEqual([
      'error case-collisions user.email 2 rows',
      'warning capitals user.email 3 rows',
    ])
  })
})

test('the fix for rows of users who do not exist deletes only those', async () => {
  const { notices, plan, client, all } = open({ usersTable, sessionsTable: schema.sessionsTable }, [
    'create table "user" (id text primary key, email text not null)',
    'create table "Session" (sessionToken text primary key, user_id text, expires integer)',
    `insert into user values ('a', 'a@b.c')`,
    `insert into Session values ('s', 'a', 1), ('t', 'gone', 1), ('u', 'gone', 1)`,
  ])
  expect(await notices()).toEqual(['error orphans Session.user_id 2 rows'])
  client.exec((await plan()).notices.find(({ code }) => code === 'orphans')?.fix ?? '')
  expect(await notices()).toEqual([])
  expect(all('select sessionToken from Session')).toEqual([{ sessionToken: 's' }])
})

describe('dates as text', () => {
  const sessionsTable = sqliteTable('old', {
    token: text().primaryKey(),
    expires: integer({ mode: 'timestamp_ms' }),
    seen: integer({ mode: 'timestamp' }),
    count: integer(),
  })
  const table = 'create table old (token text primary key, "EXPIRES" datetime, seen datetime, count datetime)'

  test.each([
    ['2040-01-01T00:00:00.123Z', 2_208_988_800_123],
    ['2040-01-01 00:00:00', 2_208_988_800_000],
    ['2040-01-01T01:00:00.050+01:00', 2_208_988_800_050],
  ])('%s becomes a number', async (date, milliseconds) => {
    const { correct, notices, all } = open({ sessionsTable }, [table, `insert into old values ('a', '${date}', '${date}', '${date}')`])
    expect(await notices()).toEqual(['warning text-dates old.EXPIRES, seen 1 row'])
    await correct()
    expect(all('select token, expires, seen, count from old')).toEqual([
      { token: 'a', expires: milliseconds, seen: Math.floor(milliseconds / 1000), count: date },
    ])
    expect(await notices()).toEqual([])
  })

  test('that cannot be read are an error, and stay; numbers and nulls stay, too', async () => {
    const { correct, notices, all } = open({ sessionsTable }, [
      table,
      `insert into old values ('a', 'Tue Nov 14 2023', '2040-01-01', 1), ('b', '', 5, null), ('c', 7, null, null)`,
    ])
    expect(await notices()).toEqual(['error unreadable-dates old.EXPIRES 2 rows', 'warning text-dates old.EXPIRES, seen 2 rows'])
    await correct()
    expect(all('select * from old')).toEqual([
      { token: 'a', EXPIRES: 'Tue Nov 14 2023', seen: '2040-01-01', count: 1 },
      { token: 'b', EXPIRES: '', seen: 5, count: null },
      { token: 'c', EXPIRES: 7, seen: null, count: null },
    ])
  })
})

// The plan and docs/moving.md have a statement each.
describe.each(['the plan', 'docs/moving.md'])('the statement of %s for account ids that were stored as numbers', (source) => {
  const accountsTable = sqliteTable('account', { provider: text(), providerAccountId: text() })

  async function correct(...accounts: [provider: string, id: string | number][]) {
    const opened = open({ accountsTable }, ['create table account (provider text, "providerAccountId" text)'])
    const insert = opened.client.prepare('insert into account values (?, ?)')
    for (const account of accounts) insert.run(...account)
    if (source === 'the plan') await opened.correct()
    else opened.client.exec(await readFile(new URL('../../support/moving/account-ids.sql', import.meta.url), 'utf8'))
    return opened.client.prepare('select "providerAccountId" from account order by rowid').pluck().all()
  }

  test('removes the fraction, and changes no other id', async () => {
    const others = [
      '4711',
      'abc.0',
      '1.2.0',
      '12.05',
      '12.0 ',
      ' 12.0',
      '12.00',
      '007.0',
      '0.0',
      '.0',
      '-5.0',
      '1e5.0',
      '12a.0',
      '\u0663.0',
    ]
    // A number becomes 78972699.0 in a column of texts.
    const ids = [78972699, 7, Number.MAX_SAFE_INTEGER, ...others]
    expect(await correct(...ids.map((id): [string, string | number] => ['p', id]))).toEqual([
      '78972699',
      '7',
      '9007199254740991',
      ...others,
    ])
  })

  test('changes no id that its provider has in both spellings', async () => {
    expect(await correct(['a', '5.0'], ['a', '5'], ['b', '5.0'], ['b', '6'])).toEqual(['5.0', '5', '5', '6'])
  })
})
