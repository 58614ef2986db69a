import Client from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as lite from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as checks from '../../../src/doctor/checks/keys.js'
import type { Finding } from '../../../src/doctor/finding.js'
import { sqlite } from '../../../src/doctor/sqlite.js'
import type { Check, Subject } from '../../../src/doctor/subject.js'
import { describeTable, givenTables } from '../../../src/doctor/subject.js'
import type { Database } from '../../../src/query/drizzle.js'
import { defineTables } from '../../../src/sqlite/tables.js'

const all = defineTables()

/** A database with these tables, and what the checks need of it. */
async function open(statements: string[], tables: object = all): Promise<Subject> {
  const client = new Client(':memory:')
  onTestFinished(() => void client.close())
  for (const statement of statements) client.exec(statement)
  const db = drizzle({ client }) as unknown as Database
  const described: Subject['tables'] = []
  for (const given of givenTables(tables as never)) {
    const live = await sqlite.inspect(db, given.names)
    if (live) described.push(describeTable(db, sqlite, given, live))
  }
  return { db, inspector: sqlite, tables: described, attempt: (_table, check) => check() }
}

const find = async (check: Check, statements: string[], tables?: object) => check(await open(statements, tables))
const summary = (findings: Finding[]) => findings.map(({ severity, code, table, column }) => `${severity} ${code} ${table}.${column}`)

/** Makes a table of texts, and puts rows into it. */
const table = (name: string, columns: string, ...rows: string[]) => [
  `create table "${name}" (${columns})`,
  ...rows.map((row) => `insert into "${name}" values (${row})`),
]

describe('keys that are not unique', () => {
  test.each([
    ['user', 'id, email, unique (email)', 'id', '"id"'],
    ['user', 'id primary key, email', 'email', '"email"'],
    ['account', 'provider, providerAccountId, userId', 'provider, providerAccountId', '"provider", "providerAccountId"'],
    ['session', 'sessionToken, userId', 'sessionToken', '"sessionToken"'],
    ['verificationToken', 'identifier, token', 'identifier, token', '"identifier", "token"'],
    ['authenticator', 'credentialID, userId', 'credentialID', '"credentialID"'],
  ])('%s (%s) lacks one on %s', async (name, columns, key, quoted) => {
    const findings = await find(checks.uniqueKeys, table(name, columns))
    const index = `"${name}_${key.replace(', ', '_')}_key"`
    expect(findings).toEqual([
      {
        code: 'not-unique',
        severity: 'error',
        table: name,
        column: key,
        message: expect.stringMatching(`no unique key on ${key}; .*: 0 rows$`),
        fix: `CREATE UNIQUE INDEX ${index} ON "${name}" (${quoted});`,
      },
    ])
  })

  test('duplicates are counted, and must be deleted first', async () => {
    const rows = [`'1', 'a@example.com'`, `'2', 'a@example.com'`, `'3', 'a@example.com'`, `'4', 'b@example.com'`, `'5', null`, `'6', null`]
    const [finding] = await find(checks.uniqueKeys, table('user', 'id primary key, email', ...rows))
    expect(finding?.message).toMatch(/: 2 rows$/)
    expect(finding?.fix).toMatch(/^Delete the duplicates, then: CREATE UNIQUE INDEX /)
  })

  test('rows with the same values of the whole key are duplicates', async () => {
    const rows = [`'i', 't'`, `'i', 'u'`, `'j', 't'`, `'i', 't'`]
    const [finding] = await find(checks.uniqueKeys, table('verificationToken', 'identifier, token', ...rows))
    expect(finding?.message).toMatch(/: 1 row$/)
  })

  test.each([
    ['the same columns', 'identifier, token, unique (identifier, token)', []],
    ['the same columns in another order', 'identifier, token, unique (token, identifier)', []],
    ['one of the columns', 'identifier, token, unique (token)', []],
    ['another column', 'identifier, token, expires, unique (expires)', ['error not-unique verificationToken.identifier, token']],
    [
      'one column more',
      'identifier, token, expires, unique (identifier, token, expires)',
      ['error not-unique verificationToken.identifier, token'],
    ],
    ['a missing column', 'identifier, expires', []],
  ])('a unique key on %s', async (_name, columns, expected) => {
    expect(summary(await find(checks.uniqueKeys, table('verificationToken', columns)))).toEqual(expected)
  })
})

