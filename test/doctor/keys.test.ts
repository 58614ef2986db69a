import { describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../helpers/dialects.js'
import type { Clinic } from './clinic.js'
import { openClinic, summary } from './clinic.js'

type Changes = [RegExp, string][]

/** What leaves each key without its uniqueness, and rows that have it twice. */
const keys: { name: string; plant: Record<DialectName, Changes>; found: string[]; rows: string[] }[] = [
  {
    name: 'email',
    plant: {
      pg: [[/,\s*CONSTRAINT "user_email_unique" UNIQUE\("email"\)/, '']],
      mysql: [[/,\s*CONSTRAINT "user_email_unique" UNIQUE\("email"\)/, '']],
      sqlite: [[/CREATE UNIQUE INDEX "user_email_unique"/, 'CREATE INDEX "user_email_unique"']],
    },
    found: ['error not-unique user.email'],
    rows: ['a', 'b', 'c'].map((id) => `insert into "user" (id, email) values ('${id}', 'a@example.com')`),
  },
  {
    name: 'sessionToken',
    plant: {
      pg: [[/"sessionToken" text PRIMARY KEY/, '"sessionToken" text']],
      mysql: [[/,\s*CONSTRAINT "session_sessionToken" PRIMARY KEY\("sessionToken"\)/, '']],
      sqlite: [[/"sessionToken" text PRIMARY KEY/, '"sessionToken" text']],
    },
    found: ['error not-unique session.sessionToken'],
    rows: [1, 2, 3].map(() => `insert into "session" values ('s1.a', 'u', FUTURE)`),
  },
  {
    name: 'provider and providerAccountId',
    plant: {
      pg: [[/,\s*CONSTRAINT "account_provider_providerAccountId_pk" PRIMARY KEY\([^)]*\)/, '']],
      mysql: [[/,\s*CONSTRAINT "account_provider_providerAccountId_pk" PRIMARY KEY\([^)]*\)/, '']],
      sqlite: [[/PRIMARY KEY\("provider", "providerAccountId"\),/, '']],
    },
    found: ['error not-unique account.provider, providerAccountId'],
    rows: [1, 2, 3].map(() => `insert into "account" ("userId", type, provider, "providerAccountId") values ('u', 'oauth', 'p', 'a')`),
  },
  {
    name: 'identifier and token',
    plant: {
      pg: [[/,\s*CONSTRAINT "verificationToken_identifier_token_pk" PRIMARY KEY\([^)]*\)/, '']],
      mysql: [[/,\s*CONSTRAINT "verificationToken_identifier_token_pk" PRIMARY KEY\([^)]*\)/, '']],
      sqlite: [[/,\s*PRIMARY KEY\("identifier", "token"\)/, '']],
    },
    found: ['error not-unique verificationToken.identifier, token'],
    rows: [1, 2, 3].map(() => `insert into "verificationToken" values ('i', 't', FUTURE)`),
  },
  {
    name: 'credentialID',
    plant: {
      pg: [[/,\s*CONSTRAINT "authenticator_credentialID_unique" UNIQUE\("credentialID"\)/, '']],
      mysql: [[/,\s*CONSTRAINT "authenticator_credentialID_unique" UNIQUE\("credentialID"\)/, '']],
      sqlite: [[/CREATE UNIQUE INDEX "authenticator_credentialID_unique"/, 'CREATE INDEX "authenticator_credentialID_unique"']],
    },
    found: ['error not-unique authenticator.credentialID'],
    rows: ['u', 'v', 'w'].map(
      (user) =>
        `insert into "authenticator" ("userId", "credentialID", "providerAccountId", "credentialPublicKey", counter, "credentialDeviceType", "credentialBackedUp")
         values ('${user}', 'c', 'c', 'k', 0, 'd', TRUTH)`,
    ),
  },
]

const future = new Date(Date.now() + 3_600_000)

async function fill({ exec, date }: Clinic, dialect: DialectName, rows: string[]) {
  for (const id of ['u', 'v', 'w']) await exec(`insert into "user" (id, email) values ('${id}', '${id}@example.com')`)
  for (const row of rows) await exec(row.replace('FUTURE', date(future)).replace('TRUTH', dialect === 'pg' ? 'true' : '1'))
}

