import { describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { openTestDatabase, summarize } from './clinic.js'

interface Fault {
  name: string
  /** A replacement in the statements that create the tables, for each dialect on which the fault can exist. */
  ddlChange: Partial<Record<DialectName, [RegExp, string]>>
  expected: string[]
  message?: RegExp
}

const onEachDialect = (pattern: RegExp, replacement: string) => ({
  pg: [pattern, replacement] as [RegExp, string],
  mysql: [pattern, replacement] as [RegExp, string],
  sqlite: [pattern, replacement] as [RegExp, string],
})

const inSession = (type: string) => new RegExp(`(CREATE TABLE "session".*"expires" )${type}`, 's')

const faults: Fault[] = [
  {
    name: 'a missing table',
    ddlChange: onEachDialect(/CREATE TABLE "verificationToken"/, 'CREATE TABLE "tokens"'),
    expected: ['error missing-table verificationToken'],
  },
  {
    name: 'a missing column',
    ddlChange: onEachDialect(/\t"image" [^,\n]+,?\n|,\n\t"image" [^,\n]+(?=\n\))/, ''),
    expected: ['error missing-column user.image'],
  },
  {
    name: 'text in place of a boolean',
    ddlChange: onEachDialect(/"credentialBackedUp" (boolean|integer)/, '"credentialBackedUp" text'),
    expected: ['error wrong-type authenticator.credentialBackedUp'],
    message: /is text in the database, and (boolean|integer) in your code/,
  },
  {
    name: 'text in place of a date',
    ddlChange: {
      pg: [inSession('timestamp \\(3\\)'), '$1text'],
      mysql: [inSession('datetime\\(3\\)'), '$1varchar(30)'],
      sqlite: [inSession('integer'), '$1text'],
    },
    expected: ['error wrong-type session.expires'],
  },
  {
    name: 'a date with a time zone',
    ddlChange: { pg: [inSession('timestamp \\(3\\)'), '$1timestamp (3) with time zone'] },
    expected: ['error wrong-type session.expires'],
  },
  {
    name: 'a tinyint in place of a counter',
    ddlChange: { mysql: [/"counter" int unsigned/, '"counter" tinyint'] },
    expected: ['error wrong-type authenticator.counter'],
  },
  {
    name: 'a required column that the code does not know',
    ddlChange: onEachDialect(/(CREATE TABLE "user" \()/, '$1 "tenant" integer NOT NULL,'),
    expected: ['error required-column user.tenant'],
  },
  {
    name: 'a required column that the code may leave empty',
    ddlChange: onEachDialect(/("image" (text|longtext character set utf8mb4))/, '$1 NOT NULL'),
    expected: ['error required-column user.image'],
  },
  {
    name: 'no fault in unknown columns that are nullable or have a default',
    ddlChange: onEachDialect(/(CREATE TABLE "user" \()/, '$1 "tenant" integer DEFAULT 1 NOT NULL, "notes" varchar(9),'),
    expected: [],
  },
  {
    name: 'a column that is too short for tokens',
    ddlChange: {
      pg: [/"access_token" text/, '"access_token" varchar(255)'],
      mysql: [/"access_token" longtext/, '"access_token" varchar(255)'],
    },
    expected: ['error too-short account.access_token'],
    message: /255 characters, and real values have up to 4096/,
  },
  {
    name: 'a column that is shorter than in the code',
    ddlChange: {
      pg: [/"image" text/, '"image" varchar(500)'],
      mysql: [/"image" longtext/, '"image" text'],
    },
    expected: ['error too-short user.image'],
    message: /shorter than in your code/,
  },
  {
    name: 'dates without milliseconds',
    ddlChange: { pg: [inSession('timestamp \\(3\\)'), '$1timestamp (0)'], mysql: [inSession('datetime\\(3\\)'), '$1datetime'] },
    expected: ['error no-milliseconds session.expires'],
  },
  {
    name: 'dates that end in 2038',
    ddlChange: { mysql: [inSession('datetime\\(3\\)'), '$1timestamp(3)'] },
    expected: ['error ends-in-2038 session.expires'],
  },
  {
    name: 'a counter in signed 32 bits',
    ddlChange: { pg: [/"counter" bigint/, '"counter" integer'], mysql: [/"counter" int unsigned/, '"counter" int'] },
    expected: ['error small-integer authenticator.counter'],
    message: /end at 2,147,483,647/,
  },
  {
    name: 'an expiry in signed 32 bits',
    ddlChange: { pg: [/"expires_at" bigint/, '"expires_at" integer'], mysql: [/"expires_at" bigint/, '"expires_at" int'] },
    expected: ['error small-integer account.expires_at'],
  },
  {
    name: 'a column whose character set lacks characters',
    ddlChange: { mysql: [/"name" longtext character set utf8mb4/, '"name" longtext character set latin1'] },
    expected: ['warning character-set user.name'],
    message: /latin1/,
  },
]

const cases = inject('dialects').flatMap((dialect) =>
  faults.flatMap(({ ddlChange, ...fault }) => {
    const change = ddlChange[dialect]
    return change ? [{ dialect, change, ...fault }] : []
  }),
)

describe('the doctor', () => {
  test.each(cases)('finds $name on $dialect', async ({ dialect, name, change, expected, message }) => {
    const rest: [RegExp, string][] = name === 'a missing table' ? [[/^CREATE INDEX "verificationToken_expires_idx".*/, 'select 1']] : []
    const database = await openTestDatabase(dialect, { changes: [change, ...rest] })
    const findings = await database.examine()
    expect(summarize(findings)).toEqual(expected)
    if (message) expect(findings[0]?.message).toMatch(message)
    const fix = findings[0]?.fix ?? ''
    if (!fix.startsWith('ALTER TABLE')) return
    await database.exec(fix)
    expect(await database.examine()).toEqual([])
  })
})