describe('collations that take different texts for the same', () => {
  test.each([
    ['user', 'id text primary key collate nocase, email unique', ['error loose-collation user.id']],
    ['user', 'id primary key, email text collate nocase unique', ['warning loose-collation user.email']],
    ['user', 'id primary key, email unique, image text collate nocase', []],
    ['account', 'provider, providerAccountId, userId text collate nocase', ['error loose-collation account.userId']],
    ['account', 'provider text collate nocase, providerAccountId', ['error loose-collation account.provider']],
    ['account', 'provider, providerAccountId, access_token text collate nocase', []],
    ['session', 'sessionToken text collate rtrim', ['error loose-collation session.sessionToken']],
    ['verificationToken', 'identifier text collate nocase, token', ['warning loose-collation verificationToken.identifier']],
    ['authenticator', 'credentialID text collate nocase', ['error loose-collation authenticator.credentialID']],
  ])('%s (%s)', async (name, columns, expected) => {
    const findings = await find(checks.looseCollations, table(name, columns))
    expect(summary(findings)).toEqual(expected)
    for (const { message, fix } of findings) {
      expect(message).toMatch(/the collation (nocase|rtrim) treats different texts as equal$/)
      expect(fix).toContain('rebuild')
    }
  })

  test('do not matter in a column of the app', async () => {
    const sessionsTable = lite.sqliteTable('session', { sessionToken: lite.text().primaryKey(), device: lite.text() })
    const statements = table('session', 'sessionToken text primary key, device text collate nocase')
    expect(await find(checks.looseCollations, statements, { sessionsTable })).toEqual([])
  })

  const pairs = async (columns: string, ...rows: string[]) =>
    (await find(checks.looseCollations, table('verificationToken', columns, ...rows)))[0]?.message.match(/equal(.*)$/)?.[1]

  test('pairs of rows that collide are counted', async () => {
    const spellings = [`'i', 'ab'`, `'i', 'aB'`, `'i', 'Ab'`, `'i', 'AB'`, `'i', 'ab'`, `'i', 'x'`, `'j', 'ab'`, `'k', null`]
    expect(await pairs('identifier text, token text collate nocase', ...spellings)).toBe('; pairs of rows that collide: 6')
    // The same text twice is a duplicate, and no collision.
    expect(await pairs('identifier text, token text collate nocase', `'i', 'ab'`, `'i', 'ab'`)).toBe('')
    // A unique key lets no rows collide.
    expect(await pairs('identifier text, token text collate nocase, unique (identifier, token)', `'i', 'ab'`)).toBe('')
  })

  test('pairs are counted for a key of one column', async () => {
    const statements = table('session', 'sessionToken text collate nocase', `'a'`, `'A'`, `'b'`, `'B'`, `'c'`)
    expect((await find(checks.looseCollations, statements))[0]?.message).toMatch(/; pairs of rows that collide: 2$/)
  })

  test('where not all rows were read, it says so', async () => {
    const many = `insert into session with recursive n (i) as (select 1 union all select i + 1 from n where i < 49998) select i from n`
    const statements = [...table('session', 'sessionToken text collate nocase', `'a'`, `'A'`), many]
    expect((await find(checks.looseCollations, statements))[0]?.message).toMatch(/collide: 1 among those that were read$/)
  })

  test('other tables are examined where one cannot be read', async () => {
    const statements = [
      ...table('session', 'sessionToken text collate nocase'),
      ...table('verificationToken', 'identifier, token text collate nocase'),
    ]
    const subject = await open(statements)
    const attempt: Subject['attempt'] = async (table, check) => (table.name === 'session' ? [] : check())
    for (const check of [checks.looseCollations, checks.uniqueKeys])
      expect((await check({ ...subject, attempt })).map(({ table }) => table)).toEqual(['verificationToken'])
  })
})

