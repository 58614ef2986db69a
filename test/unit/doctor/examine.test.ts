import Client from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text, withReplicas } from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Finding } from '../../../src/doctor/index.js'
import { examine } from '../../../src/doctor/index.js'
import { defineTables } from '../../../src/sqlite/tables.js'
import { migrationsOf } from '../../support/migrations.js'

const tables = defineTables()
const migrations = await migrationsOf('sqlite')

/** A database with the tables of the migrations, but for replacements in their statements. */
function open(...changes: [RegExp, string][]) {
  const client = new Client(':memory:')
  onTestFinished(() => void client.close())
  client.pragma('foreign_keys = on')
  for (const statement of migrations)
    client.exec(changes.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), statement.replaceAll('`', '"')))
  return client
}

const connect = (client: Client.Database) => drizzle({ client })

/** A connection that fails for the statements that match. */
function failing(client: Client.Database, ...failures: [RegExp, Error][]) {
  const prepare = client.prepare.bind(client)
  const prepareUnlessFailing = (statement: string) => {
    for (const [pattern, error] of failures) if (pattern.test(statement)) throw error
    return prepare(statement)
  }
  return connect(Object.assign(client, { prepare: prepareUnlessFailing }))
}

const problem = (message: string, more: object = {}) => Object.assign(new Error(message), more)
const summary = (findings: Finding[]) => findings.map(({ code, table, column }) => [code, table, column].filter(Boolean).join(' '))

const noIndex = (table: string): [RegExp, string] => [new RegExp(`CREATE INDEX "${table}_expires_idx".*`), 'select 1']
const noTokens: [RegExp, string][] = [[/CREATE TABLE "verificationToken"/, 'CREATE TABLE "tokens"'], noIndex('verificationToken')]

