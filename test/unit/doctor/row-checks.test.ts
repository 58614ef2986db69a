import Client from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import * as checks from '../../../src/doctor/checks/rows.js'
import type { Finding } from '../../../src/doctor/finding.js'
import { rowsIn } from '../../../src/doctor/rows.js'
import { sqlite } from '../../../src/doctor/sqlite.js'
import type { Check, Subject } from '../../../src/doctor/subject.js'
import { describeTable, givenTables } from '../../../src/doctor/subject.js'
import type { Database } from '../../../src/query/drizzle.js'
import { defineTables } from '../../../src/sqlite/tables.js'

const all = defineTables()
const columns: Record<string, string> = {
  user: 'id text primary key, email text',
  account: 'userId text, providerAccountId text, access_token text, refresh_token text, id_token text',
  session: 'sessionToken text, userId text, expires integer',
  verificationToken: 'identifier text, token text, expires integer',
  authenticator: 'userId text, providerAccountId text, credentialID text',
}

interface Data {
  /** The rows of each table, as SQL. */
  rows?: Record<string, string[]>
  /** The columns of tables, where they are not the usual ones. */
  columns?: Record<string, string>
  /** Further statements. */
  statements?: string[]
  tables?: object
}

async function open(data: Data) {
  const client = new Client(':memory:')
  onTestFinished(() => void client.close())
  for (const [name, list] of Object.entries({ ...columns, ...data.columns })) client.exec(`create table "${name}" (${list})`)
  for (const [name, rows] of Object.entries(data.rows ?? {})) for (const row of rows) client.exec(`insert into "${name}" values (${row})`)
  for (const statement of data.statements ?? []) client.exec(statement)
  const db = drizzle({ client }) as unknown as Database
  const tables: Subject['tables'] = []
  for (const given of givenTables((data.tables ?? all) as never)) {
    const live = await sqlite.inspect(db, given.names)
    if (live) tables.push(describeTable(db, sqlite, given, live))
  }
  const subject: Subject = { db, inspector: sqlite, tables, attempt: (_table, check) => check() }
  return { client, subject }
}

const find = async (check: Check, data: Data) => check((await open(data)).subject)

/** Each finding with the end of its message: how many rows. */
const summary = (findings: Finding[]) =>
  findings.map(({ code, table, column, message }) => `${code} ${table}.${column}: ${message.split(': ').at(-1)}`)

describe('rows of users who do not exist', () => {
  const rows = {
    user: [`'ada', 'ada@example.com'`],
    account: [`'eva', '1', null, null, null`, `'ada', '2', null, null, null`],
    session: [`'a', 'ada', 1`, `'b', 'eva', 1`, `'c', 'bob', 1`, `'d', null, 1`],
    authenticator: [`'bob', '1', '1'`],
  }

  test('are counted, and the fix deletes them', async () => {
    const { client, subject } = await open({ rows })
    const findings = (await checks.orphans(subject)) as Finding[]
    expect(summary(findings)).toEqual([
      'orphans account.userId: 1 row',
      'orphans session.userId: 2 rows',
      'orphans authenticator.userId: 1 row',
    ])
    expect(findings[1]).toMatchObject({
      severity: 'warning',
      fix: 'DELETE FROM "session" WHERE "userId" NOT IN (SELECT "id" FROM "user");',
    })
    for (const { fix = '' } of findings) client.exec(fix)
    expect(await checks.orphans(subject)).toEqual([])
  })

  test.each<[string, Data]>([
    ['no table of users is given', { tables: { ...all, usersTable: undefined } }],
    ['no user id is in the database', { columns: { user: 'name text, email text' } }],
    ['the ids of users have no unique key', { columns: { user: 'id text, email text' } }],
    ['the ids of users have another type', { columns: { user: 'id integer primary key, email text' }, rows: { ...rows, user: [] } }],
  ])('are not looked for where %s', async (_name, data) => expect(await find(checks.orphans, { rows, ...data })).toEqual([]))

  test('are not looked for by the id of another table', async () => {
    const accountsTable = lite.sqliteTable('account', { id: lite.text().primaryKey(), userId: lite.text() })
    const tables = { accountsTable, sessionsTable: all.sessionsTable }
    const account = { columns: { account: 'id text primary key, userId text' }, rows: { ...rows, account: [`'1', 'ada'`] } }
    expect(await find(checks.orphans, { ...account, tables })).toEqual([])
  })

  test('are not looked for in a column that has another type', async () => {
    const other = {
      session: 'sessionToken text, userId integer, expires integer',
      authenticator: 'credentialID text, providerAccountId, b',
    }
    expect(summary(await find(checks.orphans, { rows, columns: other }))).toEqual(['orphans account.userId: 1 row'])
  })
})

