import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import { pgSchema } from 'drizzle-orm/pg-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { Source } from '../../../src/cli/moving/plan.js'
import { planMove } from '../../../src/cli/moving/plan.js'
import { scriptOf } from '../../../src/cli/moving/script.js'
import { examine } from '../../../src/doctor/index.js'
import { defineTables as defineMysql } from '../../../src/mysql/tables.js'
import { defineTables as definePg } from '../../../src/pg/tables.js'
import { defineTables as defineSqlite } from '../../../src/sqlite/tables.js'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { statementsOf } from '../../support/migrations.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchemaFile from '../../support/schema/pg.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'
import { startMysql } from '../../support/servers/mysql.js'
import { kyselyTables } from './others/kysely.js'
import { prismaTables } from './others/prisma.js'
import { addAppTables } from './own.js'

/** Tests the plan for databases whose tables differ from the documented ones. */

const schemas = { sqlite: sqliteSchema, pg: pgSchemaFile, mysql: mysqlSchema }
const inUtf8: Record<DialectName, string[]> = { pg: [], mysql: ['alter database character set utf8mb4'], sqlite: [] }
const on = (dialect: DialectName) => describe.runIf(inject('dialects').includes(dialect))

async function open(dialect: DialectName, statements: string[], tables: object = schemas[dialect]) {
  const quoted = (statement: string) => (dialect === 'mysql' ? statement.replaceAll('"', '`') : statement)
  const database = await openDatabase(dialect, { migrations: [...inUtf8[dialect], ...statements.map(quoted)], connections: 1 })
  onTestFinished(database.close)
  const plan = (source: Source = 'prisma') => planMove(database.db as never, dialect, tables as never, source)
  return {
    exec: (statement: string) => database.exec(quoted(statement)),
    run: (statement: string) => database.run(quoted(statement)),
    db: database.db,
    plan,
    /** Runs the plan as it is printed. */
    async move(source?: Source) {
      const script = scriptOf(await plan(source), dialect, '')
      for (const statement of statementsOf(script)) await database.exec(statement)
      expect((await plan(source)).steps).toEqual([])
    },
  }
}

const codes = ({ notices }: { notices: { severity: string; code: string; table?: string; column?: string }[] }, severity = 'error') =>
  notices.filter((notice) => notice.severity === severity).map(({ code, table, column }) => [code, table, column].filter(Boolean).join(' '))

const later = { pg: `'2040-01-01 00:00:00.123'`, mysql: `'2040-01-01 00:00:00.123'`, sqlite: `'2040-01-01T00:00:00.123Z'` }
const rows = (dialect: DialectName, user: string, session: string) => [
  `insert into ${user} ("id", "email", "updatedAt") values ('u', 'u@example.com', ${later[dialect]})`,
  `insert into ${session} ("sessionToken", "userId", "expires", "updatedAt") values ('s', 'u', ${later[dialect]}, ${later[dialect]})`,
]
const session = { sessionToken: 's', userId: 'u', expires: new Date('2040-01-01T00:00:00.123Z') }

/** Tables without composite keys and foreign keys. */
function bareTables(dialect: DialectName): string[] {
  const date = { pg: 'timestamp', mysql: 'datetime', sqlite: 'integer' }[dialect]
  const tables = {
    user: 'id KEY primary key, name text, email KEY unique, "emailVerified" DATE, image text',
    account: `"userId" KEY not null, type text not null, provider KEY not null, "providerAccountId" KEY not null, refresh_token text, access_token text,
      expires_at integer, token_type text, scope text, id_token text, session_state text`,
    session: '"sessionToken" KEY primary key, "userId" KEY not null, expires DATE not null',
    verificationToken: 'identifier KEY not null, token KEY not null, expires DATE not null',
  }
  return Object.entries(tables).map(([name, columns]) => {
    const typed = columns.replaceAll('KEY', dialect === 'mysql' ? 'varchar(191)' : 'text').replaceAll('DATE', date)
    return `create table "${name}" (${typed})`
  })
}

