import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { planMove } from '../../src/cli/moving/plan.js'
import { scriptOf } from '../../src/cli/moving/script.js'
import { statementsOf } from '../helpers/migrations.js'

// What a table of SQLite has besides the columns of the code, and keeps when the plan makes it anew.

const { integer, sqliteTable, text } = lite

function open(tables: object, statements: string[]) {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  client.pragma('foreign_keys = on')
  for (const statement of statements) client.exec(statement)
  const plan = () => planMove(drizzle({ client }) as never, 'sqlite', tables as never, 'official')
  return {
    client,
    codes: async () => (await plan()).notices.map(({ code }) => code),
    all: (query: string) => client.prepare(query).all(),
    sql: (name: string) => client.prepare('select sql from sqlite_master where name = ?').pluck().get(name),
    indexes: () => client.prepare(`select name from sqlite_master where type = 'index' and sql is not null order by name`).pluck().all(),
    async move() {
      const { steps, notices } = await plan()
      expect(notices.map(({ code }) => code)).toContain('rebuild')
      for (const statement of statementsOf(scriptOf({ steps, notices }, 'sqlite', ''))) client.exec(statement)
      expect((await plan()).steps).toEqual([])
      return steps.flatMap(({ sql }) => sql)
    },
  }
}

const usersTable = sqliteTable('user', { id: text().primaryKey(), email: text().notNull().unique() })
const sessionsTable = sqliteTable('session', {
  sessionToken: text().primaryKey(),
  userId: text()
    .notNull()
    .references(() => usersTable.id, { onDelete: 'cascade' }),
})
/** With a key that may be null, the table must be made anew. */
const id = 'id text primary key'

test('the statements of a table that is made anew', async () => {
  const { move, all } = open({ usersTable }, [
    `create table "Users" (${id}, "e mail" text not null, plan text, primary_plan text not null) strict`,
    `insert into "Users" values ('a', 'ada@example.com', 'free', 'x')`,
  ])
  expect((await move()).slice(5)).toEqual([
    'ALTER TABLE `Users` RENAME TO `user`;',
    'ALTER TABLE `user` RENAME COLUMN `e mail` TO `email`;',
    'PRAGMA legacy_alter_table = ON;',
    'CREATE TABLE `__new_user` (\n  `id` text PRIMARY KEY NOT NULL,\n  `email` text NOT NULL,\n  plan text,\n  primary_plan text\n) strict;',
    'INSERT INTO `__new_user` (`id`, `email`, `plan`, `primary_plan`) SELECT `id`, `email`, `plan`, `primary_plan` FROM `user`;',
    'DROP TABLE `user`;',
    'ALTER TABLE `__new_user` RENAME TO `user`;',
    'CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);',
    'PRAGMA legacy_alter_table = OFF;',
    'RELEASE `moving`;',
    'PRAGMA foreign_keys = ON;',
  ])
  expect(all('select * from user')).toEqual([{ id: 'a', email: 'ada@example.com', plan: 'free', primary_plan: 'x' }])
})

