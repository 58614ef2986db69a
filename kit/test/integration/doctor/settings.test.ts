import { defineTables } from 'drizzle-auth-adapter/sqlite'
import * as my from 'drizzle-orm/mysql-core'
import { text } from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, test } from 'vitest'
import type { Finding } from '../../../src/doctor/index.js'
import { openTestDatabase, summarize } from '../../support/doctor/database.js'

const on = (dialect: 'pg' | 'mysql' | 'sqlite') => describe.runIf(inject('dialects').includes(dialect))

on('pg')('the doctor on pg', () => {
  test('finds settings of the role or the connection', async () => {
    const { examine } = await openTestDatabase('pg')
    const found = async (statement: string) => summarize(await examine(undefined, [statement]))
    expect(await found(`set datestyle = 'SQL, DMY'`)).toEqual(['warning date-style'])
    expect(await found('set default_transaction_read_only = on')).toEqual(['warning read-only'])
    expect(await found(`set client_encoding to 'LATIN1'`)).toEqual(['warning character-set'])
  })

  test('finds a database that is not in UTF-8', async () => {
    const latin = await openTestDatabase('pg', { settings: `encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'` })
    expect(summarize(await latin.examine())).toEqual(['warning character-set'])
  })

  test('finds columns with a default of the current time, if the time zone is not UTC', async () => {
    const { exec, examine, role } = await openTestDatabase('pg')
    await exec(`alter role ${role} set timezone = 'America/New_York'`)
    expect(await examine()).toEqual([])
    await exec('alter table "user" add column "zoned" timestamptz default now(), add column "made" timestamp default now()')
    expect(summarize(await examine())).toEqual(['warning time-zone user.made'])
    await exec(`alter role ${role} set timezone = 'UTC'`)
    expect(await examine()).toEqual([])
  })

  test('finds row level security without a policy for the role', async () => {
    const { exec, examine, role } = await openTestDatabase('pg')
    await exec('alter table "session" enable row level security')
    expect(summarize(await examine())).toEqual(['warning row-security session'])
    await exec(`create policy for_others on "session" to pg_monitor using (true)`)
    expect(summarize(await examine())).toEqual(['warning row-security session'])
    await exec(`create policy for_app on "session" to ${role} using (true)`)
    expect(await examine()).toEqual([])
  })

  test('finds policies that hide some rows, or reject some', async () => {
    const { exec, examine, role } = await openTestDatabase('pg')
    await exec('alter table "session" enable row level security')
    for (const command of ['select', 'delete']) await exec(`create policy ${command}s on "session" for ${command} to ${role} using (true)`)
    await exec(`create policy inserts on "session" for insert to ${role} with check (true)`)
    await exec(`create policy updates on "session" for update to ${role} using (true) with check (true)`)
    expect(await examine()).toEqual([])
    await exec(`alter policy updates on "session" using (expires > now())`)
    expect((await examine()).map(({ code, table, message }) => `${code} ${table} ${message}`)).toEqual([
      expect.stringMatching(/^changes-rows session .*the policy updates$/),
    ])
  })

  test('finds tables that others can read or write, and its statement closes them', async () => {
    const names = ['anon', 'authenticated']
    const { exec, examine, role } = await openTestDatabase('pg')
    for (const name of names)
      await exec(`do $$ begin create role ${name}; exception when duplicate_object or unique_violation then null; end $$`)
    const found = async () => (await examine()).filter(({ code }) => code === 'exposed')
    expect(await found()).toEqual([])
    // A privilege on a column is one, too.
    await exec('grant update ("expires") on "session" to anon')
    await exec('grant select on "account" to authenticated')
    await exec('grant insert on "user" to public')
    const findings = await found()
    expect(findings.map(({ severity, table, message }) => `${severity} ${table} ${message.split(' by ')[1]}`)).toEqual([
      'error user PUBLIC, anon, authenticated',
      'error account authenticated',
      'error session anon',
    ])
    // The role of the app owns no table, so that row level security would lock it out.
    for (const { fix = '' } of findings) await exec(fix)
    expect(await found()).toEqual([])
    expect(summarize(await examine())).toEqual([])
    await exec('grant select on "session" to public')
    await exec(`alter table "session" owner to ${role}`)
    const [{ fix = '' } = {}] = await found()
    expect(fix).toMatch(/ENABLE ROW LEVEL SECURITY/)
    await exec(fix)
    expect(await found()).toEqual([])
    await exec('alter table "session" disable row level security')
    await exec(`grant usage on schema public to ${role}`)
    await exec('revoke usage on schema public from public')
    expect(await found()).toEqual([])
  })

  test('finds a role with more privileges than needed', async () => {
    const { exec, examine, role } = await openTestDatabase('pg')
    await exec(`grant truncate on "session" to ${role}`)
    const findings = await examine()
    expect(summarize(findings)).toEqual(['warning excess-rights session'])
    expect(findings[0]?.message).toContain('TRUNCATE')
    await exec(`alter table "session" owner to ${role}`)
    expect((await examine())[0]?.message).toContain('owns the table')
    await exec(`alter role ${role} createrole`)
    expect(summarize(await examine())).toEqual(['warning excess-rights', 'warning excess-rights session'])
    await exec(`alter role ${role} superuser`)
    expect((await examine()).map(({ message }) => message)).toEqual([expect.stringContaining('is a superuser')])
  })

  test('says what it could not examine because the role lacks a privilege', async () => {
    const { exec, examine, role } = await openTestDatabase('pg')
    await exec(`insert into "user" (id, email) values ('u', 'u@example.com')`)
    await exec(`insert into "session" values ('s1.a', 'u', '2001-01-01')`)
    await exec(`revoke select on "verificationToken" from ${role}`)
    const findings = await examine()
    expect(summarize(findings)).toEqual(['warning expired session.expires', 'warning hidden verificationToken'])
    expect(findings[1]?.message).toMatch(/^could not check expired rows, dates in seconds: the database user lacks the permission/)
  })
})

