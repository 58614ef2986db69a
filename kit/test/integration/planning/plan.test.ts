import Database from 'better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as schema from '../../../../test/support/schema/sqlite.js'
import type { Source } from '../../../src/planning/match.js'
import { planOf } from '../../support/planning/plan.js'

// Which tables and columns of the database become those of the code, and what the plan says of the others.

function open(tables: object, statements: string[], source: Source = 'official') {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  for (const statement of statements) client.exec(statement)
  const plan = () => planOf(client, tables, source)
  return {
    plan,
    statements: async () => (await plan()).steps.flatMap(({ sql }) => sql).filter((statement) => !/^(savepoint|release)/i.test(statement)),
  }
}

const usersTable = sqliteTable('user', { id: text(), email: text() })
const columns = 'id text, email text'

describe('the table that holds the rows', () => {
  test.each([
    ['user', []],
    ['users', ['ALTER TABLE `users` RENAME TO `user`;']],
    ['U_s-e r', ['ALTER TABLE `U_s-e r` RENAME TO `user`;']],
  ])('is found under the name %s', async (name, statements) => {
    const tables = [`create table "${name}" (${columns})`, 'create table "Userss" (x)']
    expect(await open({ usersTable }, tables).statements()).toEqual(statements)
  })

  test.each([
    ['official', 'verificationTokensTable', 'verification_token'],
    ['prisma', 'verificationTokensTable', 'VerificationTokens'],
    ['kysely', 'accountsTable', 'account'],
    ['official', 'authenticatorsTable', 'authenticators'],
    ['prisma', 'sessionsTable', 'Session'],
  ] as const)('has the name that the %s adapter gives the %s', async (source, table, name) => {
    const tables = { [table]: sqliteTable('the_new_one', { id: text() }) }
    expect(await open(tables, [`create table "${name}" (id text)`], source).statements()).toEqual([
      `ALTER TABLE \`${name}\` RENAME TO \`the_new_one\`;`,
    ])
  })

  test('is not guessed if two have such a name', async () => {
    const { plan } = open({ usersTable }, [`create table "User" (${columns})`, `create table users (${columns})`, 'create table other (x)'])
    expect(await plan()).toMatchObject({
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
    [['the_name', 'the name'], text('theName'), ['ADD COLUMN `theName` text;']],
    [['other'], text('theName'), ['ADD COLUMN `theName` text;']],
  ])('among %j', async (names, column, expected) => {
    const table = sqliteTable('user', { id: text(), theName: column })
    const created = `create table user (id text, ${names.map((name) => `"${name}" text`).join(', ')})`
    const statements = await open({ usersTable: table }, [created]).statements()
    expect(statements.map((statement) => statement.replace('ALTER TABLE `user` ', ''))).toEqual(expected)
  })

  test('is not taken from another column of the code', async () => {
    const table = sqliteTable('user', { the_name: text('the_name'), theName: text('theName') })
    expect(await open({ usersTable: table }, ['create table user (the_name text)']).statements()).toEqual([
      'ALTER TABLE `user` ADD COLUMN `theName` text;',
    ])
  })
})

describe('notices', () => {
  test('name columns that the code does not declare, and those that become nullable', async () => {
    const { notices } = await open({ usersTable }, [`create table user (${columns}, a text, b text not null, c text not null)`]).plan()
    expect(notices.find(({ code }) => code === 'undeclared-columns')).toMatchObject({
      severity: 'warning',
      table: 'user',
      column: 'a, b, c',
      message: expect.stringMatching(/the plan keeps them, and makes these nullable.*: b, c$/),
    })
  })

  test('name new columns that need a value, before any warning', async () => {
    const table = sqliteTable('user', {
      id: text().notNull(),
      a: text().notNull(),
      b: text(),
      c: integer().notNull().default(0),
      d: text()
        .notNull()
        .$defaultFn(() => 'x'),
    })
    const { notices } = await open({ usersTable: table }, ['create table user (id text not null, x text)']).plan()
    expect(notices.map(({ severity, code, column }) => [severity, code, column])).toEqual([
      ['error', 'needs-value', 'a'],
      ['error', 'needs-value', 'd'],
      ['warning', 'rebuild', undefined],
      ['warning', 'undeclared-columns', 'x'],
    ])
  })
})

describe('definitions that the plan repeats', () => {
  const rebuilt = sqliteTable('user', { id: text().primaryKey(), email: text() })

  test('may have tabs, carriage returns and comments between their parts', async () => {
    const created = 'create table user (\r\n\tid text, -- the\tid\r\n\temail text\tdefault\t0\r\n)'
    const trigger = 'create trigger t after insert on user\r\n\tbegin select 1, -- one\t\r\n2; end'
    const statements = await open({ usersTable: rebuilt }, [created, trigger]).statements()
    expect(statements.join()).toContain('begin select 1, -- one  \n2; end;')
    expect(statements.join()).not.toMatch(/[^\P{C}\n]/u)
  })

  test.each([
    ['a default', "create table user (id text, email text default 'a\x1bb')", String.raw`'a\u001bb'`],
    [
      'a comment',
      'create table user (id text, email text check (email <> 0 /* --> statement-breakpoint */))',
      '/* --> statement-breakpoint */',
    ],
    ['a name', 'create table user (id text, email text constraint "a\nb" check (email <> 0))', String.raw`"a\u000ab"`],
    ['a name without quotes', 'create table user (id text, email text constraint a\u2028b check (email <> 0))', String.raw`a\u2028b`],
  ])('are refused: %s', async (_, created, shown) => {
    const { notices, steps } = await open({ usersTable: rebuilt }, [created]).plan()
    expect(steps).toEqual([])
    expect(notices[0]).toMatchObject({ code: 'unsafe-text', severity: 'error', message: expect.stringContaining(` ${shown}, `) })
  })
})