describe('columns that the code does not declare', () => {
  test.each([
    [`plan text not null default ('a, b') check (plan <> ')')`, `plan text not null default ('a, b') check (plan <> ')')`],
    ['"the plan" text collate nocase', '"the plan" text collate nocase'],
    ['[the plan] text', '[the plan] text'],
    ['PLAN text NOT NULL', 'PLAN text'],
    [`plan text not null check (plan is not null and plan <> '')`, `plan text check (plan is not null and plan <> '')`],
    ['plan text not null on conflict ignore', 'plan text'],
    ['größe text', 'größe text'],
    ['plan text -- the plan\r\n', 'plan text'],
    ['plan text not null check (length(e_mail) > 0)', 'plan text check (length(`email`) > 0)'],
  ])('%s', async (column, expected) => {
    const { move, sql } = open({ usersTable }, [`create table user (${id}, e_mail text not null, ${column})`])
    await move()
    expect(String(sql('user')).replaceAll(/ +/g, ' ')).toContain(`,\n ${expected}\n)`)
  })

  test('a new column of the code is not copied', async () => {
    const withAge = sqliteTable('user', { id: text().primaryKey(), email: text().notNull(), age: integer().notNull().default(7) })
    const { move, all } = open({ usersTable: withAge }, [
      `create table user (${id}, email text, plan text)`,
      `insert into user values ('a', 'ada@example.com', 'free')`,
    ])
    expect(await move()).toContain('INSERT INTO `__new_user` (`id`, `email`, `plan`) SELECT `id`, `email`, `plan` FROM `user`;')
    expect(all('select * from user')).toEqual([{ id: 'a', email: 'ada@example.com', age: 7, plan: 'free' }])
  })

  test('a generated column is not copied, and is generated', async () => {
    const { move, all } = open({ usersTable }, [
      `create table user (${id}, email text, x text as (id || 'x'), y text generated always as (email || 'y') stored)`,
      `insert into user (id, email) values ('a', 'ada@example.com')`,
    ])
    await move()
    expect(all('select * from user')).toEqual([{ id: 'a', email: 'ada@example.com', x: 'ax', y: 'ada@example.comy' }])
  })

  test('an old primary key becomes a column like others, and stays unique where tables refer to it', async () => {
    const { move, all, client, indexes, sql } = open({ usersTable, sessionsTable }, [
      'create table user (id text primary key not null, email text not null unique)',
      `create table sessions (id integer primary key autoincrement not null, session_token text not null unique, userId text not null references user (id))`,
      'create table device (session integer references sessions (id) on delete cascade)',
      `insert into user values ('a', 'ada@example.com')`,
      `insert into sessions values (4, 's', 'a')`,
      'insert into device values (4)',
    ])
    expect(await move()).toContain('CREATE UNIQUE INDEX `session_id_key` ON `session` (`id`);')
    expect(String(sql('session'))).toMatch(/`sessionToken` text PRIMARY KEY NOT NULL,[\s\S]*\n {2}id integer,/)
    client.exec(`insert into session (sessionToken, userId) values ('t', 'a')`)
    expect(all('select id, sessionToken from session')).toEqual([
      { id: 4, sessionToken: 's' },
      { id: null, sessionToken: 't' },
    ])
    expect(indexes()).toContain('session_id_key')
    client.exec(`delete from session where id = 4`)
    expect(all('select * from device')).toEqual([])
  })

  test('an old primary key of text that nothing refers to needs no index', async () => {
    const { move, indexes, sql, client } = open({ usersTable, sessionsTable }, [
      'create table user (id text primary key not null, email text not null unique)',
      `create table session (id text primary key not null default 'x', sessionToken text not null, userId text not null)`,
      // These refer to another column than the key, and to another table.
      'create table device (session text references session (sessionToken), owner text references user (id))',
    ])
    await move()
    expect(indexes()).toEqual([])
    expect(String(sql('session'))).toMatch(/\n {2}id text +default 'x',\n/)
    client.exec(`insert into user values ('a', 'ada@example.com')`)
    for (const token of ['s', 't']) client.exec(`insert into session (sessionToken, userId) values ('${token}', 'a')`)
  })

  test('a primary key of several columns stays unique for those who refer to it', async () => {
    const { move } = open({ usersTable, sessionsTable }, [
      'create table user (id text primary key not null, email text not null unique)',
      `create table session (sessionToken text not null, userId text not null references user (id), n integer not null default 0, primary key (n, sessionToken))`,
      'create table device (n integer, session text, foreign key (n, session) references "SESSION" (n, sessionToken))',
    ])
    expect(await move()).toContain('CREATE UNIQUE INDEX `session_n_sessionToken_key` ON `session` (`n`, `sessionToken`);')
  })
})

test('a table may have no primary key, before and in code', async () => {
  const keyless = sqliteTable('user', { age: integer(), id: text().notNull().unique(), email: text().notNull() })
  const { move, sql, indexes } = open({ usersTable: keyless }, [
    'create table user (id text not null, e_mail text, unique (id))',
    'create table post (author text references user (id))',
  ])
  await move()
  expect(sql('user')).toBe('CREATE TABLE "user" (\n  `age` integer,\n  `id` text NOT NULL,\n  `email` text NOT NULL\n)')
  expect(indexes()).toEqual(['user_id_unique'])
})

