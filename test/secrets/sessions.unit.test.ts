import { createHash, createHmac } from 'node:crypto'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { customType, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TableStatements, Values } from '../../src/query/dialect.js'
import { Failure } from '../../src/query/errors.js'
import type { SessionTokens } from '../../src/secrets/sessions.js'
import { hashWith, isStored, protectSessions } from '../../src/secrets/sessions.js'
import { openTables } from '../../src/secrets/tables.js'

const sha256 = (token: string) => `s1.${createHash('sha256').update(token).digest('base64url')}`
const hash = hashWith(undefined)
const stored = sha256('some token')

describe('the stored form', () => {
  test('is the SHA-256 of the token, or its HMAC with the secret', async () => {
    const secret = 'a secret of at least thirty-two characters'
    for (const token of ['', 'a token', 'tökén \u{1F600}']) {
      expect(await hash(token)).toBe(sha256(token))
      expect(await hashWith(secret)(token)).toBe(`s2.${createHmac('sha256', secret).update(token).digest('base64url')}`)
      expect(isStored(await hash(token))).toBe(true)
      expect(isStored(await hashWith(secret)(token))).toBe(true)
    }
  })

  test('comes of a secret that cannot be read back', async () => {
    const spy = vi.spyOn(crypto.subtle, 'importKey')
    try {
      await hashWith('a secret of at least thirty-two characters')('a token')
      const key = await (spy.mock.results[0]?.value as Promise<CryptoKey>)
      await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow()
    } finally {
      spy.mockRestore()
    }
  })

  test.each([
    '',
    's1.',
    stored.slice(0, -1),
    `${stored}x`,
    ` ${stored}`,
    `${stored}\n`,
    `s3${stored.slice(2)}`,
    `S1${stored.slice(2)}`,
    `s1-${stored.slice(3)}`,
    `${stored.slice(0, -1)}=`,
    [stored],
    undefined,
  ])('is not %j', (other) => expect(isStored(other)).toBe(false))
})

const reversed = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => [...String(value)].reverse().join(''),
  fromDriver: (value) => [...value].reverse().join(''),
})
const sessionsTable = sqliteTable('session', {
  sessionToken: text('the token').primaryKey(),
  userId: text().notNull(),
  expires: integer({ mode: 'timestamp_ms' }).notNull(),
})
const customTable = sqliteTable('session', {
  sessionToken: reversed('the token').primaryKey(),
  userId: text().notNull(),
  expires: integer({ mode: 'timestamp_ms' }).notNull(),
})

let client: Database.Database
let statements: TableStatements
beforeEach(() => {
  client = new Database(':memory:')
  client.exec('create table session ("the token" text primary key, userId text not null, expires integer not null)')
  statements = statementsOf(sessionsTable)
})
afterEach(() => client.close())

const statementsOf = (table: typeof sessionsTable | typeof customTable) =>
  openTables('test', drizzle({ client }), { sessionsTable: table }, { sessions: { mode: 'ready', hash } }).sessions as TableStatements
const protectionIn = (mode: SessionTokens['mode'], of = statements) => protectSessions({ mode, hash }, of)
const add = (...tokens: string[]) => {
  for (const token of tokens) client.prepare('insert into session values (?, ?, 0)').run(token, '1')
}
const tokens = () => client.prepare('select "the token" from session order by 1').pluck().all()

async function failureOf(call: unknown, ...texts: string[]): Promise<Failure> {
  const failure = await Promise.resolve(call).then(
    () => expect.fail('did not fail'),
    (error) => error,
  )
  expect(failure).toBeInstanceOf(Failure)
  for (const shown of texts) expect(JSON.stringify(failure) + failure.message).not.toContain(shown)
  expect(failure.details).toMatchObject({ table: 'session', column: 'the token' })
  return failure
}

const modes = ['ready', 'migrating', 'hashed'] as const

