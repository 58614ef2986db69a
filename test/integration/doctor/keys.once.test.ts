import { describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import type { TestDatabase } from './clinic.js'
import { openTestDatabase, summarize } from './clinic.js'

type Changes = [RegExp, string][]

/** For each key: replacements that remove its unique constraint, and rows with duplicates. */
const keys: { name: string; ddlChanges: Record<DialectName, Changes>; expected: string[]; rows: string[] }[] = [
  {
    name: 'email',
    ddlChanges: {
      pg: [[/,\s*CONSTRAINT "user_email_unique" UNIQUE\("email"\)/, '']],
      mysql: [[/,\s*CONSTRAINT "user_email_unique" UNIQUE\("email"\)/, '']],
      sqlite: [[/CREATE UNIQUE INDEX "user_email_unique"/, 'CREATE INDEX "user_email_unique"']],
    },
    expected: ['error not-unique user.email'],
    rows: ['a', 'b', 'c'].map((id) => `insert into "user" (id, email) values ('${id}', 'a@example.com')`),
  },
  {
    name: 'sessionToken',
    ddlChanges: {
      pg: [[/"sessionToken" text PRIMARY KEY/, '"sessionToken" text']],
      mysql: [[/,\s*CONSTRAINT "session_sessionToken" PRIMARY KEY\("sessionToken"\)/, '']],
      sqlite: [[/"sessionToken" text PRIMARY KEY/, '"sessionToken" text']],
    },
    expected: ['error not-unique session.sessionToken'],
    rows: [1, 2, 3].map(() => `insert into "session" values ('s1.a', 'u', FUTURE)`),
  },
  {
    name: 'provider and providerAccountId',
    ddlChanges: {
      pg: [[/,\s*CONSTRAINT "account_provider_providerAccountId_pk" PRIMARY KEY\([^)]*\)/, '']],
      mysql: [[/,\s*CONSTRAINT "account_provider_providerAccountId_pk" PRIMARY KEY\([^)]*\)/, '']],
      sqlite: [[/PRIMARY KEY\("provider", "providerAccountId"\),/, '']],
    },
    expected: ['error not-unique account.provider, providerAccountId'],
    rows: [1, 2, 3].map(() => `insert into "account" ("userId", type, provider, "providerAccountId") values ('u', 'oauth', 'p', 'a')`),
  },
  {
    name: 'identifier and token',
    ddlChanges: {
      pg: [[/,\s*CONSTRAINT "verificationToken_identifier_token_pk" PRIMARY KEY\([^)]*\)/, '']],
      mysql: [[/,\s*CONSTRAINT "verificationToken_identifier_token_pk" PRIMARY KEY\([^)]*\)/, '']],
      sqlite: [[/,\s*PRIMARY KEY\("identifier", "token"\)/, '']],
    },
    expected: ['error not-unique verificationToken.identifier, token'],
    rows: [1, 2, 3].map(() => `insert into "verificationToken" values ('i', 't', FUTURE)`),
  },
  {
    name: 'credentialID',
    ddlChanges: {
      pg: [[/,\s*CONSTRAINT "authenticator_credentialID_unique" UNIQUE\("credentialID"\)/, '']],
      mysql: [[/,\s*CONSTRAINT "authenticator_credentialID_unique" UNIQUE\("credentialID"\)/, '']],
      sqlite: [[/CREATE UNIQUE INDEX "authenticator_credentialID_unique"/, 'CREATE INDEX "authenticator_credentialID_unique"']],
    },
    expected: ['error not-unique authenticator.credentialID'],
    rows: ['u', 'v', 'w'].map(
      (user) =>
        `insert into "authenticator" ("userId", "credentialID", "providerAccountId", "credentialPublicKey", counter, "credentialDeviceType", "credentialBackedUp")
         values ('${user}', 'c', 'c', 'k', 0, 'd', TRUTH)`,
    ),
  },
]

const future = new Date(Date.now() + 3_600_000)

async function insertRows({ exec, date }: TestDatabase, dialect: DialectName, rows: string[]) {
  for (const id of ['u', 'v', 'w']) await exec(`insert into "user" (id, email) values ('${id}', '${id}@example.com')`)
  for (const row of rows) await exec(row.replace('FUTURE', date(future)).replace('TRUTH', dialect === 'pg' ? 'true' : '1'))
}

