import { datetime } from 'drizzle-orm/mysql-core'
import { timestamp } from 'drizzle-orm/pg-core'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, test } from 'vitest'
import { defineTables as defineMysql } from '../../../../src/mysql/tables.js'
import { defineTables as definePg } from '../../../../src/pg/tables.js'
import { defineTables as defineSqlite } from '../../../../src/sqlite/tables.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { counts, openTestDatabase, summarize } from '../../support/doctor/database.js'

/** The default tables, whose users have the date of their sign-up. */
const tablesWithDate: Record<DialectName, Record<string, unknown>> = {
  pg: definePg({ columns: { users: { createdAt: timestamp({ precision: 3 }) } } }),
  mysql: defineMysql({ columns: { users: { createdAt: datetime({ fsp: 3 }) } } }),
  sqlite: defineSqlite({ columns: { users: { createdAt: integer({ mode: 'timestamp_ms' }) } } }),
}

const future = new Date(Date.now() + 3_600_000)

test.each(inject('dialects'))('the doctor on %s counts tokens in plain text', async (dialect) => {
  const { exec, examine, date } = await openTestDatabase(dialect)
  await exec(`insert into "user" (id, email) values ('u', 'u@example.com')`)
  await exec(`insert into "account" ("userId", type, provider, "providerAccountId", access_token, refresh_token) values
    ('u', 'oauth', 'p', '1', 'plain', 'e1.k.${'y'.repeat(38)}'), ('u', 'oauth', 'p', '2', null, 'e1.plain')`)
  await exec(`insert into "session" values ('plain', 'u', ${date(future)}), ('s1.b', 'u', ${date(future)}), ('s2.c', 'u', ${date(future)})`)
  expect(counts(await examine())).toEqual([
    'plain-secrets session.sessionToken: 1 row',
    'plain-secrets account.access_token: 1 row',
    'plain-secrets account.refresh_token: 1 row',
  ])
})

const triggers: Record<DialectName, string[]> = {
  pg: [
    `create function nothing() returns trigger language plpgsql as 'begin return null; end'`,
    'create trigger keeps before delete on "session" for each row execute function nothing()',
  ],
  mysql: ['create trigger keeps before delete on "session" for each row set @deleted = 1'],
  sqlite: [`create trigger keeps before delete on "session" begin select raise(ignore); end`],
}

test.each(inject('dialects'))('the doctor on %s finds triggers, views and foreign keys with SET NULL', async (dialect) => {
  const { exec, examine, role } = await openTestDatabase(dialect)
  for (const statement of triggers[dialect]) await exec(statement)
  // MySQL shows triggers only to roles with this privilege.
  if (dialect === 'mysql') await exec(`grant trigger on session to ${role}`)
  await exec('create table "device" ("id" varchar(36) primary key)')
  if (dialect === 'sqlite')
    await exec('alter table "account" add column "device" varchar(36) references "device" ("id") on delete set null')
  else {
    await exec('alter table "account" add column "device" varchar(36)')
    await exec('alter table "account" add constraint of_device foreign key ("device") references "device" ("id") on delete set null')
  }
  await exec('alter table "verificationToken" rename to "tokens"')
  await exec('create view "verificationToken" as select * from "tokens"')
  const found = (await examine()).filter(({ code }) => code === 'changes-rows')
  expect(found.map(({ table, message }) => `${table}: ${message.split(': by ')[1]}`)).toEqual([
    'account: the foreign key of device, when a row of device is deleted',
    'session: the trigger keeps',
    'verificationToken: a view, which this table is',
  ])
})

test.each(inject('dialects'))('the doctor on %s counts half-finished sign-ups', async (dialect) => {
  const { exec, examine, date } = await openTestDatabase(dialect)
  const columns = { pg: 'timestamp(3)', mysql: 'datetime(3)', sqlite: 'integer' }
  await exec(`alter table "user" add column "createdAt" ${columns[dialect]}`)
  const [now, old] = [new Date(), new Date(Date.now() - 2 * 86_400_000)]
  const users = { new: now, stuck: old, linked: old, signedIn: old, passkey: old }
  for (const [id, createdAt] of Object.entries(users))
    await exec(`insert into "user" (id, email, "createdAt") values ('${id}', '${id.toLowerCase()}@example.com', ${date(createdAt)})`)
  await exec(
    `insert into "user" (id, email, "emailVerified", "createdAt") values ('verified', 'v@example.com', ${date(old)}, ${date(old)})`,
  )
  await exec(`insert into "account" ("userId", type, provider, "providerAccountId") values ('linked', 'oauth', 'p', '1')`)
  await exec(`insert into "session" values ('s1.a', 'signedIn', ${date(future)})`)
  await exec(`insert into "authenticator" ("credentialID", "userId", "providerAccountId", "credentialPublicKey", counter, "credentialDeviceType", "credentialBackedUp")
    values ('c', 'passkey', 'c', 'k', 0, 'singleDevice', ${dialect === 'sqlite' ? 0 : false})`)
  const found = async (tables: object) => counts((await examine(tables)).filter(({ code }) => code === 'no-account'))
  expect(await found(tablesWithDate[dialect])).toEqual(['no-account user.id: 1 row'])
  // Without the tables of accounts, all would be found.
  const { accountsTable: _, ...rest } = tablesWithDate[dialect]
  expect(await found(rest)).toEqual([])
})

describe.runIf(inject('dialects').includes('sqlite'))('the doctor on sqlite', () => {
  test('reads a limited number of rows, and says so', async () => {
    const { exec, examine, date } = await openTestDatabase('sqlite')
    await exec(`insert into "user" (id, email) values ('u', 'u@example.com')`)
    await exec(`insert into "session" with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 60000)
      select 'plain' || n, 'u', ${date(future)} from numbers`)
    expect(counts(await examine())).toEqual(['plain-secrets session.sessionToken: 50,000 of the 50,000 rows that were read'])
  })

  test('finds integer ids that SQLite would reuse', async () => {
    const own = (autoIncrement: boolean) =>
      sqliteTable('user', {
        id: integer().primaryKey({ autoIncrement }),
        email: text().notNull().unique(),
        emailVerified: integer({ mode: 'timestamp_ms' }),
      })
    const changes = (more: string): [RegExp, string][] => [
      [/(CREATE TABLE "user".*)"id" text PRIMARY KEY NOT NULL/s, `$1"id" integer PRIMARY KEY ${more} NOT NULL`],
      [/"userId" text/, '"userId" integer'],
    ]
    const reusing = await openTestDatabase('sqlite', { changes: changes('') })
    expect(summarize(await reusing.examine(defineSqlite({ usersTable: own(false) })))).toEqual(['warning reused-ids user.id'])
    const counting = await openTestDatabase('sqlite', { changes: changes('AUTOINCREMENT') })
    expect(await counting.examine(defineSqlite({ usersTable: own(true) }))).toEqual([])
  })
})