describe('constraints of the old table', () => {
  const columns = 'id text, e_mail text not null, plan text, owner text'

  test.each([
    ['check (length(e_mail) > 2)', 'check (length(`email`) > 2)'],
    ['constraint "the check" check (plan <> \'e_mail\')', `constraint "the check" check (plan <> 'e_mail')`],
    ['unique (plan, e_mail)', 'unique (plan, `email`)'],
    ['constraint both unique (plan, owner)', 'constraint both unique (plan, owner)'],
    ['foreign key (owner) references users (id)', 'foreign key (owner) references `user` (id)'],
    ["check (plan <> 'primary')", "check (plan <> 'primary')"],
    [`constraint "the primary key" check (plan <> '')`, `constraint "the primary key" check (plan <> '')`],
    [`constraint "a "" primary key" check (plan <> '')`, `constraint "a "" primary key" check (plan <> '')`],
    [`constraint [a primary key] check (plan <> '')`, `constraint [a primary key] check (plan <> '')`],
    [`constraint is_primary check (plan <> '')`, `constraint is_primary check (plan <> '')`],
    [`constraint großprimary check (plan <> '')`, `constraint großprimary check (plan <> '')`],
    [`constraint a$primary check (plan <> '')`, `constraint a$primary check (plan <> '')`],
    ['constraint "by (email)" unique (plan)', 'constraint "by (email)" unique (plan)'],
    [`constraint "primary" check (plan <> '')`, `constraint "primary" check (plan <> '')`],
    ['check (e_mail)', 'check (`email`)'],
  ])('%s stays', async (constraint, expected) => {
    const { move, sql } = open({ usersTable }, [`create table users (${columns}, primary key (id), ${constraint})`])
    await move()
    expect(String(sql('user'))).toContain(`  owner text,\n  ${expected}\n)`)
    expect(String(sql('user'))).not.toMatch(/primary key \(/)
  })

  test.each([
    ['unique (e_mail)'],
    ['UNIQUE ("e_mail")'],
    ['constraint mail unique (e_mail)'],
    ['constraint "the mail" unique (e_mail)'],
    ['constraint `the mail` unique (e_mail)'],
    ['constraint\n  mail\n\tunique (e_mail)'],
    ['primary key (id)'],
    ['constraint "the key" primary key (id)'],
    ['constraint [the key] primary key (id)'],
    ["constraint 'the key' primary key (id)"],
    ['constraint "the ""big"" key" primary key (id)'],
    ['constraint `the ``big`` key` primary key (id)'],
    ["constraint 'the ''big'' key' primary key (id)"],
    ['constraint "k"primary key (id)'],
    ['constraint"k"primary key (id)'],
    ['constraint[k]unique (e_mail)'],
    ['constraint/* the */schlüssel/* key */primary key (id)'],
    ['constraint "check" primary key (id)'],
    ['constraint a constraint "b" primary key (id)'],
    ['constraint "the (plan)" unique (e_mail)'],
  ])('%s is replaced by that of the code', async (constraint) => {
    const { move, sql, indexes } = open({ usersTable }, [`create table users (${columns}, ${constraint})`])
    await move()
    expect(String(sql('user'))).toMatch(/ {2}owner text\n\)$/)
    expect(indexes()).toEqual(['user_email_unique'])
  })

  test('a foreign key of the code takes the place of the old one', async () => {
    const { move, sql } = open({ usersTable, sessionsTable }, [
      `create table user (${id}, email text not null)`,
      `create table session (session_token text primary key not null, user_id text not null, note text,
        constraint "to user" foreign key (user_id) references user (id) on delete restrict, unique (user_id))`,
    ])
    await move()
    expect(String(sql('session')).match(/foreign key/gi)).toHaveLength(1)
    expect(String(sql('session'))).toContain('unique (`userId`)')
    expect(String(sql('session'))).toContain('ON DELETE cascade')
  })
})

describe('indexes, triggers and views', () => {
  test('are there again afterwards, with the new names', async () => {
    const { move, all, client, codes, sql, indexes } = open({ usersTable }, [
      `create table users (${id}, e_mail text not null, plan text, age text)`,
      'create table log (entry text)',
      'create index "by plan" on users (plan, e_mail)',
      'create unique index some_plans on users (plan) where e_mail is not null',
      'create index by_length on users (length(e_mail))',
      'create unique index old_mail on users (e_mail)',
      'create index other_log on log (entry)',
      `create trigger changed after update of e_mail on users begin insert into log values (new.e_mail); end`,
      'create view everybody as select id, e_mail from users',
      `insert into users values ('a', 'ada@example.com', 'free', 1)`,
    ])
    expect(await codes()).toContain('triggers')
    const statements = await move()
    expect(indexes()).toEqual(['by plan', 'by_length', 'other_log', 'some_plans', 'user_email_unique'])
    expect(sql('by plan')).toContain('(plan, `email`)')
    expect(statements.filter((statement) => statement.includes('other_log'))).toEqual([])
    client.exec(`update user set email = 'eva@example.com'`)
    expect(all('select * from log')).toEqual([{ entry: 'eva@example.com' }])
    expect(all('select * from everybody')).toHaveLength(1)
  })

  test('a trigger without a name that changes is not mentioned', async () => {
    const { move, codes, sql } = open({ usersTable }, [
      `create table user (${id}, email text)`,
      'create table log (entry text)',
      'create trigger added after insert on user begin insert into log values (new.id); end',
    ])
    expect(await codes()).not.toContain('triggers')
    await move()
    expect(sql('added')).toContain('insert into log')
  })

  test('an index stays where the code has none like it, and columns come before constraints', async () => {
    const { move, indexes, sql } = open({ usersTable, sessionsTable }, [
      'create table user (id text primary key not null, email text not null unique)',
      `create table session (sessionToken text primary key, userId text not null, plan text check (plan <> ''))`,
      'create index by_plan on session (plan)',
    ])
    await move()
    expect(indexes()).toEqual(['by_plan'])
    expect(String(sql('session'))).toMatch(/plan text check \(plan <> ''\),\n {2}FOREIGN KEY/)
  })

  test('an index with the name of the code is made once', async () => {
    const { move, indexes } = open({ usersTable }, [
      `create table user (${id}, email text not null)`,
      'create unique index user_email_unique on user (email)',
    ])
    expect((await move()).filter((statement) => statement.includes('INDEX'))).toHaveLength(1)
    expect(indexes()).toEqual(['user_email_unique'])
  })
})