on('mysql')('the doctor on mysql', () => {
  test('finds settings of the connection', async () => {
    const { examine } = await openTestDatabase('mysql')
    const found = async (statement: string) => summarize(await examine(undefined, [statement]))
    expect(await found(`set session sql_mode = ''`)).toEqual(['error sql-mode'])
    expect(await found(`set session sql_mode = 'TRADITIONAL,NO_BACKSLASH_ESCAPES'`)).toEqual(['error sql-mode'])
    expect(await found('set session autocommit = 0')).toEqual(['error autocommit'])
    expect(await found('set names latin1')).toEqual(['error character-set'])
    expect(await found('set session foreign_key_checks = 0')).toEqual(['warning not-enforced'])
    expect(await found('set session transaction read only')).toEqual(['warning read-only'])
  })

  test('finds a database in latin1 once, as an error, and its statements change the character set and nothing else', async () => {
    const { exec, examine } = await openTestDatabase('mysql', {
      settings: 'character set latin1',
      migrations: [
        `create table "user" ("id" varchar(36) collate latin1_bin primary key, "name" text, "email" varchar(190) not null, "emailVerified" datetime(3), "image" text, "role" varchar(20) not null default 'member', unique ("email"))`,
        `create table "posts" ("id" int primary key, "author" varchar(36) collate latin1_bin, foreign key ("author") references "user" ("id") on delete cascade)`,
      ],
    })
    const usersTable = my.mysqlTable('user', {
      id: my.varchar({ length: 36 }).primaryKey(),
      name: my.text(),
      email: my.varchar({ length: 190 }).notNull().unique(),
      emailVerified: my.datetime({ fsp: 3 }),
      image: my.text(),
    })
    const found = async () => (await examine({ usersTable })).filter(({ code }) => code !== 'loose-collation' && code !== 'too-short')
    const findings = await found()
    expect(summarize(findings)).toEqual(['error character-set'])
    const [{ message, fix = '' }] = findings as [Finding]
    expect(message).toMatch(/latin1 .*\(user\.id, user\.name, user\.email, user\.image\)$/)
    expect(fix).toMatch(/ALTER DATABASE `\w+` CHARACTER SET utf8mb4; /)
    for (const statement of fix.split(/(?<=;) /)) await exec(statement)
    expect(await found()).toEqual([])
    for (const id of ['a', 'A']) await exec(`insert into "user" ("id", "name", "email") values ('${id}', '\u{1F600}', '${id === 'a'}')`)
    await exec(`insert into "posts" values (1, 'a')`)
    await expect(exec(`insert into "posts" values (2, 'b')`)).rejects.toThrow(/foreign key/)
  })

  test('finds columns with a default of the current time, if the time zone is not UTC', async () => {
    const { exec, examine } = await openTestDatabase('mysql')
    const other = [`set session time_zone = '+05:00'`]
    expect(await examine(undefined, other)).toEqual([])
    await exec(
      'alter table "user" add column "made" datetime(3) default current_timestamp(3), add column "stamp" timestamp default current_timestamp',
    )
    expect(summarize(await examine(undefined, other))).toEqual(['warning time-zone user.made'])
    expect(await examine(undefined, [`set session time_zone = '+00:00'`])).toEqual([])
  })

  test('finds a user with more privileges than needed', async () => {
    const { exec, examine, role, url } = await openTestDatabase('mysql')
    const database = new URL(url).pathname.slice(1)
    await exec(`grant drop on ${database}."session" to ${role}`)
    const onTables = await examine()
    expect(summarize(onTables)).toEqual(['warning excess-rights'])
    expect(onTables[0]?.message).toContain('more privileges than needed: 1 on the tables')
    await exec(`grant alter on ${database}.* to ${role}`)
    expect((await examine())[0]?.message).toContain('on the database')
    await exec(`grant process on *.* to ${role}`)
    expect((await examine())[0]?.message).toContain('on the whole server')
  })
})

on('sqlite')('the doctor on sqlite', () => {
  test.each([
    ['pragma foreign_keys = off', 'warning not-enforced'],
    ['pragma query_only = on', 'warning read-only'],
  ])('finds %j', async (statement, expected) => {
    const { examine } = await openTestDatabase('sqlite')
    expect(summarize(await examine(undefined, [statement]))).toEqual([expected])
  })

  test('finds a default that only the database has', async () => {
    const { exec, examine } = await openTestDatabase('sqlite')
    await exec(`alter table "user" add column "plan" text default 'free'`)
    expect(await examine()).toEqual([])
    const { usersTable } = defineTables({ columns: { users: { plan: text() } } })
    expect(summarize(await examine({ usersTable }))).toEqual(['warning ignored-default user.plan'])
    const { usersTable: declared } = defineTables({ columns: { users: { plan: text().default('free') } } })
    expect(await examine({ usersTable: declared })).toEqual([])
  })
})