describe('expired rows', () => {
  const now = 1_800_000_000_000
  const at = async (data: Data) => {
    vi.useFakeTimers({ now, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    return find(checks.expiredRows, data)
  }

  test('are counted', async () => {
    const rows = {
      session: [`'a', 'ada', ${now - 1}`, `'b', 'ada', ${now}`, `'c', 'ada', ${now + 1}`, `'d', 'ada', 0`, `'e', 'ada', null`],
      verificationToken: [`'i', 't', ${now - 1}`],
    }
    const findings = await at({ rows })
    expect(summary(findings)).toEqual(['expired session.expires: 2 rows', 'expired verificationToken.expires: 1 row'])
    expect(findings[0]?.fix).toContain('drizzle-auth-adapter sweep')
  })

  test('are none in empty tables', async () => expect(await at({})).toEqual([]))

  // One row more than are read, and the expired one was stored last.
  const many = [
    `insert into session with recursive n (i) as (select 1 union all select i + 1 from n where i < 50000) select i, 'ada', ${now + 1} from n`,
    `insert into session values ('last', 'ada', ${now - 1})`,
  ]

  test('are read first where an index is in their order', async () => {
    // SQLite reads the second one in its order, which is not theirs, unless it is told otherwise.
    for (const order of ['asc', 'desc']) {
      const index = `create index by_expires on session (expires ${order})`
      expect(summary(await at({ statements: [index, ...many] }))).toEqual(['expired session.expires: 1 of the 50,000 rows that were read'])
    }
  })

  test('are not sorted without an index', async () => expect(await at({ statements: many })).toEqual([]))
})

describe('dates in seconds', () => {
  test('are counted, and the fix makes milliseconds of them', async () => {
    const values = [999_999_999, 1_000_000_000, 1_800_000_000, 9_999_999_999, 10_000_000_000, 1_800_000_000_000, 'null']
    const rows = { session: values.map((value) => `'${value}', 'ada', ${value}`), verificationToken: [`'i', 't', 1800000000`] }
    const { client, subject } = await open({ rows })
    const findings = (await checks.seconds(subject)) as Finding[]
    expect(summary(findings)).toEqual(['no-milliseconds session.expires: 3 rows', 'no-milliseconds verificationToken.expires: 1 row'])
    for (const { fix = '' } of findings) client.exec(fix)
    expect(await checks.seconds(subject)).toEqual([])
    expect(client.prepare(`select expires from session where sessionToken = '1800000000'`).pluck().get()).toBe(1_800_000_000_000)
  })

  test('are read first where an index is in their order', async () => {
    const many = `insert into session with recursive n (i) as (select 1 union all select i + 1 from n where i < 50000) select i, 'u', 2e12 from n`
    const last = `insert into session values ('last', 'u', 1800000000)`
    expect(await find(checks.seconds, { statements: [many, last] })).toEqual([])
    for (const order of ['asc', 'desc']) {
      const index = `create index by_expires on session (expires ${order})`
      expect(await find(checks.seconds, { statements: [many, last, index] })).toHaveLength(1)
    }
  })
})

test('addresses with capitals are counted, and the fix writes them in lower case', async () => {
  const emails = ['Ada@example.com', 'eva@Example.com', 'bob@example.com']
  const rows = {
    user: [...emails.map((email, id) => `'${id}', '${email}'`), `'x', null`],
    verificationToken: [`'Ada@example.com', 'T', 1`],
  }
  const { client, subject } = await open({ rows })
  const findings = (await checks.capitals(subject)) as Finding[]
  expect(summary(findings)).toEqual(['capitals user.email: 2 rows'])
  expect(JSON.stringify(findings)).not.toMatch(/ada@/i)
  client.exec(findings[0]?.fix ?? '')
  expect(await checks.capitals(subject)).toEqual([])
})

test('ids of accounts that are written with a fraction are counted', async () => {
  const account = ['4711.0', '4711', '4711.5', 'v1.0'].map((id) => `'ada', '${id}', null, null, null`)
  const findings = await find(checks.decimalIds, { rows: { account, authenticator: [`'ada', '4711.0', '4711.0'`] } })
  expect(summary(findings)).toEqual(['decimal-ids account.providerAccountId: 1 row'])
  expect(findings[0]?.fix).toContain('docs/moving.md')
})

describe('tokens in the clear', () => {
  test('are counted and not shown', async () => {
    const rows = {
      session: ['s1.hidden', 's2.hidden', 's3.plain', 's1plain', 'a.s1.plain', 'e1.plain'].map((token) => `'${token}', 'ada', 1`),
      account: [
        `'ada', '1', 'plain', 'plain', 'plain'`,
        `'ada', '2', 'e1.hidden', 'plain', 'e1.hidden'`,
        `'ada', '3', null, null, null`,
        `'ada', '4', 's1.plain', 'e1.hidden', 'e1plain'`,
      ],
    }
    const findings = await find(checks.plainSecrets, { rows })
    expect(summary(findings)).toEqual([
      'plain-secrets session.sessionToken: 4 rows',
      'plain-secrets account.access_token: 2 rows',
      'plain-secrets account.refresh_token: 2 rows',
      'plain-secrets account.id_token: 2 rows',
    ])
    expect(JSON.stringify(findings)).not.toContain('s1')
    expect(findings[0]?.message).toContain('sign in')
    expect(findings[1]?.message).toContain('provider')
  })

  test('are none where all are protected', async () => {
    expect(await find(checks.plainSecrets, { rows: { session: [`'s1.hidden', 'ada', 1`] } })).toEqual([])
  })

  test('are not looked for in tables that are not given', async () => {
    const rows = { session: [`'plain', 'ada', 1`] }
    expect(await find(checks.plainSecrets, { rows, tables: { usersTable: all.usersTable } })).toEqual([])
  })
})

test('each table is examined on its own', async () => {
  const { subject } = await open({ rows: { session: [`'a', 'ada', 1`], verificationToken: [`'i', 't', 1`] } })
  const attempt: Subject['attempt'] = async (table, check) => (table.name === 'session' ? [] : check())
  expect(summary((await checks.expiredRows({ ...subject, attempt })) as Finding[])).toEqual(['expired verificationToken.expires: 1 row'])
})

describe('how many rows', () => {
  test.each([
    [0, false, '0 rows'],
    [1, false, '1 row'],
    [1234, false, '1,234 rows'],
    [1, true, '1 of the 50,000 rows that were read'],
    [1234, true, '1,234 of the 50,000 rows that were read'],
  ])('%i (of some: %s) are %s', (found, isPartial, expected) => expect(rowsIn({ found, isPartial })).toBe(expected))

  test.each([
    [49_999, '49,999 rows'],
    [50_000, '50,000 of the 50,000 rows that were read'],
    [50_001, '50,000 of the 50,000 rows that were read'],
  ])('%i expired rows are %s', async (count, expected) => {
    const many = `insert into session with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i, 'u', 1 from n`
    expect(summary(await find(checks.expiredRows, { statements: [many] }))).toEqual([`expired session.expires: ${expected}`])
  })
})
