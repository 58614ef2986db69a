import { describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../helpers/dialects.js'
import { openClinic, summary } from './clinic.js'

interface Fault {
  name: string
  /** Changes of the statements that make the tables, by dialect; the fault cannot exist on the others. */
  plant: Partial<Record<DialectName, [RegExp, string]>>
  found: string[]
  message?: RegExp
}

const everywhere = (pattern: RegExp, replacement: string) => ({
  pg: [pattern, replacement] as [RegExp, string],
  mysql: [pattern, replacement] as [RegExp, string],
  sqlite: [pattern, replacement] as [RegExp, string],
})

const inSession = (type: string) => new RegExp(`(CREATE TABLE "session".*"expires" )${type}`, 's')

const faults: Fault[] = [
  {
    name: 'a missing table',
    plant: everywhere(/CREATE TABLE "verificationToken"/, 'CREATE TABLE "tokens"'),
    found: ['error missing-table verificationToken'],
  },
  {
    name: 'a missing column',
    plant: everywhere(/\t"image" [^,\n]+,?\n|,\n\t"image" [^,\n]+(?=\n\))/, ''),
    found: ['error missing-column user.image'],
  },
  {
    name: 'text in place of a boolean',
    plant: everywhere(/"credentialBackedUp" (boolean|integer)/, '"credentialBackedUp" text'),
    found: ['error wrong-type authenticator.credentialBackedUp'],
    message: /is text in the database, and (boolean|integer) in your code/,
  },
  {
    name: 'text in place of a date',
    plant: {
      pg: [inSession('timestamp \\(3\\)'), '$1text'],
      mysql: [inSession('datetime\\(3\\)'), '$1varchar(30)'],
      sqlite: [inSession('integer'), '$1text'],
    },
    found: ['error wrong-type session.expires'],
  },
  {
    name: 'a date with a time zone',
    plant: { pg: [inSession('timestamp \\(3\\)'), '$1timestamp (3) with time zone'] },
    found: ['error wrong-type session.expires'],
  },
  {
    name: 'a tinyint in place of a counter',
    plant: { mysql: [/"counter" int unsigned/, '"counter" tinyint'] },
    found: ['error wrong-type authenticator.counter'],
  },
  {
    name: 'a required column that the code does not know',
    plant: everywhere(/(CREATE TABLE "user" \()/, '$1 "tenant" integer NOT NULL,'),
    found: ['error required-column user.tenant'],
  },
  {
    name: 'a required column that the code may leave empty',
    plant: everywhere(/("image" (text|longtext character set utf8mb4))/, '$1 NOT NULL'),
    found: ['error required-column user.image'],
  },
  {
    name: 'columns that are required or unknown, but filled',
    plant: everywhere(/(CREATE TABLE "user" \()/, '$1 "tenant" integer DEFAULT 1 NOT NULL, "notes" varchar(9),'),
    found: [],
  },
  {
    name: 'a column that is too short for tokens',
    plant: {
      pg: [/"access_token" text/, '"access_token" varchar(255)'],
      mysql: [/"access_token" longtext/, '"access_token" varchar(255)'],
    },
    found: ['error too-short account.access_token'],
    message: /255 characters, and real values have up to 4096/,
  },
  {
    name: 'a column that is shorter than in the code',
    plant: {
      pg: [/"image" text/, '"image" varchar(500)'],
      mysql: [/"image" longtext/, '"image" text'],
    },
    found: ['error too-short user.image'],
    message: /shorter than in your code/,
  },
  {
    name: 'dates without milliseconds',
    plant: { pg: [inSession('timestamp \\(3\\)'), '$1timestamp (0)'], mysql: [inSession('datetime\\(3\\)'), '$1datetime'] },
    found: ['error no-milliseconds session.expires'],
  },
  {
    name: 'dates that end in 2038',
    plant: { mysql: [inSession('datetime\\(3\\)'), '$1timestamp(3)'] },
    found: ['error ends-in-2038 session.expires'],
  },
  {
    name: 'a counter in signed 32 bits',
    plant: { pg: [/"counter" bigint/, '"counter" integer'], mysql: [/"counter" int unsigned/, '"counter" int'] },
    found: ['error small-integer authenticator.counter'],
    message: /end at 2,147,483,647/,
  },
  {
    name: 'an expiry in signed 32 bits',
    plant: { pg: [/"expires_at" bigint/, '"expires_at" integer'], mysql: [/"expires_at" bigint/, '"expires_at" int'] },
    found: ['error small-integer account.expires_at'],
  },
  {
    name: 'a column whose character set lacks characters',
    plant: { mysql: [/"name" longtext character set utf8mb4/, '"name" longtext character set latin1'] },
    found: ['warning character-set user.name'],
    message: /latin1/,
  },
]

const cases = inject('dialects').flatMap((dialect) =>
  faults.flatMap(({ plant, ...fault }) => {
    const change = plant[dialect]
    return change ? [{ dialect, change, ...fault }] : []
  }),
)

describe('the doctor', () => {
  test.each(cases)('finds $name on $dialect', async ({ dialect, name, change, found, message }) => {
    const rest: [RegExp, string][] = name === 'a missing table' ? [[/^CREATE INDEX "verificationToken_expires_idx".*/, 'select 1']] : []
    const clinic = await openClinic(dialect, { changes: [change, ...rest] })
    const findings = await clinic.examine()
    expect(summary(findings)).toEqual(found)
    if (message) expect(findings[0]?.message).toMatch(message)
    const fix = findings[0]?.fix ?? ''
    if (!fix.startsWith('ALTER TABLE')) return
    await clinic.exec(fix)
    expect(await clinic.examine()).toEqual([])
  })
})
