import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Source } from '../../../../src/cli/moving/plan.js'
import { planMove, scriptFor, sources } from '../../../../src/cli/moving/plan.js'
import * as schema from '../../../support/schema/sqlite.js'

// Which tables and columns of the database become those of the code, and what is said before anything is changed.

function open(tables: object, statements: string[]) {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  for (const statement of statements) client.exec(statement)
  const plan = (source: Source = 'official') => planMove(drizzle({ client }) as never, 'sqlite', tables as never, source)
  return {
    plan,
    statements: async (source?: Source) =>
      (await plan(source)).steps.flatMap(({ sql }) => sql).filter((statement) => !/^(savepoint|release)/i.test(statement)),
    notices: async (source?: Source) => (await plan(source)).notices,
  }
}

const usersTable = sqliteTable('user', { id: text(), email: text() })
const columns = 'id text, email text'

describe('the table that holds the rows', () => {
  test.each([
    ['user', []],
    ['users', ['ALTER TABLE `users` RENAME TO `user`;']],
    ['Users', ['ALTER TABLE `Users` RENAME TO `user`;']],
    ['U_s-e r', ['ALTER TABLE `U_s-e r` RENAME TO `user`;']],
  ])('is called %s', async (name, statements) => {
    expect(await open({ usersTable }, [`create table "${name}" (${columns})`, 'create table "Userss" (x)']).statements()).toEqual(
      statements,
    )
  })

  test.each([
    ['official', 'verificationTokensTable', 'verification_token'],
    ['prisma', 'verificationTokensTable', 'VerificationTokens'],
    ['kysely', 'accountsTable', 'account'],
    ['official', 'authenticatorsTable', 'authenticators'],
    ['prisma', 'sessionsTable', 'Session'],
  ] as const)('has the name that the %s adapter gives the %s', async (source, table, name) => {
    const tables = { [table]: sqliteTable('the_new_one', { id: text() }) }
    expect(await open(tables, [`create table "${name}" (id text)`]).statements(source)).toEqual([
      `ALTER TABLE \`${name}\` RENAME TO \`the_new_one\`;`,
    ])
  })

  test.each(Object.entries(sources))('has a documented name in %s for each model', (_, names) => {
    expect(Object.values(names).map((name) => name.toLowerCase())).toEqual([
      'user',
      'account',
      'session',
      'verificationtoken',
      'authenticator',
    ])
  })

  test('may be called as in the code, and otherwise than the adapter calls it', async () => {
    const tables = { usersTable: sqliteTable('the_people', { id: text() }) }
    expect(await open(tables, ['create table the_people (id text)']).statements()).toEqual([])
    expect(await open(tables, ['create table "ThePeople" (id text)']).statements()).toEqual([
      'ALTER TABLE `ThePeople` RENAME TO `the_people`;',
    ])
  })

  test('is not clear where two have such a name', async () => {
    const { plan } = open({ usersTable }, [`create table "User" (${columns})`, `create table users (${columns})`, 'create table other (x)'])
    expect(await plan()).toEqual({
      steps: [],
      notices: [
        {
          code: 'two-tables',
          severity: 'error',
          table: 'user',
          message: expect.stringMatching(/: User or users$/),
          fix: expect.any(String),
        },
      ],
    })
  })

  test('comes first among them where it has the name of the code, in any case that the database takes for the same', async () => {
    const messageOf = async (...names: string[]) =>
      (
        await open(
          { usersTable },
          names.map((name) => `create table "${name}" (x)`),
        ).notices()
      )[0]?.message.replace(/.*: /, '')
    expect(await messageOf('users', 'u_ser', 'user')).toBe('user or users or u_ser')
    expect(await messageOf('users', 'USER')).toBe('USER or users')
  })

  test('is missing, which matters for users, accounts and sessions alone', async () => {
    expect(await open({ ...schema }, []).plan()).toMatchObject({
      steps: [],
      notices: ['user', 'account', 'session'].map((table) => ({ code: 'missing-table', severity: 'error', table })),
    })
    const { verificationTokensTable, authenticatorsTable } = schema
    const { notices, steps } = await open({ verificationTokensTable, authenticatorsTable }, []).plan()
    expect(notices).toEqual([])
    expect(steps.map(({ about }) => about)).toEqual(expect.arrayContaining(['Create missing tables']))
  })
})

