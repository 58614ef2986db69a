import * as my from 'drizzle-orm/mysql-core'
import { describe, expect, inject, test } from 'vitest'
import type { Finding } from '../../../src/doctor/index.js'
import { openTestDatabase, summarize } from '../../support/doctor/database.js'

const on = (dialect: 'pg' | 'mysql' | 'sqlite') => describe.runIf(inject('dialects').includes(dialect))

on('pg')('the doctor on pg', () => {
  test('finds settings of the role or the connection', async () => {
    const { examine } = await openTestDatabase('pg')
    const found = async (statement: string) => summarize(await examine(undefined, [statement]))
    expect(await found(`set datestyle = 'SQL, DMY'`)).toEqual(['warning date-style'])
    expect(await found(`set client_encoding to 'LATIN1'`)).toEqual(['error character-set'])
  })

  test('finds a database that is not in UTF-8', async () => {
    const latin = await openTestDatabase('pg', { settings: `encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'` })
    expect(summarize(await latin.examine())).toEqual(['error character-set'])
  })

  test('finds row level security that hides rows, or rejects some', async () => {
    const { exec, examine, role } = await openTestDatabase('pg')
    const found = async () => (await examine()).map(({ code, table, message }) => `${code} ${table} by ${message.split(': by ')[1]}`)
    const limited = ['changes-rows session by row level security, because its policies do not let this role read and write every row']
    await exec('alter table "session" enable row level security')
    expect(await found()).toEqual(limited)
    await exec(`create policy for_others on "session" to pg_monitor using (true)`)
    for (const command of ['select', 'delete']) await exec(`create policy ${command}s on "session" for ${command} to ${role} using (true)`)
    await exec(`create policy inserts on "session" for insert to ${role} with check (true)`)
    expect(await found()).toEqual(limited)
    await exec(`create policy updates on "session" for update to ${role} using (true) with check (true)`)
    expect(await found()).toEqual([])
    await exec(`alter policy updates on "session" using (expires > now())`)
    expect(await found()).toEqual(limited)
    await exec('drop policy updates on "session"')
    await exec(`create policy everything on "session" to ${role} using (true)`)
    expect(await found()).toEqual([])
    await exec(`create policy fewer on "session" as restrictive to ${role} using (expires > now())`)
    expect(await found()).toEqual(limited)
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

  test('says what it could not examine because the role lacks a privilege', async () => {
    const { exec, examine, role } = await openTestDatabase('pg')
    await exec(`insert into "user" (id, email) values ('u', 'u@example.com')`)
    await exec(`insert into "account" ("userId", type, provider, "providerAccountId", id_token) values ('u', 'oauth', 'p', '1', 'plain')`)
    await exec(`revoke select on "session" from ${role}`)
    const findings = await examine()
    expect(summarize(findings)).toEqual(['warning plain-secrets account.id_token', 'warning hidden session'])
    expect(findings[1]?.message).toMatch(
      /^could not check rows of users who do not exist, plain-text tokens: the database user lacks the permission/,
    )
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
  })

  test('finds a database in latin1 once, as an error, and its statements change the character set and nothing else', async () => {
    const { exec, examine } = await openTestDatabase('mysql', {
      settings: 'character set latin1',
      migrations: [
        `create table "user" ("id" varchar(36) collate latin1_bin primary key, "name" text, "email" varchar(190) not null, "emailVerified" datetime(3), "image" text, "role" varchar(20) not null default 'member', unique ("email"))`,
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
    expect(fix).toMatch(/^ALTER DATABASE `\w+` CHARACTER SET utf8mb4; /)
    for (const statement of fix.split(/(?<=;) /)) await exec(statement)
    expect(await found()).toEqual([])
    for (const id of ['a', 'A']) await exec(`insert into "user" ("id", "name", "email") values ('${id}', '\u{1F600}', '${id === 'a'}')`)
  })
})

on('sqlite')('the doctor on sqlite', () => {
  test('finds foreign keys that are not enforced on the connection', async () => {
    const { examine } = await openTestDatabase('sqlite')
    expect(summarize(await examine(undefined, ['pragma foreign_keys = off']))).toEqual(['warning not-enforced'])
  })
})
