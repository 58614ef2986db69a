import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { pgSchema } from 'drizzle-orm/pg-core'
import { integer, sqliteTable, text, withReplicas } from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, test } from 'vitest'
import { defineTables as defineMysql } from '../../../../src/mysql/tables.js'
import { defineTables as definePg } from '../../../../src/pg/tables.js'
import { defineTables as defineSqlite } from '../../../../src/sqlite/tables.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { examine } from '../../../src/doctor/index.js'
import { openTestDatabase, summarize } from '../../support/doctor/database.js'

const define = { pg: definePg, mysql: defineMysql, sqlite: defineSqlite } as Record<
  DialectName,
  (options: object) => Record<string, unknown>
>

/** Replacements that turn the quoted names of the default tables into snake_case. */
const snakeCase: [RegExp, string][] = [
  ...['userId', 'providerAccountId', 'emailVerified', 'sessionToken', 'credentialPublicKey', 'credentialDeviceType', 'credentialBackedUp'],
  'verificationToken',
].map((name) => [new RegExp(`"${name}"`, 'g'), `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`])

describe.each(inject('dialects'))('the doctor on %s', (dialect) => {
  test('finds nothing in default tables with valid rows', async () => {
    const { exec, examine, date } = await openTestDatabase(dialect)
    const future = date(new Date(Date.now() + 3_600_000))
    await exec(`insert into "user" (id, email) values ('u', 'u@example.com')`)
    await exec(`insert into "account" ("userId", type, provider, "providerAccountId", access_token, refresh_token)
      values ('u', 'oauth', 'p', '4711', 'e1.k.${'x'.repeat(38)}', 'e1.k.${'y'.repeat(38)}'), ('u', 'oauth', 'p', '4711.01', null, null)`)
    await exec(`insert into "session" values ('s1.a', 'u', ${future}), ('s2.b', 'u', ${future})`)
    await exec(`insert into "verificationToken" values ('I', 'T', ${future})`)
    expect(await examine()).toEqual([])
  })

  test('finds nothing in tables in snake_case, and names their columns as the database does', async () => {
    const { exec, examine } = await openTestDatabase(dialect, { changes: [...snakeCase, [/"credentialID"/g, '"credential_id"']] })
    const tables = define[dialect]({ casing: 'snake_case' })
    expect(await examine(tables)).toEqual([])
    await exec('alter table "authenticator" drop column "credential_backed_up"')
    expect(summarize(await examine(tables))).toEqual(['error missing-column authenticator.credential_backed_up'])
  })

  test('examines only the tables that it is given', async () => {
    const { exec, examine } = await openTestDatabase(dialect)
    await exec('drop table "account"')
    const { accountsTable, ...others } = define[dialect]({})
    expect(await examine({ ...others, posts: {} })).toEqual([])
    expect(summarize(await examine({ accountsTable }))).toEqual(['error missing-table account'])
  })
})

describe.runIf(inject('dialects').includes('pg'))('the doctor on pg', () => {
  test('finds tables in a schema', async () => {
    const { exec, examine, role } = await openTestDatabase('pg')
    await exec('create schema auth')
    await exec(`grant usage on schema auth to ${role}`)
    for (const table of ['user', 'account', 'session', 'verificationToken', 'authenticator'])
      await exec(`alter table "${table}" set schema auth`)
    const tables = definePg({ table: pgSchema('auth').table as never })
    expect(await examine(tables)).toEqual([])
    expect(summarize(await examine())).toHaveLength(5)
    await exec(`drop index auth.session_expires_idx`)
    const [finding] = await examine(tables)
    expect(finding?.fix).toBe('CREATE INDEX "session_expires_idx" ON "auth"."session" ("expires");')
  })

  test('accepts a unique key on lower(email) instead of email', async () => {
    const { exec, examine } = await openTestDatabase('pg')
    await exec('alter table "user" drop constraint user_email_unique')
    await exec('create unique index on "user" (lower(email))')
    expect(await examine()).toEqual([])
    await exec('drop index user_lower_idx')
    await exec(`create unique index on "user" (email) where email <> ''`)
    expect(summarize(await examine())).toEqual(['error not-unique user.email'])
  })
})

describe.runIf(inject('dialects').includes('sqlite'))('the doctor on sqlite', () => {
  test('rejects arguments that are not tables or a database', async () => {
    const database = await openTestDatabase('sqlite')
    await expect(database.examine({ sessionsTable: {} })).rejects.toThrow('examine: sessionsTable is not a Drizzle table')
    await expect(examine({} as never, {})).rejects.toThrow('examine: the first argument is not a Drizzle database')
  })

  test('rejects if the database cannot be reached', async () => {
    const client = new Database(':memory:')
    client.close()
    await expect(examine(drizzle({ client }), defineSqlite())).rejects.toMatchObject({ kind: 'unreachable', operation: 'examine' })
  })

  test('examines the primary, not a replica', async () => {
    const primary = await openTestDatabase('sqlite')
    const empty = drizzle(':memory:')
    expect(await examine(withReplicas(drizzle(primary.url), [empty]), defineSqlite())).toEqual([])
  })

  // In Drizzle 1.0, the tables define their casing.
  test.skipIf(process.env.DRIZZLE === '1.0')('uses the casing of the database', async () => {
    const { url } = await openTestDatabase('sqlite', { changes: snakeCase })
    const sessionsTable = sqliteTable('session', {
      sessionToken: text().primaryKey(),
      userId: text().notNull(),
      expires: integer({ mode: 'timestamp_ms' }).notNull(),
    })
    expect(await examine(drizzle(url, { casing: 'snake_case' }), { sessionsTable })).toEqual([])
  })
})
