import { describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../../../../test/support/dialects.js'
import { openTestDatabase, summarize } from '../../support/doctor/database.js'

/** A replacement in the statements that create the tables, and what the doctor finds then. */
type Fault = [pattern: RegExp, replacement: string, expected?: string]

const onEachDialect: Fault[] = [
  [/CREATE TABLE "verificationToken"/, 'CREATE TABLE "tokens"', 'error missing-table verificationToken'],
  [/CREATE INDEX "verificationToken_expires_idx".*/, 'select 1'],
  [/\t"scope" .*\n/, '', 'error missing-column account.scope'],
  [/"credentialBackedUp" (boolean|integer)/, '"credentialBackedUp" text', 'error wrong-type authenticator.credentialBackedUp'],
  // Only the first of these columns needs a value that no insert gives.
  [
    /CREATE TABLE "user" \(/,
    '$& "tenant" integer NOT NULL, "plan" integer DEFAULT 1 NOT NULL, "notes" varchar(9),',
    'error required-column user.tenant',
  ],
  [/"image" (text|longtext character set utf8mb4)/, '$& NOT NULL', 'error required-column user.image'],
]

const faults: Record<DialectName, Fault[]> = {
  pg: [
    [/(CREATE TABLE "session".*"expires" timestamp \(3\))/s, '$1 with time zone', 'error wrong-type session.expires'],
    [/"access_token" text/, '"access_token" varchar(255)', 'error too-short account.access_token'],
    [/"name" text/, '"name" varchar(500)', 'error too-short user.name'],
    [/"emailVerified" timestamp \(3\)/, '"emailVerified" timestamp (0)', 'error no-milliseconds user.emailVerified'],
    [/"counter" bigint/, '"counter" integer', 'error small-integer authenticator.counter'],
    [/"expires_at" bigint/, '"expires_at" integer', 'error small-integer account.expires_at'],
  ],
  mysql: [
    [/"access_token" longtext/, '"access_token" varchar(255)', 'error too-short account.access_token'],
    [/"name" longtext/, '"name" text', 'error too-short user.name'],
    [/"emailVerified" datetime\(3\)/, '"emailVerified" datetime', 'error no-milliseconds user.emailVerified'],
    [/(CREATE TABLE "session".*"expires" )datetime/s, '$1timestamp', 'error ends-in-2038 session.expires'],
    [/"counter" int unsigned/, '"counter" int', 'error small-integer authenticator.counter'],
  ],
  sqlite: [],
}

type Changes = [RegExp, string][]

const noPrimaryKey = /,\s*CONSTRAINT "verificationToken_identifier_token_pk" PRIMARY KEY\([^)]*\)/
const noEmailKey = /,\s*CONSTRAINT "user_email_unique" UNIQUE\("email"\)/

/** Replacements that remove unique keys that the contract needs. */
const withoutKeys: Record<DialectName, Changes> = {
  pg: [
    [noEmailKey, ''],
    [/"sessionToken" text PRIMARY KEY/, '"sessionToken" text'],
    [noPrimaryKey, ''],
  ],
  mysql: [
    [noEmailKey, ''],
    [/,\s*CONSTRAINT "session_sessionToken" PRIMARY KEY\("sessionToken"\)/, ''],
    [noPrimaryKey, ''],
  ],
  sqlite: [
    [/CREATE UNIQUE INDEX "user_email_unique"/, 'CREATE INDEX "user_email"'],
    [/"sessionToken" text PRIMARY KEY/, '"sessionToken" text'],
    [/,\s*PRIMARY KEY\("identifier", "token"\)/, ''],
  ],
}

/** Replacements that give session tokens, verification tokens and addresses a collation that ignores case. */
const looseCollations: Record<DialectName, Changes> = {
  pg: [
    [/^(?=CREATE TABLE "account")/, `create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false); `],
    [/("(sessionToken|token|email)" text)/, '$1 COLLATE loose'],
    [noPrimaryKey, ''],
  ],
  mysql: [
    [/"(sessionToken|token|email)" varbinary\(1020\)/, '"$1" varchar(255) character set utf8mb4 collate utf8mb4_general_ci'],
    [noPrimaryKey, ''],
  ],
  sqlite: [
    [/("(sessionToken|token|email)" text)/, '$1 COLLATE NOCASE'],
    [/,\s*PRIMARY KEY\("identifier", "token"\)/, ''],
  ],
}

const future = new Date(Date.now() + 3_600_000)

describe.each(inject('dialects'))('the doctor on %s', (dialect) => {
  test('finds columns that are missing, required, too small or of another type, and its statements correct them', async () => {
    const all = [...onEachDialect, ...faults[dialect]]
    const { exec, examine } = await openTestDatabase(dialect, {
      settings: dialect === 'mysql' ? 'character set utf8mb4' : '',
      changes: all.map(([pattern, replacement]): [RegExp, string] => [pattern, replacement]),
    })
    const findings = await examine()
    expect(summarize(findings).sort()).toEqual(all.flatMap(([, , expected]) => expected ?? []).sort())
    for (const { fix = '' } of findings) if (fix.startsWith('ALTER TABLE')) await exec(fix)
    const rest = findings.filter(({ fix }) => !fix?.startsWith('ALTER TABLE'))
    expect(await examine()).toEqual(rest)
    const byHand = [
      'missing-table',
      'missing-column',
      'required-column',
      'required-column',
      ...(dialect === 'sqlite' ? ['wrong-type'] : []),
    ]
    expect(rest.map(({ code }) => code).sort()).toEqual(byHand.sort())
  })

  test('finds keys that are not unique, and counts duplicates', async () => {
    const { exec, examine, date } = await openTestDatabase(dialect, { changes: withoutKeys[dialect] })
    const findings = await examine()
    expect(summarize(findings)).toEqual([
      'error not-unique user.email',
      'error not-unique session.sessionToken',
      'error not-unique verificationToken.identifier, token',
    ])
    for (const { message } of findings) expect(message).toMatch(/; duplicates of another row: 0 rows$/)

    for (const id of ['a', 'b', 'c']) await exec(`insert into "user" (id, email) values ('${id}', 'a@example.com')`)
    for (const token of ['t', 't', 't', 'other']) await exec(`insert into "verificationToken" values ('i', '${token}', ${date(future)})`)
    const counted = (await examine()).filter(({ table }) => table === 'user' || table === 'verificationToken')
    for (const { message, fix } of counted) {
      expect(message).toMatch(/; duplicates of another row: 2 rows$/)
      expect(fix).toMatch(/^Delete the duplicates, then: CREATE UNIQUE INDEX /)
    }

    for (const table of ['user', 'verificationToken']) await exec(`delete from "${table}"`)
    for (const { fix = '' } of findings) await exec(fix)
    expect(await examine()).toEqual([])
  })

  test('finds keys whose collation ignores case', async () => {
    const { exec, examine, date } = await openTestDatabase(dialect, { changes: looseCollations[dialect] })
    for (const token of ['abc', 'ABC', 'aBc', 'x']) await exec(`insert into "verificationToken" values ('i', '${token}', ${date(future)})`)
    const findings = await examine()
    const notUnique = 'error not-unique verificationToken.identifier, token'
    expect(summarize(findings)).toEqual([
      'error loose-collation session.sessionToken',
      'error loose-collation verificationToken.token',
      notUnique,
      'warning loose-collation user.email',
    ])
    if (dialect === 'sqlite') return
    for (const { code, fix = '' } of findings) if (code === 'loose-collation') await exec(fix)
    expect(summarize(await examine())).toEqual([notUnique])
  })
})

describe.runIf(inject('dialects').includes('pg'))('the doctor on pg', () => {
  test('finds a unique key that is checked only when the transaction ends', async () => {
    const { exec, examine } = await openTestDatabase('pg')
    await exec('alter table "user" drop constraint user_email_unique')
    await exec('alter table "user" add constraint user_email_unique unique (email) deferrable initially immediate')
    const [finding, ...others] = await examine()
    expect(others).toEqual([])
    expect(finding).toMatchObject({ code: 'not-unique', message: expect.stringMatching(/^the unique key on email is deferrable/) })
  })
})
