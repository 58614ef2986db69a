import { describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../../../test/support/dialects.js'
import { openTestDatabase, summarize } from './database.js'

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

  test('finds indexes that are missing, and foreign keys that are missing or do not cascade', async () => {
    const indexes: Changes = [
      [/CREATE INDEX "account_userId_idx" .*/, 'select 1'],
      // An index that does not begin with the column does not help.
      [/CREATE INDEX "session_expires_idx" .*/, 'CREATE INDEX "other_idx" ON "session" ("userId", "expires")'],
      [/CREATE INDEX "verificationToken_expires_idx" .*/, 'select 1'],
    ]
    const altered: Changes = [
      [/(ALTER TABLE "session" .*)ON DELETE cascade/, '$1ON DELETE restrict'],
      [/ALTER TABLE "account" ADD CONSTRAINT .*/, 'select 1'],
    ]
    const foreignKeys: Record<DialectName, Changes> = {
      pg: altered,
      mysql: altered,
      sqlite: [
        [/(CREATE TABLE "session".*)ON DELETE cascade/s, '$1ON DELETE restrict'],
        [/(CREATE TABLE "account".*),\s*FOREIGN KEY .*(?=\n\))/s, '$1'],
      ],
    }
    const { exec, examine } = await openTestDatabase(dialect, { changes: [...indexes, ...foreignKeys[dialect]] })
    // A foreign key of another column does not count. MySQL would need the collation of the id.
    if (dialect !== 'mysql') await exec('alter table "account" add "addedBy" varchar(255) references "user" ("id") on delete cascade')
    const findings = await examine()
    expect(summarize(findings)).toEqual([
      'warning missing-index account.userId',
      'warning missing-index session.expires',
      'warning missing-index verificationToken.expires',
      'warning missing-foreign-key account.userId',
      'warning not-cascading session.userId',
    ])
    for (const { fix = '' } of findings) if (/^(CREATE|ALTER)/.test(fix)) await exec(fix)
    expect(summarize(await examine())).toEqual([
      ...(dialect === 'sqlite' ? ['warning missing-foreign-key account.userId'] : []),
      'warning not-cascading session.userId',
    ])
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