describe.each(modes)('at %s', (mode) => {
  const forms = (token: string) => (mode === 'hashed' ? sha256(token) : [token, sha256(token)])

  test('sessions are looked up by the forms that they can have', async () => {
    const protection = protectionIn(mode)
    expect(await protection.storedKey({ sessionToken: 'ada', userId: '1' })).toEqual({ sessionToken: forms('ada'), userId: '1' })
    expect(await protection.storedKey({ userId: '1' })).toEqual({ userId: '1' })
    expect(await protection.storedKey(Object.create({ sessionToken: 'inherited' }))).toEqual({})
    expect(await protection.storedKey(null)).toBeNull()
  })

  test('a stored form finds no session, and creates none', async () => {
    const protection = protectionIn(mode)
    for (const token of [stored, `s2${stored.slice(2)}`]) {
      expect(await protection.storedKey({ sessionToken: token })).toBeNull()
      const failure = await failureOf(protection.storedValues({ sessionToken: token, userId: '1' }), token)
      expect(failure.kind).toBe('invalid')
      expect(failure.details.hint).toBeTruthy()
    }
  })

  test('nor does what a custom type would send as one', async () => {
    const protection = protectionIn(mode, statementsOf(customTable))
    const token = [...stored].reverse().join('')
    expect(await protection.storedKey({ sessionToken: token })).toBeNull()
    expect((await failureOf(protection.storedValues({ sessionToken: token }), token)).kind).toBe('invalid')
    expect(await protection.storedKey({ sessionToken: 'ada' })).toEqual({ sessionToken: forms('ada') })
  })

  test('a new session needs a token that is known', async () => {
    const protection = protectionIn(mode)
    for (const values of [{}, { sessionToken: undefined }, { sessionToken: null }] as Values[])
      expect(await failureOf(protection.storedValues(values))).toMatchObject({ kind: 'missing-value', details: { hint: undefined } })
    for (const sessionToken of [5, {}]) expect((await failureOf(protection.storedValues({ sessionToken }))).kind).toBe('invalid')
  })

  test('callers get the token that they know', async () => {
    const protection = protectionIn(mode)
    // Also where the session is there in both forms, as it can be before all are rewritten.
    add(sha256('ada'), 'ada')
    for (const use of [undefined, 'changed', 'removed', 'joined'] as const)
      expect(await protection.reveal({ sessionToken: sha256('ada'), userId: '1' }, { sessionToken: 'ada' }, use)).toEqual({
        sessionToken: 'ada',
        userId: '1',
      })
    // A list of a user's sessions is found without tokens.
    for (const key of [null, { userId: '1' }])
      expect(await protection.reveal({ sessionToken: stored }, key)).toEqual({ sessionToken: stored })
    expect(tokens()).toEqual(['ada', sha256('ada')])
  })

  test('says how its tokens are hashed', async () => {
    const { tokenHash } = protectionIn(mode)
    expect(await tokenHash?.hash('ada')).toBe(sha256('ada'))
    expect([tokenHash?.isHashed(stored), tokenHash?.isHashed('ada')]).toEqual([true, false])
  })
})

test.each([
  ['ready', 'ada', undefined],
  ['migrating', sha256('ada'), sha256('ada')],
  ['hashed', sha256('ada'), undefined],
] as const)('at %s, a new session gets one form, and a changed one keeps or changes it', async (mode, created, changed) => {
  const protection = protectionIn(mode)
  const values = Object.freeze({ sessionToken: 'ada', userId: '1' })
  expect(await protection.storedValues(values)).toEqual({ ...values, sessionToken: created })
  const update = await protection.storedValues({ userId: '2' }, { sessionToken: 'ada' })
  expect(update).toEqual({ userId: '2', ...(changed && { sessionToken: changed }) })
})

describe('a new session whose token is taken in the other form', () => {
  const reveal = (mode: SessionTokens['mode'], written: string) =>
    protectionIn(mode).reveal({ sessionToken: written, userId: '1' }, { sessionToken: 'ada' }, 'inserted')

  test.each([
    ['ready', 'ada', sha256('ada')],
    ['migrating', sha256('ada'), 'ada'],
  ] as const)('is removed again at %s', async (mode, written, taken) => {
    add(written, taken, 'other')
    expect((await failureOf(reveal(mode, written), 'ada')).kind).toBe('duplicate')
    expect(tokens()).toEqual([taken, 'other'].sort())
  })

  test.each([
    ['ready', 'ada'],
    ['migrating', sha256('ada')],
    ['hashed', sha256('ada')],
  ] as const)('stays at %s where there is no other', async (mode, written) => {
    add(written, 'other', sha256('other'))
    expect(await reveal(mode, written)).toEqual({ sessionToken: 'ada', userId: '1' })
    expect(tokens()).toHaveLength(3)
  })

  test('stays where plain sessions are not accepted any more', async () => {
    add(sha256('ada'), 'ada')
    expect(await reveal('hashed', sha256('ada'))).toEqual({ sessionToken: 'ada', userId: '1' })
    expect(tokens()).toHaveLength(2)
  })
})
