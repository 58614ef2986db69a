import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { planMove } from '../../../../src/cli/moving/plan.js'
import { scriptOf } from '../../../../src/cli/moving/script.js'
import { statementsOf } from '../../../support/migrations.js'

// How the plan changes the tables of a SQLite database: in place where SQLite can, with a new table where it cannot.

const { integer, sqliteTable, text } = lite

function open(tables: object, statements: string[]) {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  client.pragma('foreign_keys = on')
  for (const statement of statements) client.exec(statement)
  const plan = () => planMove(drizzle({ client }) as never, 'sqlite', tables as never, 'official')
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

describe('a table that stays', () => {
  test.each([
    ['with the same columns', `create table user (${id}, ${email}, age integer)`],
    ['with other names for its types', 'create table user (id varchar(9) primary key not null, email clob not null unique, age bigint)'],
    [
      'with a unique index',
      `create table user (${id}, email text not null, age int); create unique index user_email_unique on user (email)`,
    ],
  ])('%s needs no change', async (_, statement) => {
    expect(await open({ usersTable }, [statement]).plan()).toEqual({ notices: [], steps: [] })
  })

  test.each([
    ['a default', `plan text not null default 'free'`],
    ['null', 'plan text'],
    ['an expression', "plan text not null generated always as (id || 'x')"],
  ])('has columns of the app that %s fills', async (_, column) => {
    const { plan } = open({ usersTable }, [`create table user (${id}, ${email}, age integer, ${column})`])
    const { steps, notices } = await plan()
    expect(steps).toEqual([])
    expect(notices).toMatchObject([{ code: 'undeclared-columns', column: 'plan' }])
  })

  test('gets other names for itself, its columns and its indexes', async () => {
    const { statements, codes, move, all, names } = open({ usersTable }, [
      `create table "users" (${id}, e_mail text not null, AGE integer)`,
      'create unique index "mail" on users (e_mail)',
      'create index "mails" on users (e_mail)',
      `insert into users values ('a', 'ada@example.com', 7)`,
    ])
    expect(await codes()).toEqual([])
    expect(await statements()).toEqual([
      'ALTER TABLE `users` RENAME TO `user`;',
      'ALTER TABLE `user` RENAME COLUMN `e_mail` TO `email`;',
      'ALTER TABLE `user` RENAME COLUMN `AGE` TO `age`;',
      'DROP INDEX `mail`;',
      'CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);',
    ])
    await move()
    expect(all('select * from user')).toEqual([{ id: 'a', email: 'ada@example.com', age: 7 }])
    expect(names('index')).toEqual(['mails', 'user_email_unique'])
  })

  test('has a name that differs in case only, for which SQLite needs a third one', async () => {
    const { statements, move, names } = open({ usersTable }, [`create table "User" (${id}, ${email}, age integer)`])
    expect(await statements()).toEqual(['ALTER TABLE `User` RENAME TO `__old_user`;', 'ALTER TABLE `__old_user` RENAME TO `user`;'])
    await move()
    expect(names('table')).toEqual(['user'])
  })

  test('gets columns and indexes that are missing', async () => {
    const tables = {
      usersTable: sqliteTable(
        'user',
        { id: text().primaryKey(), email: text().notNull(), age: integer(), plan: text('the `plan`').notNull().default("it's free") },
        (t) => [lite.index('by_age').on(t.age, t.email), lite.uniqueIndex('by_email').on(t.email)],
      ),
    }
    const { statements, move, all } = open(tables, [`create table user (${id}, email text not null)`, ada])
    expect(await statements()).toEqual([
      'ALTER TABLE `user` ADD COLUMN `age` integer;',
      "ALTER TABLE `user` ADD COLUMN `the ``plan``` text DEFAULT 'it''s free' NOT NULL;",
      'CREATE INDEX `by_age` ON `user` (`age`, `email`);',
      'CREATE UNIQUE INDEX `by_email` ON `user` (`email`);',
    ])
    await move()
    expect(all('select * from user')).toEqual([{ id: 'a', email: 'ada@example.com', age: null, 'the `plan`': "it's free" }])
  })

  test('keeps a primary key that tables refer to where the code has none', async () => {
    const keyless = sqliteTable('user', { id: text().notNull(), email: text().notNull() })
    const { statements } = open({ usersTable: keyless }, [
      `create table user (${id}, email text not null)`,
      'create table device (owner text references user (id))',
    ])
    expect(await statements()).toEqual([])
  })

  test('is referred to by tables whose foreign keys have the same rules', async () => {
    const { statements, codes } = open({ usersTable, sessionsTable }, [
      `create table "USER" (${id}, ${email}, age integer)`,
      `create table session (session_token text primary key not null, user_id text not null references user (id) on delete cascade)`,
    ])
    expect(await codes()).toEqual([])
    expect((await statements()).slice(2)).toEqual([
      'ALTER TABLE `session` RENAME COLUMN `session_token` TO `sessionToken`;',
      'ALTER TABLE `session` RENAME COLUMN `user_id` TO `userId`;',
      'CREATE INDEX `by_user` ON `session` (`userId`);',
    ])
  })

  test.each(['user (id)', '"USER" ("Id")', 'user', 'USER'])('refers to %s as the code does', async (target) => {
    const { statements } = open({ usersTable, sessionsTable }, [
      `create table user (${id}, ${email}, age integer)`,
      `create table session (sessionToken text primary key not null, userId text not null references ${target} on delete cascade)`,
      'create index by_user on session (userId)',
    ])
    expect(await statements()).toEqual([])
  })

  test.each(['users (user_id)', 'USERS (USER_ID)', 'users'])('refers to %s, which gets other names', async (target) => {
    const owner = sqliteTable('user', { id: text('userId').primaryKey(), email: text().notNull().unique() })
    const owned = sqliteTable('session', { sessionToken: text().primaryKey(), userId: text().references(() => owner.id) })
    const { statements, move, all } = open({ usersTable: owner, sessionsTable: owned }, [
      `create table users (user_id text primary key not null, ${email})`,
      `create table session (sessionToken text primary key not null, userId text references ${target})`,
    ])
    expect(await statements()).toEqual(['ALTER TABLE `users` RENAME TO `user`;', 'ALTER TABLE `user` RENAME COLUMN `user_id` TO `userId`;'])
    await move()
    expect(all(`select "table" from pragma_foreign_key_list('session')`)).toEqual([{ table: 'user' }])
  })

  test.each(['team (id)', 'TEAM (ID)', 'team'])('refers to %s, a table of the app', async (target) => {
    const team = sqliteTable('team', { id: text().primaryKey() })
    const member = sqliteTable('user', {
      id: text().primaryKey(),
      email: text().notNull().unique(),
      team: text().references(() => team.id),
    })
    const { statements } = open({ usersTable: member }, [
      `create table team (${id})`,
      `create table user (${id}, ${email}, team text references ${target})`,
    ])
    expect(await statements()).toEqual([])
  })
})

describe('rebuilding a table', () => {
  test.each([
    ['a column may be null', `${id}, email text unique, age integer`],
    ['a column may not be null', `${id}, ${email}, age integer not null default 0`],
    ['a column of the app has no value', `${id}, ${email}, age integer, plan text not null`],
    ['there is no primary key', `id text not null, ${email}, age integer`],
    ['there is another primary key', 'id text not null, email text not null primary key, age integer'],
    ['the primary key has further columns', `id text not null, ${email}, age integer, primary key (id, email)`],
  ])('because %s', async (_, columns) => {
    const { codes, move, all, plan, client } = open({ usersTable }, [`create table user (${columns})`])
    client.exec(
      `insert into user (id, email${columns.includes('plan') ? ', plan' : ''}) values ('a', 'ada@example.com'${columns.includes('plan') ? ", 'x'" : ''})`,
    )
    expect(await codes()).toContain('rebuild')
    expect((await plan()).steps.map(({ sql }) => sql.length)).not.toContain(0)
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

  test('because a foreign key refers to a primary key that becomes another one', async () => {
    const byEmail = sqliteTable('user', { id: text().notNull().unique(), email: text().primaryKey() })
    const owned = sqliteTable('session', { sessionToken: text().primaryKey(), userId: text().references(() => byEmail.id) })
    const { move, all } = open({ usersTable: byEmail, sessionsTable: owned }, [
      `create table user (${id}, ${email})`,
      'create table session (sessionToken text primary key not null, userId text references user)',
      ada,
      `insert into session values ('s', 'a')`,
    ])
    await move()
    expect(all(`select "table", "to" from pragma_foreign_key_list('session')`)).toEqual([{ table: 'user', to: 'id' }])
  })

  test('gets no value for a new column that needs one, which is an error', async () => {
    const withPlan = sqliteTable('user', { id: text().primaryKey(), email: text().notNull(), plan: text().notNull() })
    expect(await open({ usersTable: withPlan }, [`create table user (${id}, ${email})`]).codes()).toEqual(['needs-value', 'rebuild'])
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

describe('tables that are missing', () => {
  test('are created with their keys and indexes', async () => {
    const tables = {
      usersTable,
      sessionsTable,
      verificationTokensTable: sqliteTable(
        'token',
        { identifier: text().notNull(), token: text().notNull(), uses: integer().notNull().default(0) },
        (t) => [lite.primaryKey({ columns: [t.identifier, t.token] })],
      ),
      authenticatorsTable: sqliteTable(
        'passkey',
        {
          id: integer().primaryKey({ autoIncrement: true }),
          credentialID: text().notNull().unique(),
          userId: text().references(() => usersTable.id),
        },
        (t) => [lite.index('by_owner').on(t.userId)],
      ),
    }
    const { statements, move } = open(tables, [
      `create table user (${id}, ${email}, age integer)`,
      `create table session (sessionToken text primary key not null, userId text not null references user (id) on delete cascade)`,
      'create index by_user on session (userId)',
    ])
    expect(await statements()).toEqual([
      'CREATE TABLE `token` (\n  `identifier` text NOT NULL,\n  `token` text NOT NULL,\n  `uses` integer DEFAULT 0 NOT NULL,\n  PRIMARY KEY(`identifier`, `token`)\n);',
      'CREATE TABLE `passkey` (\n  `id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,\n  `credentialID` text NOT NULL,\n  `userId` text,\n  FOREIGN KEY (`userId`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE no action\n);',
      'CREATE UNIQUE INDEX `passkey_credentialID_unique` ON `passkey` (`credentialID`);',
      'CREATE INDEX `by_owner` ON `passkey` (`userId`);',
    ])
    await move()
  })
})
