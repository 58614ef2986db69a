import { createHash, createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hmac, keys, newKey, oldKey, secretsOf } from './modes.js'
import type { AnyAdapter, Person, Store } from './stores.js'
import { openStore, signUp } from './stores.js'

const fields = ['access_token', 'refresh_token', 'id_token'] as const

/** The error of a call, which must contain none of these texts. */
async function failureOf(call: Promise<unknown>, ...texts: string[]): Promise<AdapterOperationError> {
  const error = await call.then(
    () => expect.fail('did not fail'),
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(AdapterOperationError)
  const shown = inspect(error, { depth: 9, showHidden: true })
  for (const text of texts.filter(({ length }) => length > 11)) expect(shown).not.toContain(text)
  return error
}

describe.each(inject('dialects'))('stored values on %s', (dialect) => {
  let store: Store
  let adapter: AnyAdapter
  beforeAll(async () => {
    store = await openStore(dialect)
    adapter = store.adapter(secretsOf('final'))
  })
  afterAll(() => store.close())

  const storedAccount = async ({ account }: Person) =>
    (await store.rows('account')).find((row) => row.providerAccountId === account.providerAccountId) as Record<string, string>
  const storedSession = async ({ userId }: Person) =>
    (await store.rows('session')).find((row) => row.userId === userId) as Record<string, string>
  const set = ({ account }: Person, field: string, value: string) =>
    store.exec(
      `update ${store.quote('account')} set ${field} = '${value}' where ${store.quote('providerAccountId')} = '${account.providerAccountId}'`,
    )
  const get = ({ account }: Person, from = adapter) => from.getAccount(account.providerAccountId, account.provider)

  test('have the documented form', async () => {
    const person = await signUp(adapter)
    const { sessionToken } = person.session
    expect((await storedSession(person)).sessionToken).toBe(`s1.${createHash('sha256').update(sessionToken).digest('base64url')}`)
    const account = await storedAccount(person)
    for (const field of fields) expect(account[field]).toMatch(/^e1\.2026b\.[\w-]{60,}$/)
    const secret = store.adapter(secretsAtRest({ sessionTokens: { mode: 'hashed', hmac } }))
    const other = await signUp(secret)
    expect((await storedSession(other)).sessionToken).toBe(
      `s2.${createHmac('sha256', hmac).update(other.session.sessionToken).digest('base64url')}`,
    )
    // Without the option accountTokens, tokens are stored as they are.
    expect(await storedAccount(other)).toMatchObject(Object.fromEntries(fields.map((field) => [field, other.account[field]])))
  })

  test('null stays null, and an empty string is encrypted', async () => {
    const { userId } = await signUp(adapter)
    const account = { userId, type: 'oauth' as const, provider: 'github', providerAccountId: crypto.randomUUID(), access_token: '' }
    await adapter.linkAccount(account)
    const stored = await storedAccount({ account } as unknown as Person)
    expect(stored).toMatchObject({ access_token: expect.stringMatching(/^e1\.2026b\.[\w-]{38}$/), refresh_token: null, id_token: null })
    expect(await adapter.getAccount(account.providerAccountId, 'github')).toEqual(account)
  })

  test('that were moved or damaged cannot be decrypted, and the error shows none', async () => {
    const [one, two] = [await signUp(adapter), await signUp(adapter)]
    const [stored, other] = [await storedAccount(one), await storedAccount(two)]
    const body = (stored.access_token as string).slice('e1.2026b.'.length)
    const damaged: [field: (typeof fields)[number], value: string, key: string | undefined][] = [
      ['access_token', other.access_token as string, '2026b'],
      ['refresh_token', stored.access_token as string, '2026b'],
      ['id_token', (stored.id_token as string).slice(0, -1), '2026b'],
      ['access_token', `e1.2020x.${body}`, '2020x'],
      ['access_token', `${stored.access_token} `, undefined],
      ['access_token', one.account.access_token, undefined],
    ]
    for (const [field, value, key] of damaged) {
      await set(one, field, value)
      const failure = await failureOf(get(one), value.slice(9), ...fields.map((name) => one.account[name]))
      expect(failure).toMatchObject({ operation: 'getAccount', kind: 'undecipherable', column: field })
      expect(failure.message).toBe(`getAccount: a stored token cannot be decrypted (column ${field})${key ? `; key ${key}` : ''}`)
      await set(one, field, stored[field] as string)
    }
    expect(await get(one)).toMatchObject(one.account)
  })

  test('of a lost key lock nobody out', async () => {
    const person = await signUp(store.adapter(secretsAtRest({ sessionTokens: 'hashed', accountTokens: { keys: [oldKey] } })))
    const lost = store.adapter(secretsAtRest({ sessionTokens: 'hashed', accountTokens: { keys: [newKey] } }))
    const { userId, account } = person
    const key = { provider: account.provider, providerAccountId: account.providerAccountId }
    expect(await failureOf(get(person, lost))).toMatchObject({ kind: 'undecipherable', column: 'access_token' })
    expect(await get(person)).toMatchObject(account)
    expect(await lost.getUserByAccount(key)).toMatchObject({ id: userId })
    expect(await lost.getSessionAndUser(person.session.sessionToken)).toMatchObject({ user: { id: userId } })
    const github = { userId, type: 'oauth' as const, provider: 'github', providerAccountId: crypto.randomUUID(), access_token: 'new' }
    await lost.linkAccount(github)
    expect(await lost.listAccounts(userId)).toEqual(expect.arrayContaining([{ userId, type: 'oidc', ...key }, github]))
    expect(await lost.unlinkAccount(key)).toEqual({ userId, type: 'oidc', ...key })
  })

  test('are bound to the account, also if its id was given as a number', async () => {
    const { userId } = await signUp(adapter)
    const key = { provider: 'github', providerAccountId: '4711' }
    const given = { userId, type: 'oauth' as const, provider: 'github', providerAccountId: 4711 as never, access_token: 'token' }
    expect(await adapter.linkAccount(given)).toMatchObject({ ...key, access_token: 'token' })
    expect(await adapter.getAccount('4711', 'github')).toMatchObject({ ...key, access_token: 'token' })
    expect(await adapter.updateAccount({ ...given, access_token: 'newer' })).toMatchObject({ ...key, access_token: 'newer' })
    expect(await store.adapter(secretsOf('migrating')).unlinkAccount(key)).toMatchObject({ ...key, access_token: 'newer' })
  })

  test('are rejected before they are sent, if they are not strings', async () => {
    const { userId, session, account } = await signUp(adapter)
    for (const token of [5, sql`'expression'`, 'a secret token \ud800']) {
      const wrong = { ...account, refresh_token: token } as typeof account
      const rejected = { kind: 'invalid', column: 'refresh_token' }
      const link = adapter.linkAccount({ ...wrong, providerAccountId: crypto.randomUUID() }) as Promise<unknown>
      expect(await failureOf(link, 'a secret token')).toMatchObject(rejected)
      expect(await failureOf(adapter.updateAccount(wrong), 'a secret token')).toMatchObject(rejected)
    }
    for (const [token, kind] of [
      [undefined, 'missing-value'],
      [5, 'invalid'],
      [sql`'expression'`, 'invalid'],
    ] as const)
      expect(await failureOf(adapter.createSession({ ...session, sessionToken: token as never }))).toMatchObject({ kind })
    expect((await store.rows('account')).filter((row) => row.userId === userId)).toHaveLength(1)
    expect((await store.rows('session')).filter((row) => row.userId === userId)).toHaveLength(1)
  })

  test('of tokens that look encrypted are decrypted correctly in each mode', async () => {
    for (const mode of ['ready', 'migrating', 'final'] as const) {
      const each = store.adapter(secretsOf(mode))
      const { userId } = await signUp(each)
      const account = { userId, type: 'oauth' as const, provider: 'p', providerAccountId: crypto.randomUUID(), access_token: 'e1.2026b.x' }
      expect(await each.linkAccount(account)).toMatchObject(account)
      expect(await each.getAccount(account.providerAccountId, 'p')).toMatchObject(account)
    }
  })
})

describe('encryptAccount and decryptAccount', () => {
  const secretsIn = (mode: 'ready' | 'migrating' | 'encrypted') => secretsAtRest({ accountTokens: { mode, keys } })
  const secrets = secretsIn('encrypted')
  const row = { provider: 'google', providerAccountId: '1', access_token: 'a', refresh_token: null, id_token: '', note: 1 }

  test('return a new row in the form of the mode', async () => {
    const encrypted = await secrets.encryptAccount(row)
    const form = expect.stringMatching(/^e1\.2026b\./)
    expect(encrypted).toEqual({ ...row, access_token: form, id_token: form })
    for (const mode of ['ready', 'migrating', 'encrypted'] as const) expect(await secretsIn(mode).decryptAccount(encrypted)).toEqual(row)
    expect(await secretsIn('ready').encryptAccount(row)).toEqual(row)
    expect(await secretsIn('migrating').encryptAccount(row)).toMatchObject({ access_token: form })
    expect(await secretsIn('migrating').decryptAccount(row)).toEqual(row)
    expect(await secretsAtRest({}).encryptAccount(row)).toEqual(row)
  })

  test('reject what cannot be encrypted or decrypted, and name the operation and the column', async () => {
    for (const [wrong, column] of [
      [{ ...row, provider: undefined }, 'provider'],
      [{ ...row, providerAccountId: 42 }, 'providerAccountId'],
      [{ ...row, access_token: 5 }, 'access_token'],
    ] as const)
      for (const name of ['encryptAccount', 'decryptAccount'] as const)
        expect(await failureOf(secrets[name](wrong))).toMatchObject({ operation: name, kind: 'invalid', column })
    const moved = { ...(await secrets.encryptAccount(row)), providerAccountId: '2' }
    for (const stored of [row, moved])
      expect(await failureOf(secrets.decryptAccount(stored))).toMatchObject({ kind: 'undecipherable', column: 'access_token' })
  })
})
