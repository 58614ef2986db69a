import Database from 'better-sqlite3'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { statementsOf } from '../../../../test/support/migrations.js'
import * as schema from '../../../../test/support/schema/sqlite.js'
import { scriptOf } from '../../../src/planning/index.js'
import type { Source } from '../../../src/planning/match.js'
import { planOf } from '../../support/planning/plan.js'

// Which tables and columns of the database become those of the code, and how a SQLite database changes.

const { integer, sqliteTable, text } = lite

function open(tables: object, statements: string[], source: Source = 'official') {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  client.pragma('foreign_keys = on')
  for (const statement of statements) client.exec(statement)
  const plan = () => planOf(client, tables, source)
  const script = async () => statementsOf(scriptOf(await plan(), 'sqlite', ''))
  return {
    client,
    plan,
    script,
    all: (query: string) => client.prepare(query).all(),
    /** The statements that change tables of the app in place, and the tables that are copied. */
    async changes() {
      const statements = (await plan()).steps.flatMap(({ sql }) => sql)
      const added = statements.flatMap((statement) => (/^INSERT INTO `user`/.test(statement) ? 'rebuilt' : []))
      const copied = statements.flatMap((statement) => /FROM `(.*)` AS o/.exec(statement)?.[1] ?? [])
      return [...added, ...copied, ...(added.length > 0 ? [] : statements.filter((statement) => /^ALTER TABLE/.test(statement)))]
    },
    async move() {
      for (const statement of await script()) client.exec(statement)
      for (const statement of (await plan()).cleanup.flatMap(({ sql }) => sql)) client.exec(statement)
      expect((await plan()).steps).toEqual([])
      expect(client.pragma('foreign_keys', { simple: true })).toBe(1)
      expect(client.pragma('foreign_key_check')).toEqual([])
    },
  }
}

const usersTable = sqliteTable('user', { id: text().primaryKey(), email: text().notNull().unique(), age: integer() })
const plainUsers = sqliteTable('user', { id: text(), email: text() })
const columns = 'id text, email text'

describe('the table that holds the rows', () => {
  test.each([
    ['user', []],
    ['users', ['ALTER TABLE `users` RENAME TO `user`;']],
    ['U_s-e r', ['ALTER TABLE `U_s-e r` RENAME TO `user`;']],
  ])('is found under the name %s', async (name, changes) => {
    const tables = [`create table "${name}" (${columns})`, 'create table "Userss" (x)']
    expect(await open({ usersTable: plainUsers }, tables).changes()).toEqual(changes)
  })

  test.each([
    ['official', 'verificationTokensTable', 'verification_token'],
    ['prisma', 'verificationTokensTable', 'VerificationTokens'],
    ['kysely', 'accountsTable', 'account'],
    ['official', 'authenticatorsTable', 'authenticators'],
    ['prisma', 'sessionsTable', 'Session'],
  ] as const)('has the name that the %s adapter gives the %s', async (source, table, name) => {
    const tables = { [table]: sqliteTable('the_new_one', { id: text() }) }
    expect((await open(tables, [`create table "${name}" (id text)`], source).changes())[0]).toBe(name)
  })

  test('is not guessed if two have such a name', async () => {
    const tables = [`create table "User" (${columns})`, `create table users (${columns})`, 'create table other (x)']
    expect(await open({ usersTable: plainUsers }, tables).plan()).toMatchObject({
      steps: [],
      notices: [{ code: 'two-tables', severity: 'error', table: 'user', message: expect.stringMatching(/: User or users$/) }],
    })
  })

  test('must exist for users, accounts and sessions', async () => {
    expect(await open({ ...schema }, []).plan()).toMatchObject({
      steps: [],
      notices: ['user', 'account', 'session'].map((table) => ({ code: 'missing-table', severity: 'error', table })),
    })
  })
})

