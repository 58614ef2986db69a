import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, test } from 'vitest'
import { defineTables as defineSqlite } from '../../../src/sqlite/tables.js'
import type { DialectName } from '../../support/dialects.js'
import type { TestDatabase } from './clinic.js'
import { openTestDatabase, summarize } from './clinic.js'

const [past, future] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)]

const user = (id: string, email = `${id}@example.com`) => `insert into "user" (id, email) values ('${id}', '${email}')`
const account = (id: string, more: Record<string, string> = {}) =>
  `insert into "account" ("userId", type, provider, "providerAccountId"${Object.keys(more)
    .map((name) => `, ${name}`)
    .join('')})
   values ('u', 'oauth', 'p', '${id}'${Object.values(more)
     .map((value) => `, '${value}'`)
     .join('')})`

/** Runs statements without foreign key checks, to insert rows of users who do not exist. */
const withoutForeignKeyChecks: Record<DialectName, (database: TestDatabase, statements: string[]) => Promise<void>> = {
  async pg({ exec }, statements) {
    await exec(['set session_replication_role = replica', ...statements, 'set session_replication_role = origin'].join(';'))
  },
  async mysql({ exec }, statements) {
    for (const statement of ['set foreign_key_checks = 0', ...statements, 'set foreign_key_checks = 1']) await exec(statement)
  },
  async sqlite({ exec }, statements) {
    for (const statement of ['pragma foreign_keys = off', ...statements, 'pragma foreign_keys = on']) await exec(statement)
  },
}

/** A statement that inserts the sessions s1.1, s1.2, …, all with the same expiry. */
const manySessions: Record<DialectName, (count: number, time: string) => string> = {
  pg: (count, time) => `insert into "session" select 's1.' || n, 'u', ${time} from generate_series(1, ${count}) n`,
  mysql: (count, time) =>
    `insert into "session" with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
     select concat('s1.', n), 'u', ${time} from numbers`,
  sqlite: (count, time) =>
    `insert into "session" with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
     select 's1.' || n, 'u', ${time} from numbers`,
}

describe.each(inject('dialects'))('the doctor on %s', (dialect) => {
  test('finds nothing in tables with valid rows', async () => {
    const { exec, examine, date } = await openTestDatabase(dialect)
    await exec(user('u'))
    await exec(account('4711', { access_token: 'e1.k.x', refresh_token: 'e1.k.y' }))
    await exec(account('4711.01'))
    await exec(`insert into "session" values ('s1.a', 'u', ${date(future)}), ('s2.b', 'u', ${date(future)})`)
    await exec(`insert into "verificationToken" values ('I', 'T', ${date(future)})`)
    expect(await examine()).toEqual([])
  })

  test('counts orphans', async () => {
    const database = await openTestDatabase(dialect)
    const { examine, exec, date } = database
    await withoutForeignKeyChecks[dialect](database, [
      `insert into "session" values ('s1.a', 'gone', ${date(future)}), ('s1.b', 'gone', ${date(future)})`,
      account('1'),
    ])
    const findings = await examine()
    expect(summarize(findings)).toEqual(['warning orphans account.userId', 'warning orphans session.userId'])
    expect(findings.map(({ message }) => message)).toEqual(['the user does not exist: 1 row', 'the user does not exist: 2 rows'])
    for (const { fix = '' } of findings) await exec(fix)
    expect(await examine()).toEqual([])
  })

  test('counts expired rows', async () => {
    const { exec, examine, date } = await openTestDatabase(dialect)
    await exec(user('u'))
    await exec(`insert into "session" values ('s1.a', 'u', ${date(past)}), ('s1.b', 'u', ${date(past)}), ('s1.c', 'u', ${date(future)})`)
    await exec(`insert into "verificationToken" values ('i', 't', ${date(past)})`)
    const findings = await examine()
    expect(summarize(findings)).toEqual(['warning expired session.expires', 'warning expired verificationToken.expires'])
    expect(findings[0]?.message).toBe('expired and not deleted: 2 rows')
  })

  test('counts addresses with capitals', async () => {
    const { exec, examine } = await openTestDatabase(dialect)
    for (const [id, email] of Object.entries({ a: 'Ada@example.com', b: 'b@Example.com', c: 'c@example.com' })) await exec(user(id, email))
    const findings = await examine()
    expect(summarize(findings)).toEqual(['warning capitals user.email'])
    expect(findings[0]?.message).toMatch(/^addresses with capitals.*: 2 rows$/)
    await exec(findings[0]?.fix ?? '')
    expect(await examine()).toEqual([])
  })

  test('counts ids that are stored as decimal numbers', async () => {
    const { exec, examine } = await openTestDatabase(dialect)
    for (const statement of [user('u'), account('4711.0'), account('4712'), account('v1.0')]) await exec(statement)
    const findings = await examine()
    expect(summarize(findings)).toEqual(['warning decimal-ids account.providerAccountId'])
    expect(findings[0]?.message).toMatch(/: 1 row$/)
  })

  test('counts plain-text secrets, and prints none of them', async () => {
    const { exec, examine, date } = await openTestDatabase(dialect)
    const secrets = { access_token: 'secret-access', refresh_token: 'secret-refresh', id_token: 'secret-id' }
    await exec(user('u', 'secret@example.com'))
    await exec(account('secret-account', secrets))
    await exec(`insert into "session" values ('secret-a', 'u', ${date(future)}), ('s1.b', 'u', ${date(future)})`)
    const findings = await examine()
    expect(summarize(findings)).toEqual([
      'warning plain-secrets session.sessionToken',
      'warning plain-secrets account.access_token',
      'warning plain-secrets account.refresh_token',
      'warning plain-secrets account.id_token',
    ])
    for (const { message, fix } of findings) {
      expect(message).toMatch(/^tokens in the clear.*: 1 row$/)
      expect(fix).toContain('docs/secrets.md')
    }
    expect(JSON.stringify(findings)).not.toContain('secret-')
  })

  test('reads a limited number of rows, and says so', async () => {
    const { exec, examine, date } = await openTestDatabase(dialect)
    await exec(user('u'))
    if (dialect === 'mysql') await exec('set max_recursive_iterations = 60000').catch(() => exec('set cte_max_recursion_depth = 60000'))
    await exec(manySessions[dialect](50_001, date(past)))
    const findings = await examine()
    expect(summarize(findings)).toEqual(['warning expired session.expires'])
    expect(findings[0]?.message).toBe('expired and not deleted: 50,000 of the 50,000 rows that were read')
  })
})

describe.runIf(inject('dialects').includes('sqlite'))('the doctor on sqlite', () => {
  test('finds rows that hold seconds', async () => {
    const { exec, examine } = await openTestDatabase('sqlite')
    await exec(user('u'))
    await exec(`insert into "session" values ('s1.a', 'u', unixepoch() + 3600)`)
    const findings = await examine()
    expect(summarize(findings)).toEqual(['error no-milliseconds session.expires', 'warning expired session.expires'])
    expect(findings[0]?.message).toMatch(/^dates stored in seconds, which your code reads as milliseconds.*: 1 row$/)
    await exec(findings[0]?.fix ?? '')
    expect(await examine()).toEqual([])
  })

  test('finds columns that the code reads as seconds', async () => {
    const { examine } = await openTestDatabase('sqlite')
    const sessionsTable = sqliteTable('session', {
      sessionToken: text().primaryKey(),
      userId: text().notNull(),
      expires: integer({ mode: 'timestamp' }).notNull(),
    })
    expect(summarize(await examine({ sessionsTable }))).toEqual(['error no-milliseconds session.expires'])
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
