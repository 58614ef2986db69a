import { createHash, createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
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
  const set = ({ account }: Person, field: string, value: string | null) =>
    store.exec(
      `update ${store.quote('account')} set ${store.quote(field)} = ${value === null ? 'null' : `'${value}'`} where ${store.quote('providerAccountId')} = '${account.providerAccountId}'`,
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

  test('differ each time; null stays null, and an empty string is encrypted', async () => {
    const [one, two] = [await signUp(adapter), await signUp(adapter)]
    const stored = [await storedAccount(one), await storedAccount(two)].flatMap((account) => fields.map((field) => account[field]))
    expect(new Set(stored).size).toBe(6)
    const { userId } = one
    const key = { provider: 'github', providerAccountId: crypto.randomUUID() }
    await adapter.linkAccount({ userId, type: 'oauth', ...key, access_token: '' })
    const account = await storedAccount({ account: key } as Person)
    expect(account.access_token).toMatch(/^e1\.2026b\.[\w-]{38}$/)
    expect(account).toMatchObject({ refresh_token: null, id_token: null })
    expect(await adapter.getAccount(key.providerAccountId, key.provider)).toEqual({ userId, type: 'oauth', ...key, access_token: '' })
  })

  test('that were moved or damaged cannot be decrypted, and the error shows none', async () => {
    const [one, two] = [await signUp(adapter), await signUp(adapter)]
    const [stored, other] = [await storedAccount(one), await storedAccount(two)]
    const body = (stored.access_token as string).slice('e1.2026b.'.length)
    const damaged: [field: (typeof fields)[number], value: string, key: string | undefined][] = [
      ['access_token', other.access_token as string, '2026b'],
      ['access_token', stored.id_token as string, '2026b'],
      ['refresh_token', stored.access_token as string, '2026b'],
      ['id_token', (stored.id_token as string).slice(0, -1), '2026b'],
      ['id_token', `e1..${body}`, undefined],
      ['access_token', `e1.2020x.${body}`, '2020x'],
      ['access_token', `e1.2025a.${body}`, '2025a'],
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
    expect(await lost.unlinkAccount(key)).toBeUndefined()
    const second = await signUp(adapter)
    await set(second, 'refresh_token', 'e1.2026b.damaged')
    const { refresh_token: _, ...readable } = second.account
    expect(await adapter.unlinkAccount(second.account)).toEqual(readable)
    const third = await signUp(store.adapter(secretsAtRest({ accountTokens: { keys: [oldKey] } })))
    expect(await lost.deleteUser(third.userId)).toMatchObject({ id: third.userId })
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
    for (const mode of ['ready', 'migrating', 'final'] as const) {
      const each = store.adapter(secretsOf(mode))
      for (const field of fields)
        for (const token of [5, {}, true, sql`'expression'`, 'a secret token \ud800']) {
          const wrong = { ...account, providerAccountId: crypto.randomUUID(), [field]: token } as typeof account
          const invalid = { kind: 'invalid', column: field }
          expect(await failureOf(each.linkAccount(wrong) as Promise<unknown>, 'a secret token')).toMatchObject(invalid)
          expect(await failureOf(each.updateAccount({ ...account, [field]: token } as typeof account), 'a secret token')).toMatchObject(
            invalid,
          )
        }
      for (const [token, kind] of [
        [undefined, 'missing-value'],
        [null, 'missing-value'],
        [5, 'invalid'],
        [sql`'expression'`, 'invalid'],
      ] as const)
        expect(await failureOf(each.createSession({ ...session, sessionToken: token as never }))).toMatchObject({ kind })
      expect(await each.getSessionAndUser(5 as never)).toBeNull()
    }
    expect((await store.rows('account')).filter((row) => row.userId === userId)).toHaveLength(1)
    expect((await store.rows('session')).filter((row) => row.userId === userId)).toHaveLength(1)
  })

  test.skipIf(dialect === 'sqlite')('that are too long for their column are rejected, and SQLite has no limit', async () => {
    const small = await openStore(dialect)
    onTestFinished(small.close)
    const change = dialect === 'pg' ? 'alter column access_token type varchar(4000)' : 'modify access_token varchar(4000)'
    await small.exec(`alter table ${small.quote('account')} ${change}`)
    const each = small.adapter(secretsOf('final'))
    const { userId, account } = await signUp(each)
    const long = { ...account, userId, providerAccountId: 'long', access_token: 'x'.repeat(3_900) }
    expect(await failureOf(each.linkAccount(long) as Promise<unknown>, 'xxxxxxxxxxxx')).toMatchObject({ kind: 'too-long' })
    expect(await failureOf(each.updateAccount({ ...account, access_token: long.access_token }), 'xxxxxxxxxxxx')).toMatchObject({
      kind: 'too-long',
    })
    expect(await each.getAccount(account.providerAccountId, account.provider)).toMatchObject(account)
  })

  test.runIf(dialect === 'mysql')('that a trigger damages are reported after the write, which the error says', async () => {
    const own = await openStore(dialect)
    onTestFinished(own.close)
    await own.exec("create trigger damage before insert on account for each row set new.access_token = 'e1.2026b.x'")
    const failure = await failureOf(signUp(own.adapter(secretsOf('final'))))
    expect(failure).toMatchObject({ operation: 'linkAccount', kind: 'undecipherable' })
    expect(failure.message).toContain('the write itself happened')
    expect(await own.rows('account')).toHaveLength(1)
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
  const key = { provider: 'google', providerAccountId: '1' }
  const row = Object.freeze({ ...key, access_token: 'a', refresh_token: null, id_token: '', note: 1 })

  test('return a new row in the form of the mode', async () => {
    const encrypted = await secrets.encryptAccount(row)
    const form = expect.stringMatching(/^e1\.2026b\./)
    expect(encrypted).toEqual({ ...row, access_token: form, id_token: form })
    for (const mode of ['ready', 'migrating', 'encrypted'] as const)
      expect(await secretsIn(mode).decryptAccount(Object.freeze(encrypted))).toEqual(row)
    expect(await secretsIn('ready').encryptAccount(row)).toEqual(row)
    expect(await secretsIn('migrating').encryptAccount(row)).toMatchObject({ access_token: form })
    expect(await secretsIn('migrating').decryptAccount(row)).toEqual(row)
    expect(await secretsAtRest({}).encryptAccount(row)).toEqual(row)
  })

  test('reject what cannot be encrypted or decrypted, and name the operation and the column', async () => {
    for (const [wrong, column] of [
      [null, 'provider'],
      [{ provider: 1, providerAccountId: 'x' }, 'provider'],
      [{ provider: 'p' }, 'providerAccountId'],
      [{ provider: 'p', providerAccountId: 42 }, 'providerAccountId'],
      [{ ...key, id_token: 5 }, 'id_token'],
    ] as const)
      for (const name of ['encryptAccount', 'decryptAccount'] as const)
        expect(await failureOf(secrets[name](wrong as never))).toMatchObject({ operation: name, kind: 'invalid', column })
    expect(await failureOf(secrets.encryptAccount({ ...row, id_token: '\ud800' }))).toMatchObject({ kind: 'invalid', column: 'id_token' })
    const moved = { ...(await secrets.encryptAccount(row)), providerAccountId: '2' }
    for (const stored of [row, moved])
      expect(await failureOf(secrets.decryptAccount(stored))).toMatchObject({ kind: 'undecipherable', column: 'access_token' })
  })
})

test.each([
  ['digest', undefined],
  ['sign', hmac],
] as const)('a session token that is used repeatedly is hashed once, with %s', async (method, secret) => {
  const store = await openStore(inject('dialects')[0] as 'sqlite')
  onTestFinished(store.close)
  const adapter = store.adapter(secretsAtRest({ sessionTokens: { mode: 'hashed', ...(secret && { hmac: secret }) } }))
  const { session } = await signUp(adapter)
  const spy = vi.spyOn(crypto.subtle, method)
  onTestFinished(() => spy.mockRestore())
  for (let time = 0; time < 3; time++) expect(await adapter.getSessionAndUser(session.sessionToken)).toMatchObject({ session })
  expect(spy).not.toHaveBeenCalled()
})