describe.each(inject('dialects'))('the plan on %s', (dialect) => {
  const quoted = prismaTables[dialect].map((statement) => statement.replaceAll('`', '"'))

  test('renames tables and columns: in a separate schema, with a prefix and in snake_case', async () => {
    const prefix = dialect === 'pg' ? '"auth"."the_' : '"the_'
    const names = /"(User|Account|Session|VerificationToken|Authenticator)"/g
    const statements = quoted.map((statement) => statement.replaceAll(names, (_, name) => `${prefix}${name}"`))
    const tables = {
      pg: () =>
        definePg({
          table: ((name: string, ...rest: [never]) => pgSchema('auth').table(`the_${name}`, ...rest)) as never,
          casing: 'snake_case',
        }),
      mysql: () =>
        defineMysql({ table: ((name: string, ...rest: [never]) => mysqlTable(`the_${name}`, ...rest)) as never, casing: 'snake_case' }),
      sqlite: () =>
        defineSqlite({ table: ((name: string, ...rest: [never]) => sqliteTable(`the_${name}`, ...rest)) as never, casing: 'snake_case' }),
    }[dialect]()
    const schema = dialect === 'pg' ? ['create schema "auth"'] : []
    const { exec, move, db } = await open(dialect, [...schema, ...statements], tables)
    for (const statement of rows(dialect, `${prefix}User"`, `${prefix}Session"`)) await exec(statement)
    await move()
    const adapter = DrizzleAdapter(db as never, tables as never)
    expect(await adapter.getSessionAndUser('s')).toMatchObject({ session, user: { id: 'u', email: 'u@example.com' } })
  })

  test('finds tables with plural names, and renames them while other tables reference them', async () => {
    const plurals = { User: 'users', Account: 'accounts', Session: 'sessions', VerificationToken: 'verification_tokens' }
    const statements = kyselyTables[dialect].map((statement) =>
      statement.replaceAll(
        /(["`])(User|Account|Session|VerificationToken)\1/g,
        (_, quote, name) => quote + plurals[name as 'User'] + quote,
      ),
    )
    const store = await open(dialect, statements)
    const id = crypto.randomUUID()
    await store.exec(`insert into "users" ("id", "name", "email") values ('${id}', 'Ada', 'a@example.com')`)
    await store.exec(`insert into "sessions" ("sessionToken", "userId", "expires") values ('s', '${id}', '2030-01-01 00:00:00')`)
    const ids = { pg: 'uuid', mysql: 'varchar(36)', sqlite: 'text' }
    const appTables = await addAppTables(dialect, store, '"users"', ids[dialect])
    const before = await appTables.rows()
    await store.move('kysely')
    expect(await appTables.rows()).toEqual(before)
    const adapter = DrizzleAdapter(store.db as never, schemas[dialect] as never)
    expect(await adapter.getSessionAndUser('s')).toMatchObject({ user: { id }, session: { userId: id } })
    // The actions of the app's foreign keys are kept: one restricts, the others cascade.
    await expect(store.exec(`delete from "user"`)).rejects.toThrow(/foreign key/i)
    if (dialect === 'sqlite') {
      await store.exec(`update "user" set "plan" = 'paid'`)
      expect(await store.run('select bio from profile')).toEqual([{ bio: 'changed' }])
      expect(await store.run('select email from "all users"')).toEqual([{ email: 'a@example.com' }])
    }
    await store.exec(`delete from ${dialect === 'mysql' ? '"My Posts"' : '"My ""Posts"""'}`)
    await store.exec(`delete from "user"`)
    expect(await appTables.rows()).toEqual([[], [], []])
  })

  test('replaces a primary key that the adapter does not fill, and keeps references to it', async () => {
    const type = dialect === 'mysql' ? 'varchar(40) collate utf8mb4_unicode_ci' : 'text'
    const statements = quoted.map((statement) =>
      /table "Session" \(/i.test(statement)
        ? statement.replace(/\("sessionToken"|\(sessionToken/, `("id" ${type} not null primary key, $&`.replace('$&', '"sessionToken"'))
        : statement,
    )
    const { exec, move, run, db } = await open(dialect, [
      ...statements,
      `create table "Device" ("session" ${type} not null, constraint "of session" foreign key ("session") references "Session" ("id") on delete cascade)`,
    ])
    const [user = '', inserted = ''] = rows(dialect, '"User"', '"Session"')
    await exec(user)
    await exec(inserted.replace('("sessionToken"', '("id", "sessionToken"').replace("('s'", "('first', 's'"))
    await exec(`insert into "Device" values ('first')`)
    await move()
    const adapter = DrizzleAdapter(db as never, schemas[dialect] as never)
    expect(await adapter.getSessionAndUser('s')).toMatchObject({ session })
    const other = { ...session, sessionToken: 'other' }
    expect(await adapter.createSession(other)).toEqual(other)
    await adapter.deleteSession('s')
    expect(await run('select * from "Device"')).toEqual([])
  })

  test('counts duplicates and orphaned rows, and has no statements until they are removed', async () => {
    const { exec, plan, move, run } = await open(dialect, bareTables(dialect))
    const date = dialect === 'sqlite' ? '1' : later[dialect]
    const token = `insert into "verificationToken" values ('i', 't', ${date})`
    for (const statement of [`insert into "user" (id, email) values ('u', 'u@example.com')`, token, token, token]) await exec(statement)
    await exec(`insert into "session" values ('s', 'u', ${date}), ('lost', 'gone', ${date})`)
    const before = await plan('official')
    expect(codes(before)).toEqual(['orphans session userId', 'duplicates verificationToken identifier, token'])
    expect(before.notices.find(({ code }) => code === 'duplicates')?.message).toMatch(/: 2 rows$/)
    const script = scriptOf(before, dialect, '')
    expect(script).toContain('Fix the 2 errors above first')
    expect(script.split('\n').filter((line) => line && !line.startsWith('--'))).toEqual([])
    await exec(before.notices.find(({ code }) => code === 'orphans')?.fix ?? '')
    await exec(`delete from "verificationToken"`)
    await move('official')
    expect(await run(`select * from "session"`)).toHaveLength(1)
  })
})

on('pg')('the plan on pg', () => {
  test('names the views and policies that prevent the change of a column', async () => {
    const { exec, plan, move } = await open('pg', prismaTables.pg)
    await exec('alter table "Account" enable row level security')
    await exec('create policy "mine" on "Account" using (expires_at > 0)')
    await exec('create view "tokens, all" as select expires_at from "Account"')
    const before = await plan()
    expect(codes(before)).toEqual(['in-use Account expires_at'])
    expect(before.notices[0]?.message).toMatch(
      /policy mine on table "Account".*rule _RETURN on view "tokens, all"|rule _RETURN on view "tokens, all".*policy mine/,
    )
    await exec('drop view "tokens, all"')
    await exec('drop policy "mine" on "Account"')
    await move()
  })

  test('does not guess which of two tables has the rows', async () => {
    const { exec, plan } = await open('pg', prismaTables.pg)
    await exec('create table "session" (id integer)')
    const before = await plan()
    expect(codes(before)).toEqual(['two-tables session'])
    expect(before.steps).toEqual([])
  })

  test('reports missing tables', async () => {
    const { plan } = await open('pg', [])
    expect(codes(await plan('official'))).toEqual(['missing-table user', 'missing-table account', 'missing-table session'])
  })
})

on('mysql')('the plan on mysql', () => {
  test('keeps foreign keys with several columns, to any of the tables', async () => {
    const { exec, move, run } = await open('mysql', [
      ...prismaTables.mysql,
      `create table linked (id int auto_increment primary key, p varchar(191) collate utf8mb4_unicode_ci, a varchar(191) collate utf8mb4_unicode_ci default 'a''b',
        constraint both_of_them foreign key (p, a) references "Account" (provider, providerAccountId) on update cascade)`,
    ])
    for (const statement of rows('mysql', '"User"', '"Session"')) await exec(statement)
    await exec(`insert into "Account" (userId, type, provider, providerAccountId, updatedAt) values ('u', 'oauth', 'p', 'a''b', now())`)
    await exec(`insert into linked (p) values ('p')`)
    await move()
    await exec(`update account set providerAccountId = 'new'`)
    expect(await run(`select convert(a using utf8mb4) as a from linked`)).toEqual([{ a: 'new' }])
    await expect(exec(`insert into linked (p) values ('p')`)).rejects.toThrow(/foreign key/)
  })

  test('counts values that do not fit', async () => {
    const statements = prismaTables.mysql.map((statement) =>
      statement
        .replace('identifier varchar(191)', 'identifier varchar(700)')
        .replace('primary key (identifier, token)', 'primary key (token)'),
    )
    const { exec, plan } = await open('mysql', statements)
    await exec(`insert into "VerificationToken" values (repeat('\u{1F600}', 300), 't', now())`)
    expect(codes(await plan())).toEqual(['too-long VerificationToken identifier'])
  })
})

on('mysql')('the plan on a MySQL server that ignores the case of tables', () => {
  test('gives no table another name, and loses no foreign key', async () => {
    const server = await startMysql(() => {}, undefined, ['--lower-case-table-names=1'])
    if (!server) throw new Error('no server')
    onTestFinished(server.stop)
    const client = mysql.createPool({ uri: server.url, connectionLimit: 1 })
    onTestFinished(() => client.end())
    const exec = (statement: string) => client.query(statement.replaceAll('"', '`'))
    for (const statement of ['create database app character set utf8mb4', 'use app', ...prismaTables.mysql]) await exec(statement)
    for (const statement of rows('mysql', '"User"', '"Session"')) await exec(statement)
    await exec(
      'create table Post (Author varchar(191) collate utf8mb4_unicode_ci, constraint Of_Author foreign key (Author) references User (id))',
    )
    const db = drizzle({ client })
    const plan = () => planMove(db as never, 'mysql', mysqlSchema as never, 'prisma')
    for (const statement of statementsOf(scriptOf(await plan(), 'mysql', ''))) await client.query(statement)
    expect((await plan()).steps).toEqual([])
    const [keys] = await client.query(
      'select lower(table_name) as t from information_schema.referential_constraints where constraint_schema = database() order by 1',
    )
    expect((keys as { t: string }[]).map(({ t }) => t)).toEqual(['account', 'authenticator', 'post', 'session'])
    expect(await DrizzleAdapter(db as never, mysqlSchema).getSessionAndUser('s')).toMatchObject({ session })
    expect((await examine(db as never, mysqlSchema)).filter(({ severity }) => severity === 'error')).toEqual([])
  })
})

on('sqlite')('the plan on sqlite', () => {
  test('corrects account ids that were stored as numbers', async () => {
    const { exec, move, db } = await open('sqlite', prismaTables.sqlite)
    for (const statement of rows('sqlite', '"User"', '"Session"')) await exec(statement)
    await exec(
      `insert into "Account" ("userId", "type", "provider", "providerAccountId", "updatedAt") values ('u', 'oauth', 'strava', 4711.0, '')`,
    )
    await move()
    const adapter = DrizzleAdapter(db as never, sqliteSchema as never)
    expect(await adapter.getUserByAccount({ provider: 'strava', providerAccountId: '4711' })).toMatchObject({ id: 'u' })
  })
})