describe('examine', () => {
  test('finds nothing in new tables', async () => expect(await examine(connect(open()), tables)).toEqual([]))

  test('finds a table that is not in the database', async () => {
    const findings = await examine(connect(open(...noTokens)), tables)
    expect(findings).toEqual([
      {
        code: 'missing-table',
        severity: 'error',
        table: 'verificationToken',
        message: expect.any(String),
        fix: expect.stringContaining('migrations'),
      },
    ])
  })

  test('lists errors before warnings, and each in the order of the checks', async () => {
    const client = open(
      [/(CREATE TABLE "user" \()/, '$1 "tenant" integer NOT NULL,'],
      [/CREATE UNIQUE INDEX "user_email_unique".*/, 'select 1'],
      [/"credentialBackedUp" integer/, '"credentialBackedUp" text'],
      [/"sessionToken" text PRIMARY KEY/, '"sessionToken" text collate nocase PRIMARY KEY'],
      [/,\s*"scope" text/, ''],
      [/\s*"scope" text,/, ''],
      noIndex('verificationToken'),
      [/(CREATE TABLE "session".*)ON DELETE cascade/s, '$1ON DELETE restrict'],
    )
    client.pragma('foreign_keys = off')
    client.exec(`insert into user (id, tenant, email) values ('ada', 1, 'Ada@example.com')`)
    client.exec(`insert into session values ('plain', 'eva', 1800000000)`)
    client.exec(`insert into account (userId, type, provider, providerAccountId) values ('ada', 'oauth', 'p', '4711.0')`)
    const findings = await examine(connect(client), tables)
    expect(summary(findings)).toEqual([
      'missing-column account scope',
      'wrong-type authenticator credentialBackedUp',
      'required-column user tenant',
      'not-unique user email',
      'loose-collation session sessionToken',
      'no-milliseconds session expires',
      'missing-index verificationToken expires',
      'not-cascading session userId',
      'orphans session userId',
      'expired session expires',
      'capitals user email',
      'decimal-ids account providerAccountId',
      'plain-secrets session sessionToken',
      'not-enforced',
    ])
    expect(findings.map(({ severity }) => severity)).toEqual([...Array(6).fill('error'), ...Array(8).fill('warning')])
    expect(JSON.stringify(findings)).not.toMatch(/Ada@|plain"|4711\.0'/)
  })

  test('takes what else a schema file exports', async () => {
    const posts = sqliteTable('posts', { id: text() })
    const schema = { ...tables, posts, postsTable: posts, version: 1 }
    expect(await examine(connect(open()), schema)).toEqual([])
  })

  test('takes some of the tables', async () => {
    const { sessionsTable, usersTable, accountsTable, verificationTokensTable, authenticatorsTable } = tables
    const db = connect(open(...noTokens))
    expect(await examine(db, { sessionsTable, usersTable, accountsTable, authenticatorsTable })).toEqual([])
    expect(summary(await examine(db, { verificationTokensTable }))).toEqual(['missing-table verificationToken'])
    expect(await examine(db, {})).toEqual([])
  })

  test('rejects what is not a database or a table, in its own name', async () => {
    await expect(examine({} as never, {})).rejects.toThrow('examine: the first argument is not a Drizzle database')
    await expect(examine(connect(open()), { usersTable: {} } as never)).rejects.toThrow('examine: usersTable is not a Drizzle table')
  })
})

describe('what cannot be read', () => {
  test('is one finding for a table and a reason, and the rest is examined', async () => {
    const client = open()
    client.exec(`insert into user (id, email) values ('ada', 'Ada@example.com')`)
    client.exec(`insert into session values ('plain', 'ada', 1)`)
    const db = failing(client, [/"expires" as k0 from "session"/, problem("malformed value 'ada'", { code: 'SQLITE_CORRUPT' })])
    const findings = await examine(db, tables)
    expect(summary(findings)).toEqual(['capitals user email', 'plain-secrets session sessionToken', 'hidden session'])
    expect(findings[2]).toMatchObject({ severity: 'warning', message: expect.stringMatching(/^expired rows, dates in seconds cannot be /) })
    expect(findings[2]?.message).not.toMatch(/ada|examine: /)
  })

  test('is one finding for each reason', async () => {
    const db = failing(
      open(),
      [/like 's1/, problem('denied', { code: 'SQLITE_AUTH' })],
      [/from "session"[^)]*\) as auth_rows/, problem('no such column: x')],
    )
    const findings = await examine(db, tables)
    expect(summary(findings)).toEqual(['hidden session', 'hidden session'])
    expect(findings[0]?.message).toMatch(/^rows of users who do not exist, expired rows, dates in seconds cannot/)
    expect(findings[1]?.message).toMatch(/^tokens in the clear cannot/)
  })

  test('may be the columns of a table', async () => {
    const client = open(...noTokens)
    client.exec('create view "verificationToken" as select * from dropped')
    const findings = await examine(connect(client), tables)
    expect(summary(findings)).toEqual(['hidden verificationToken'])
    const reason = 'the table or a column is not in the database; run your migrations'
    expect(findings[0]?.message).toBe(`the columns cannot be examined here: ${reason} [SQLITE_ERROR]`)
  })

  test('may be the same of several tables', async () => {
    const findings = await examine(failing(open(), [/sqlite_master/, problem('not authorized', { code: 'SQLITE_AUTH' })]), tables)
    expect(findings.map(({ code, table, message }) => [code, table, message.split(' cannot')[0]])).toEqual(
      ['user', 'account', 'session', 'verificationToken', 'authenticator'].map((table) => ['hidden', table, 'the columns']),
    )
  })

  test('may be a question about the connection, which is about no table', async () => {
    const db = failing(open(), [/pragma_(foreign_keys|query_only)/, problem('not authorized', { code: 'SQLITE_AUTH' })])
    const [finding, ...others] = await examine(db, tables)
    expect(others).toEqual([])
    expect(Object.keys(finding ?? {}).sort()).toEqual(['code', 'message', 'severity'])
    expect(finding?.message).toMatch(/foreign keys are enforced .*, whether the connection takes writes cannot be examined here: /)
  })

  test.each([
    ['unreachable', problem('connect ECONNREFUSED', { code: 'ECONNREFUSED' })],
    ['timeout', problem('connect ETIMEDOUT', { code: 'ETIMEDOUT' })],
  ])('is an error if the database is %s', async (kind, error) => {
    for (const pattern of [/sqlite_master/, /auth_rows/, /pragma_query_only/])
      await expect(examine(failing(open(), [pattern, error]), tables)).rejects.toMatchObject({ kind, operation: 'examine' })
  })

  test('is an error if the connection is closed', async () => {
    const client = open()
    client.close()
    await expect(examine(connect(client), tables)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

test('the primary is examined, and not a replica', async () => {
  const replica = connect(open(...noTokens))
  expect(await examine(withReplicas(connect(open()), [replica]), tables)).toEqual([])
  expect(summary(await examine(withReplicas(replica, [connect(open())]), tables))).toEqual(['missing-table verificationToken'])
})
