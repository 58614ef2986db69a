import Database from 'better-sqlite3'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { statementsOf } from '../../../../test/support/migrations.js'
import { scriptOf } from '../../../src/planning/index.js'
import { planOf } from '../../support/planning/plan.js'

// How the plan changes the tables of a SQLite database: in place where SQLite can, with a new table where it cannot.

const { integer, sqliteTable, text } = lite

function open(tables: object, statements: string[]) {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  client.pragma('foreign_keys = on')
  for (const statement of statements) client.exec(statement)
  const plan = () => planOf(client, tables)
  return {
    client,
    plan,
    statements: async () => (await plan()).steps.flatMap(({ sql }) => sql).filter((statement) => !/^(savepoint|release)/i.test(statement)),
    codes: async () => (await plan()).notices.map(({ code }) => code),
    all: (query: string) => client.prepare(query).all(),
    /** The statement that made a table, an index or a trigger. */
    sql: (name: string) => client.prepare('select sql from sqlite_master where name = ?').pluck().get(name),
    names: (type: string) =>
      client.prepare(`select name from sqlite_master where type = ? and name not like 'sqlite%' order by name`).pluck().all(type),
    async move() {
      for (const statement of statementsOf(scriptOf(await plan(), 'sqlite', ''))) client.exec(statement)
      expect((await plan()).steps).toEqual([])
      expect(client.pragma('foreign_keys', { simple: true })).toBe(1)
      expect(client.pragma('foreign_key_check')).toEqual([])
    },
  }
}

const usersTable = sqliteTable('user', { id: text().primaryKey(), email: text().notNull().unique(), age: integer() })
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

test('a table that is not rebuilt is renamed, with its columns and indexes', async () => {
  const { statements, codes, move, all, names } = open({ usersTable }, [
    `create table "users" (${id}, e_mail text not null, AGE integer)`,
    'create unique index "mail" on users (e_mail)',
    'create index "mails" on users (e_mail)',
    `insert into users values ('a', 'ada@example.com', 7)`,
  ])
  expect(await codes()).toEqual([])
  expect(await statements()).toEqual([
    'DROP INDEX `mail`;',
    'CREATE UNIQUE INDEX `user_email_unique` on users (e_mail);',
    'ALTER TABLE `users` RENAME COLUMN `e_mail` TO `email`;',
    'ALTER TABLE `users` RENAME COLUMN `AGE` TO `age`;',
    'ALTER TABLE `users` RENAME TO `user`;',
  ])
  await move()
  expect(all('select * from user')).toEqual([{ id: 'a', email: 'ada@example.com', age: 7 }])
  expect(names('index')).toEqual(['mails', 'user_email_unique'])
})

describe('a table that is rebuilt', () => {
  test.each([
    ['a column may be null', `${id}, email text unique, age integer`],
    ['a column may not be null', `${id}, ${email}, age integer not null default 0`],
    ['nothing fills a required column of the app', `${id}, ${email}, age integer, plan text not null`],
    ['there is no primary key', `id text not null, ${email}, age integer`],
    ['there is another primary key', 'id text not null, email text not null primary key, age integer'],
    ['the primary key has further columns', `id text not null, ${email}, age integer, primary key (id, email)`],
  ])('because %s', async (_, columns) => {
    const insert = columns.includes('plan') ? `insert into user (id, email, plan) values ('a', 'ada@example.com', 'x')` : ada
    const { codes, move, all, client } = open({ usersTable }, [`create table user (${columns})`, insert])
    expect(await codes()).toContain('rebuild')
    await move()
    expect(await codes()).not.toContain('rebuild')
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
  ])('because a foreign key is %s', async (_, column) => {
    const { plan, move, all, client, sql } = open({ usersTable, sessionsTable }, [
      `create table user (${id}, ${email}, age integer)`,
      `create table session (sessionToken text primary key not null, ${column})`,
      'create table device (userId text references user (id) on delete cascade)',
      ada,
      `insert into session (sessionToken, userId) values ('s', 'a')`,
    ])
    expect((await plan()).notices.find(({ code }) => code === 'rebuild')?.message).toMatch(/^SQLite has to rebuild session/)
    await move()
    expect(all('select sessionToken, userId from session')).toEqual([{ sessionToken: 's', userId: 'a' }])
    expect(sql('session')).toContain('FOREIGN KEY (`userId`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade')
    client.exec('delete from user')
    expect(all('select * from session')).toEqual([])
  })

  test('because a foreign key is missing, beside those of the app', async () => {
    const { codes, move, all } = open({ usersTable, sessionsTable }, [
      `create table people (${id})`,
      `create table user (${id}, ${email}, age integer)`,
      `create table session (sessionToken text primary key not null, userId text not null references people, foreign key (USERID) references user (email))`,
    ])
    expect(await codes()).toEqual(['rebuild'])
    await move()
    expect(all(`select "table", "to" from pragma_foreign_key_list('session') order by 1, 2`)).toEqual([
      { table: 'people', to: null },
      { table: 'user', to: 'email' },
      { table: 'user', to: 'id' },
    ])
  })

  test('is not dropped while foreign keys are on: the plan stops before it changes anything', async () => {
    const { client, plan, all } = open({ usersTable, sessionsTable }, [
      `create table user (id text primary key, ${email}, age integer)`,
      'create table session (sessionToken text primary key not null, userId text not null references user (id) on delete cascade)',
      ada,
      `insert into session values ('s', 'a')`,
    ])
    const script = statementsOf(scriptOf(await plan(), 'sqlite', ''))
    client.exec('begin')
    expect(() => script.forEach((statement) => void client.exec(statement))).toThrow(/disable foreign keys.*nothing was changed/)
    client.exec('rollback')
    expect(all('select * from session')).toHaveLength(1)
    // With foreign keys off, the plan may run in a transaction, which can be rolled back as a whole.
    client.pragma('foreign_keys = off')
    client.exec('begin')
    for (const statement of script) client.exec(statement)
    client.exec('rollback')
    expect((await plan()).steps).not.toEqual([])
    for (const statement of script) client.exec(statement)
    expect(client.inTransaction).toBe(false)
    expect(all('select * from session')).toHaveLength(1)
  })
})
