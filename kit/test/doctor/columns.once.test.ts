import { describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../../../test/support/dialects.js'
import { openTestDatabase, summarize } from './database.js'

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
})