describe('the column that holds the values', () => {
  const renamed = async (old: string[], column: ReturnType<typeof text>) => {
    const table = sqliteTable('user', { id: text(), theName: column })
    const statements = await open({ usersTable: table }, [
      `create table user (id text, ${old.map((name) => `"${name}" text`).join(', ')})`,
    ]).statements()
    return statements.map((statement) => statement.replace('ALTER TABLE `user` ', ''))
  }

  test.each([
    [['theName'], text('theName'), []],
    [['the_name'], text('theName'), ['RENAME COLUMN `the_name` TO `theName`;']],
    [['THE-NAME'], text('the_name'), ['RENAME COLUMN `THE-NAME` TO `the_name`;']],
    // By its name in code.
    [['the_name'], text('called'), ['RENAME COLUMN `the_name` TO `called`;']],
    [['Called'], text('called'), ['RENAME COLUMN `Called` TO `called`;']],
    // Exactly is better than similarly.
    [['the_name', 'theName'], text('theName'), []],
    [['the_name', 'the name'], text('theName'), ['ADD COLUMN `theName` text;']],
    [['other'], text('theName'), ['ADD COLUMN `theName` text;']],
  ])('of %j', async (old, column, statements) => {
    expect(await renamed(old, column)).toEqual(statements)
  })

  test('is not taken from another column of the code', async () => {
    const table = sqliteTable('user', { the_name: text('the_name'), theName: text('theName') })
    expect(await open({ usersTable: table }, ['create table user (the_name text)']).statements()).toEqual([
      'ALTER TABLE `user` ADD COLUMN `theName` text;',
    ])
  })
})

describe('what is said of columns', () => {
  test('a primary key is missing', async () => {
    const keyed = sqliteTable('user', { id: text().primaryKey(), email: text().unique() })
    const found = async (statement: string) =>
      (await open({ usersTable: keyed }, [statement]).notices()).filter(({ code }) => code === 'missing-key')
    expect(await found(`create table user (id text not null, email text unique)`)).toMatchObject([
      { severity: 'warning', table: 'user', column: 'id' },
    ])
    expect(await found(`create table user (id text not null, email text primary key)`)).toEqual([])
  })

  test('columns are not declared', async () => {
    const found = (more: string) => open({ usersTable }, [`create table user (${columns}${more})`]).notices()
    expect(await found('')).toEqual([])
    const [notice] = await found(`, a text, b text not null default 'x'`)
    expect(notice).toMatchObject({ code: 'undeclared-columns', severity: 'warning', table: 'user', column: 'a, b' })
    expect(notice?.message).toMatch(/the plan keeps them$/)
    const [required] = (await found(', a text, b text not null, c text not null')).filter(({ code }) => code === 'undeclared-columns')
    expect(required?.message).toMatch(/the plan keeps them, and b, c becomes nullable/)
  })

  test('a new column needs a value', async () => {
    const table = sqliteTable('user', {
      id: text().notNull(),
      a: text().notNull(),
      b: text(),
      c: integer().notNull().default(0),
      d: text()
        .notNull()
        .$defaultFn(() => 'x'),
    })
    const notices = (await open({ usersTable: table }, ['create table user (id text not null)']).notices()).filter(
      ({ code }) => code === 'needs-value',
    )
    expect(notices.map(({ severity, table: name, column }) => [severity, name, column])).toEqual([
      ['error', 'user', 'a'],
      ['error', 'user', 'd'],
    ])
  })

  test('errors come first, and steps without statements not at all', async () => {
    const keyed = sqliteTable('user', { id: text().primaryKey(), email: text().notNull(), age: integer().notNull() })
    const { notices, steps } = await open({ usersTable: keyed }, [
      'create table user (id text, email text, x text)',
      `insert into user values ('a', null, 1), ('a', 'ada@example.com', 1)`,
    ]).plan()
    expect(notices.map(({ severity }) => severity)).toEqual(['error', 'error', 'warning', 'warning', 'warning', 'warning'])
    expect(notices.map(({ code }) => code)).toEqual([
      'duplicates',
      'needs-value',
      'no-address',
      'rebuild',
      'missing-key',
      'undeclared-columns',
    ])
    expect(steps.every(({ sql }) => sql.length > 0)).toBe(true)
  })
})

test('a script has the breakpoints of its database, and says how to run it', () => {
  expect(scriptFor('mysql')).toEqual({ breakpoint: '#--> statement-breakpoint', howToRun: expect.stringContaining('mysql DATABASE') })
  expect(scriptFor('pg')).toEqual({ breakpoint: '--> statement-breakpoint', howToRun: expect.stringContaining('psql') })
})