describe('indexes', () => {
  const expected = [
    ['account', 'userId'],
    ['session', 'userId'],
    ['session', 'expires'],
    ['verificationToken', 'expires'],
    ['authenticator', 'userId'],
  ]
  const statements = ['account', 'session', 'verificationToken', 'authenticator', 'user'].flatMap((name) =>
    table(name, 'userId, expires, sessionToken, unique (sessionToken, userId)'),
  )

  test('are missing where no index begins with the column', async () => {
    const findings = await find(checks.missingIndexes, statements)
    expect(summary(findings)).toEqual(expected.map(([name, column]) => `warning missing-index ${name}.${column}`))
    const reasons = findings.map(({ message }) => (message.includes('expired rows') ? 'expires' : message.includes('user') ? 'userId' : ''))
    expect(reasons).toEqual(expected.map(([, column]) => column))
    expect(findings[2]?.fix).toBe('CREATE INDEX "session_expires_idx" ON "session" ("expires");')
  })

  test('are there after the fixes', async () => {
    const fixes = (await find(checks.missingIndexes, statements)).map(({ fix = '' }) => fix)
    expect(await find(checks.missingIndexes, [...statements, ...fixes])).toEqual([])
  })

  test('may begin with the column and have others', async () => {
    const findings = await find(checks.missingIndexes, table('session', 'userId, expires, unique (userId, expires)'))
    expect(summary(findings)).toEqual(['warning missing-index session.expires'])
  })

  test('are not needed on a column that is missing', async () => {
    expect(await find(checks.missingIndexes, table('session', 'sessionToken'))).toEqual([])
  })
})

describe('foreign keys', () => {
  const users = table('user', 'id text primary key, email')
  const missing = ['warning missing-foreign-key session.userId']

  test.each([
    ['userId text', missing],
    ['userId text references user (id) on delete cascade', []],
    ['userId text references user (id)', ['warning not-cascading session.userId']],
    ['userId text references user (id) on delete set null', ['warning not-cascading session.userId']],
    ['userId text references people (id) on delete cascade', missing],
    ['userId text, sessionToken text references user (id) on delete cascade', missing],
    ['userId, expires, foreign key (userId, expires) references user (id, email) on delete cascade', missing],
    ['sessionToken text', []],
  ])('session (%s)', async (columns, expected) => {
    const findings = await find(checks.foreignKeys, [...users, ...table('session', columns)])
    expect(summary(findings)).toEqual(expected)
    for (const { code, fix } of findings) expect(fix?.startsWith('Drop the foreign key, then: ')).toBe(code === 'not-cascading')
  })

  test('are not asked for without the table of users', async () => {
    expect(await find(checks.foreignKeys, table('session', 'userId text'))).toEqual([])
    expect(await find(checks.foreignKeys, users)).toEqual([])
  })

  test('refer to the id by its name in the database', async () => {
    const named = (id: string) => {
      const usersTable = lite.sqliteTable('user', { email: lite.text(), id: lite.text(id).primaryKey() })
      const sessionsTable = lite.sqliteTable('session', { userId: lite.text('owner') })
      return { usersTable, sessionsTable }
    }
    const subject = await open([...table('user', 'uid text primary key, email'), ...table('session', 'owner')], named('uid'))
    const addForeignKey = (...parts: string[]) => parts.join(' ')
    const findings = await checks.foreignKeys({ ...subject, inspector: { ...sqlite, addForeignKey } })
    expect(findings).toEqual([expect.objectContaining({ column: 'owner', fix: '"session" "owner" "user" "uid"' })])
  })
})

test.each([
  ['user', 'id integer primary key', ['warning reused-ids user.id']],
  ['user', 'id integer primary key autoincrement', []],
  ['user', 'id text primary key', []],
  ['session', 'id integer primary key', []],
])('ids of deleted rows of %s (%s) may be used again: %j', async (name, columns, expected) => {
  expect(summary(await find(checks.reusedIds, table(name, columns)))).toEqual(expected)
})