describe.each(inject('dialects'))('the doctor on %s', (dialect) => {
  test.each(keys)('finds that $name is not unique, and counts duplicates', async ({ plant, found, rows }) => {
    const clinic = await openClinic(dialect, { changes: plant[dialect] })
    const [finding, ...others] = await clinic.examine()
    expect({ finding, others }).toMatchObject({
      finding: { message: expect.stringMatching(/; duplicates of another row: 0 rows$/) },
      others: [],
    })
    await fill(clinic, dialect, rows)
    const findings = await clinic.examine()
    expect(summary(findings)).toEqual(found)
    expect(findings[0]?.message).toMatch(/; duplicates of another row: 2 rows$/)
    expect(findings[0]?.fix).toMatch(/^Delete the duplicates, then: CREATE UNIQUE INDEX /)
  })

  test('finds loose collations', async () => {
    const clinic = await openClinic(dialect, { changes: loose('sessionToken')[dialect] })
    if (dialect === 'pg') await loosen(clinic, 'session', 'sessionToken')
    expect(summary(await clinic.examine())).toEqual(['error loose-collation session.sessionToken'])
  })

  test('warns of a loose collation of addresses', async () => {
    const clinic = await openClinic(dialect, { changes: loose('email')[dialect] })
    if (dialect === 'pg') await loosen(clinic, 'user', 'email')
    expect(summary(await clinic.examine())).toEqual(['warning loose-collation user.email'])
  })

  test('counts the pairs of rows that a loose collation takes for one', async () => {
    const noKey = keys.find(({ name }) => name === 'identifier and token')?.plant[dialect] ?? []
    const clinic = await openClinic(dialect, { changes: [...noKey, ...loose('token')[dialect]] })
    if (dialect === 'pg') await loosen(clinic, 'verificationToken', 'token')
    const rows = ['abc', 'ABC', 'aBc', 'x'].map((token) => `insert into "verificationToken" values ('i', '${token}', FUTURE)`)
    await fill(clinic, dialect, rows)
    const findings = await clinic.examine()
    expect(summary(findings)).toEqual([
      'error not-unique verificationToken.identifier, token',
      'error loose-collation verificationToken.token',
    ])
    expect(findings[1]?.message).toMatch(/; pairs of rows that collide: 3$/)
  })

  test('finds that indexes are missing', async () => {
    const drop = (name: string): [RegExp, string] => [new RegExp(`CREATE INDEX "${name}" .*`), 'select 1']
    // MySQL makes the index of a foreign key itself.
    const indexes = ['session_expires_idx', 'verificationToken_expires_idx', ...(dialect === 'mysql' ? [] : ['account_userId_idx'])]
    const clinic = await openClinic(dialect, { changes: indexes.map(drop) })
    const findings = await clinic.examine()
    expect(summary(findings)).toEqual([
      ...(dialect === 'mysql' ? [] : ['warning missing-index account.userId']),
      'warning missing-index session.expires',
      'warning missing-index verificationToken.expires',
    ])
    for (const { fix = '' } of findings) await clinic.exec(fix)
    expect(await clinic.examine()).toEqual([])
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
    const clinic = await openClinic(dialect, { changes: changes[dialect] })
    const findings = await clinic.examine()
    expect(summary(findings)).toEqual(['warning missing-foreign-key account.userId', 'warning not-cascading session.userId'])
    if (dialect === 'sqlite') return
    await clinic.exec(findings[0]?.fix ?? '')
    expect(summary(await clinic.examine())).toEqual(['warning not-cascading session.userId'])
  })
})

const spellings: Record<string, string> = { sessionToken: 'PRIMARY KEY NOT NULL', email: 'NOT NULL', token: 'NOT NULL' }

/** Changes that compare a column loosely. */
const loose = (column: string): Record<DialectName, Changes> => ({
  pg: [],
  mysql: [
    [
      new RegExp(`(\t"${column}" )varbinary\\(1020\\)`),
      `$1varchar(${column === 'email' ? 255 : 100}) character set utf8mb4 collate utf8mb4_general_ci`,
    ],
  ],
  sqlite: [[new RegExp(`(\t"${column}" text) ${spellings[column]}`), `$1 COLLATE NOCASE ${spellings[column]}`]],
})

async function loosen({ exec }: Clinic, table: string, column: string) {
  await exec(`create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
  await exec(`alter table "${table}" alter "${column}" type text collate loose`)
}