describe('the column that holds the values', () => {
  test.each([
    [['theName'], text('theName'), []],
    [['the_name'], text('theName'), ['RENAME COLUMN `the_name` TO `theName`;']],
    // By its name in code.
    [['the_name'], text('called'), ['RENAME COLUMN `the_name` TO `called`;']],
    // Exactly is better than similarly, and nothing is guessed.
    [['the_name', 'theName'], text('theName'), []],
    [['the_name', 'the name'], text('theName'), ['rebuilt']],
    [['other'], text('theName'), ['rebuilt']],
  ])('among %j', async (names, column, expected) => {
    const table = sqliteTable('user', { id: text(), theName: column })
    const created = `create table user (id text, ${names.map((name) => `"${name}" text`).join(', ')})`
    const changes = await open({ usersTable: table }, [created]).changes()
    expect(changes.map((statement) => statement.replace('ALTER TABLE `user` ', ''))).toEqual(expected)
  })

  test('is not taken from another column of the code', async () => {
    const table = sqliteTable('user', { the_name: text('the_name'), theName: text('theName') })
    const { changes } = open({ usersTable: table }, ['create table user (the_name text)'])
    expect(await changes()).toEqual(['rebuilt'])
  })
})

describe('notices', () => {
  test('name columns that the code does not declare, and those that become nullable', async () => {
    const created = `create table user (${columns}, a text, b text not null, c text not null)`
    const { notices } = await open({ usersTable: plainUsers }, [created]).plan()
    expect(notices.find(({ code }) => code === 'undeclared-columns')).toMatchObject({
      ...{ severity: 'warning', table: 'user', column: 'a, b, c' },
      message: expect.stringMatching(/the plan keeps them, and makes these nullable.*: b, c$/),
    })
  })

  test('name new columns that need a value, before any warning', async () => {
    const required = text().notNull()
    const d = text()
      .notNull()
      .$defaultFn(() => 'x')
    const table = sqliteTable('user', { id: text().notNull(), a: required, b: text(), c: integer().notNull().default(0), d })
    const { notices } = await open({ usersTable: table }, ['create table user (id text not null, x text)']).plan()
    expect(notices.map(({ severity, code, column }) => [severity, code, column])).toEqual([
      ['error', 'needs-value', 'a'],
      ['error', 'needs-value', 'd'],
      ['warning', 'undeclared-columns', 'x'],
      ['warning', 'rebuild', undefined],
    ])
  })
})

describe('definitions that the plan repeats', () => {
  const rebuilt = sqliteTable('user', { id: text().primaryKey(), email: text().notNull() })

  test('may have tabs, carriage returns and comments between their parts', async () => {
    const created = 'create table user (\r\n\tid text primary key, -- the\tid\r\n\temail text\tdefault\t0\r\n)'
    const trigger = 'create trigger t after insert on user\r\n\tbegin select 1, -- one\t\r\n2; end'
    const statements = (await open({ usersTable: rebuilt }, [created, trigger]).plan()).steps.flatMap(({ sql }) => sql)
    expect(statements.join()).toContain('begin select 1, -- one  \n2; end;')
    expect(statements.join()).not.toMatch(/[^\P{C}\n]/u)
  })

  test.each([
    ['a default', "email text default 'a\x1bb'", String.raw`'a\u001bb'`],
    ['a comment', 'email text check (email <> 0 /* --> statement-breakpoint */)', '/* --> statement-breakpoint */'],
    ['a name', 'email text constraint "a\nb" check (email <> 0)', String.raw`"a\u000ab"`],
    ['a name without quotes', 'email text constraint a\u2028b check (email <> 0)', String.raw`a\u2028b`],
  ])('are refused: %s', async (_, column, shown) => {
    const { notices, steps } = await open({ usersTable: rebuilt }, [`create table user (id text primary key, ${column})`]).plan()
    expect(steps).toEqual([])
    const refused = notices.filter(({ code, severity }) => code === 'unsafe-text' && severity === 'error')
    expect(refused.map(({ message }) => message).join('\n')).toContain(` ${shown}, `)
  })
})