describe.each(inject('dialects'))('the doctor on %s', (dialect) => {
  test.each(keys)('finds that $name is not unique, and counts duplicates', async ({ ddlChanges, expected, rows }) => {
    const database = await openTestDatabase(dialect, { changes: ddlChanges[dialect] })
    const [finding, ...others] = await database.examine()
    expect({ finding, others }).toMatchObject({
      finding: { message: expect.stringMatching(/; duplicates of another row: 0 rows$/) },
      others: [],
    })
    await insertRows(database, dialect, rows)
    const findings = await database.examine()
    expect(summarize(findings)).toEqual(expected)
    expect(findings[0]?.message).toMatch(/; duplicates of another row: 2 rows$/)
    expect(findings[0]?.fix).toMatch(/^Delete the duplicates, then: CREATE UNIQUE INDEX /)
  })

  test('finds collations that ignore case', async () => {
    const database = await openTestDatabase(dialect, { changes: looseColumn('sessionToken')[dialect] })
    if (dialect === 'pg') await makeLoose(database, 'session', 'sessionToken')
    expect(summarize(await database.examine())).toEqual(['error loose-collation session.sessionToken'])
  })

  test('warns of a collation that ignores case in addresses', async () => {
    const database = await openTestDatabase(dialect, { changes: looseColumn('email')[dialect] })
    if (dialect === 'pg') await makeLoose(database, 'user', 'email')
    expect(summarize(await database.examine())).toEqual(['warning loose-collation user.email'])
  })

  test('counts the pairs of rows whose keys are equal under the collation', async () => {
    const noKey = keys.find(({ name }) => name === 'identifier and token')?.ddlChanges[dialect] ?? []
    const database = await openTestDatabase(dialect, { changes: [...noKey, ...looseColumn('token')[dialect]] })
    if (dialect === 'pg') await makeLoose(database, 'verificationToken', 'token')
    const rows = ['abc', 'ABC', 'aBc', 'x'].map((token) => `insert into "verificationToken" values ('i', '${token}', FUTURE)`)
    await insertRows(database, dialect, rows)
    const findings = await database.examine()
    expect(summarize(findings)).toEqual([
      'error not-unique verificationToken.identifier, token',
      'error loose-collation verificationToken.token',
    ])
    expect(findings[1]?.message).toMatch(/; pairs of rows that collide: 3$/)
  })

  test('finds that indexes are missing', async () => {
    const drop = (name: string): [RegExp, string] => [new RegExp(`CREATE INDEX "${name}" .*`), 'select 1']
    // MySQL creates the index of a foreign key itself.
    const indexes = ['session_expires_idx', 'verificationToken_expires_idx', ...(dialect === 'mysql' ? [] : ['account_userId_idx'])]
    const database = await openTestDatabase(dialect, { changes: indexes.map(drop) })
    const findings = await database.examine()
    expect(summarize(findings)).toEqual([
      ...(dialect === 'mysql' ? [] : ['warning missing-index account.userId']),
      'warning missing-index session.expires',
      'warning missing-index verificationToken.expires',
    ])
    for (const { fix = '' } of findings) await database.exec(fix)
    expect(await database.examine()).toEqual([])
  })

  test('finds foreign keys that are missing or do not cascade', async () => {
    const changes: Record<DialectName, Changes> = {
      pg: [
        [/(ALTER TABLE "session" .*)ON DELETE cascade/, '$1ON DELETE restrict'],
        [/ALTER TABLE "account" ADD CONSTRAINT .*/, 'select 1'],
      ],
      mysql: [
        [/(ALTER TABLE "session" .*)ON DELETE cascade/, '$1ON DELETE restrict'],
        [/ALTER TABLE "account" ADD CONSTRAINT .*/, 'select 1'],
      ],
      sqlite: [
        [/(CREATE TABLE "session".*)ON DELETE cascade/s, '$1ON DELETE restrict'],
        [/(CREATE TABLE "account".*),\s*FOREIGN KEY .*(?=\n\))/s, '$1'],
      ],
    }
    const database = await openTestDatabase(dialect, { changes: changes[dialect] })
    const findings = await database.examine()
    expect(summarize(findings)).toEqual(['warning missing-foreign-key account.userId', 'warning not-cascading session.userId'])
    if (dialect === 'sqlite') return
    await database.exec(findings[0]?.fix ?? '')
    expect(summarize(await database.examine())).toEqual(['warning not-cascading session.userId'])
  })
})

const constraints: Record<string, string> = { sessionToken: 'PRIMARY KEY NOT NULL', email: 'NOT NULL', token: 'NOT NULL' }

/** Replacements that give a column a collation that ignores case. On PostgreSQL, `makeLoose` does that. */
const looseColumn = (column: string): Record<DialectName, Changes> => ({
  pg: [],
  mysql: [
    [
      new RegExp(`(\t"${column}" )varbinary\\(1020\\)`),
      `$1varchar(${column === 'email' ? 255 : 100}) character set utf8mb4 collate utf8mb4_general_ci`,
    ],
  ],
  sqlite: [[new RegExp(`(\t"${column}" text) ${constraints[column]}`), `$1 COLLATE NOCASE ${constraints[column]}`]],
})

async function makeLoose({ exec }: TestDatabase, table: string, column: string) {
  await exec(`create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
  await exec(`alter table "${table}" alter "${column}" type text collate loose`)
}