describe('a SQLite database', () => {
  const sessionsTable = sqliteTable(
    'session',
    {
      sessionToken: text().primaryKey(),
      userId: text()
        .notNull()
        .references(() => usersTable.id, { onDelete: 'cascade' }),
    },
    (t) => [lite.index('by_user').on(t.userId)],
  )
  const id = 'id text primary key not null'
  const email = 'email text not null unique'
  const ada = `insert into user (id, email) values ('a', 'ada@example.com')`

  test.each([
    ['a column may be null', `${id}, email text unique, age integer`],
    ['a column may not be null', `${id}, ${email}, age integer not null default 0`],
    ['nothing fills a required column of the app', `${id}, ${email}, age integer, plan text not null`],
  ])('gets another table of users because %s', async (_, created) => {
    const insert = created.includes('plan') ? `insert into user (id, email, plan) values ('a', 'ada@example.com', 'x')` : ada
    const { plan, move, all, client } = open({ usersTable }, [`create table user (${created})`, insert])
    expect((await plan()).notices.map(({ code }) => code)).toContain('rebuild')
    await move()
    expect(all('select id, email from user')).toEqual([{ id: 'a', email: 'ada@example.com' }])
    expect(() => client.exec(`insert into user (id, email) values ('a', 'bob@example.com')`)).toThrow(/UNIQUE/)
    expect(() => client.exec(`insert into user (id, email) values ('b', 'ada@example.com')`)).toThrow(/UNIQUE/)
    client.exec(`insert into user (id, email) values ('b', 'bob@example.com')`)
  })

  test.each([
    ['missing', 'userId text not null'],
    ['without the rule', 'userId text not null references user (id)'],
    ['with a rule for updates', 'userId text not null references user (id) on delete cascade on update cascade'],
    ['on another column', 'userId text not null, other text references user (id) on delete cascade'],
    ['beside others', 'userId text not null references people, foreign key (USERID) references user (email)'],
  ])('gets a foreign key that is %s', async (_, column) => {
    const { changes, move, all, client } = open({ usersTable, sessionsTable }, [
      `create table people (${id})`,
      `create table user (${id}, ${email}, age integer)`,
      `create table session (sessionToken text primary key not null, ${column})`,
      'create table device (session text references session (sessionToken) on delete cascade)',
      ...(column.includes('people')
        ? []
        : [ada, `insert into session (sessionToken, userId) values ('s', 'a')`, `insert into device values ('s')`]),
    ])
    expect(await changes()).toContain('session')
    await move()
    const keys = all(`select "table", "to", on_delete as rule from pragma_foreign_key_list('session')`)
    expect(keys).toContainEqual({ table: 'user', to: 'id', rule: 'CASCADE' })
    if (column.includes('people')) return expect(keys).toHaveLength(3)
    expect(all('select sessionToken, userId from session')).toEqual([{ sessionToken: 's', userId: 'a' }])
    client.exec('delete from user')
    expect(all('select * from session, device')).toEqual([])
  })

  test('is not changed while foreign keys are on', async () => {
    const { client, plan, script, all } = open({ usersTable, sessionsTable }, [
      `create table user (id text primary key, ${email}, age integer)`,
      'create table session (sessionToken text primary key not null, userId text not null references user (id) on delete cascade)',
      ada,
      `insert into session values ('s', 'a')`,
    ])
    const statements = await script()
    client.exec('begin')
    expect(() => statements.forEach((statement) => void client.exec(statement))).toThrow(/disable foreign keys.*nothing was changed/)
    client.exec('rollback')
    expect(all('select * from session')).toHaveLength(1)
    // With foreign keys off, the plan may run in a transaction, which can be rolled back as a whole.
    client.pragma('foreign_keys = off')
    client.exec('begin')
    for (const statement of statements) client.exec(statement)
    client.exec('rollback')
    expect((await plan()).steps).not.toEqual([])
    for (const statement of statements) client.exec(statement)
    expect(client.inTransaction).toBe(false)
    expect(all('select * from session')).toHaveLength(1)
  })
})
