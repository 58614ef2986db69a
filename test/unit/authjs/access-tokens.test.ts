import { inspect } from 'node:util'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AccessTokensOptions } from '../../../src/authjs/index.js'
import { AccessTokenError, accessTokens } from '../../../src/authjs/index.js'
import { DrizzleAdapter } from '../../../src/index.js'
import { secretsAtRest } from '../../../src/secrets/index.js'
import { defineTables } from '../../../src/sqlite/index.js'
import { tableSet } from '../../support/table-sets.js'

// Which token a caller gets, and what is stored. How several callers wait for each other is tested in test/unit/authjs/lease.test.ts.

const now = 1_800_000_000
const { migrations } = tableSet('sqlite')
const tables = defineTables()
const key = { provider: 'demo', providerAccountId: '42' }
const old = { access_token: 'old access', refresh_token: 'old refresh', id_token: 'old id', expires_at: now + 10 }

let client: Database.Database
let adapter: ReturnType<typeof DrizzleAdapter<typeof tables>>
let userId: string
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: now * 1000 })
  client = new Database(':memory:')
  for (const statement of migrations) client.exec(statement)
  adapter = DrizzleAdapter(drizzle({ client }), tables)
  userId = (await adapter.createUser({ email: 'ada@example.com' })).id
})
afterEach(() => {
  client.close()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const link = (account: object = {}) => adapter.linkAccount({ userId, type: 'oauth', ...key, ...old, ...account })
const read = () => adapter.getAccount(key.providerAccountId, key.provider)

/** Asks for a token, with a provider that answers so. */
async function get(demo: () => unknown, { options = {}, over = {} }: { options?: Partial<AccessTokensOptions>; over?: object } = {}) {
  const refresh = vi.fn(async () => demo() as object)
  const tokens = accessTokens({ ...adapter, ...over }, { providers: { demo: refresh }, ...options })
  const outcome = await tokens.get(userId, 'demo').catch((error: AccessTokenError) => error)
  return { outcome, refresh, tokens }
}

const unused = () => expect.fail('the provider was asked')
const renewed = () => ({ access_token: 'new access', refresh_token: 'new refresh', expires_in: 3_600 })

describe('a token that is valid', () => {
  test.each([
    [{}, 61],
    [{ early: 0 }, 1],
    [{ early: 600 }, 601],
  ])('for long enough with %j is returned', async (options, seconds) => {
    await link({ expires_at: now + seconds })
    expect((await get(unused, { options })).outcome).toBe('old access')
    await adapter.updateAccount({ ...key, expires_at: now + seconds - 1 })
    expect((await get(renewed, { options })).outcome).toBe('new access')
  })

  test('for an unknown time is returned only if it cannot be renewed', async () => {
    await link({ expires_at: null, refresh_token: null })
    expect((await get(unused)).outcome).toBe('old access')
    await adapter.updateAccount({ ...key, refresh_token: 'old refresh' })
    expect(await accessTokens(adapter, { providers: {} }).get(userId, 'demo')).toBe('old access')
    expect((await get(renewed)).outcome).toBe('new access')
  })

  test('must be there', async () => {
    await link({ access_token: null, expires_at: null })
    expect((await get(renewed)).outcome).toBe('new access')
  })
})

describe('a token that is renewed', () => {
  test('is returned and stored, with what came with it', async () => {
    await link({ scope: 'old scope' })
    const { outcome, refresh } = await get(() => ({ ...renewed(), id_token: 'new id', token_type: 'Bearer' }))
    expect(outcome).toBe('new access')
    const [account, options] = refresh.mock.calls[0] as unknown as [object, { signal: AbortSignal }]
    expect(account).toMatchObject({ ...key, ...old })
    expect(options.signal).toBeInstanceOf(AbortSignal)
    const stored = { access_token: 'new access', refresh_token: 'new refresh', id_token: 'new id', token_type: 'bearer' }
    expect(await read()).toEqual({
      userId,
      type: 'oauth',
      ...key,
      ...stored,
      scope: 'old scope',
      expires_in: 3_600,
      expires_at: now + 3_600,
    })
  })

  test.each([
    [{ expires_in: 7_200 }, 7_200],
    [{}, 300],
  ])('without an expiry is valid as long as the one before, or for five minutes: %j', async (before, seconds) => {
    await link(before)
    expect((await get(() => ({ access_token: 'new access' }))).outcome).toBe('new access')
    const renewedAccount = { access_token: 'new access', refresh_token: 'old refresh', id_token: 'old id', expires_at: now + seconds }
    expect(await read()).toMatchObject({ ...renewedAccount, ...before })
  })

  test('is renewed once for callers of one instance, and for each account by itself', async () => {
    await link()
    await link({ providerAccountId: '43', refresh_token: 'other refresh' })
    const demo = vi.fn(async ({ refresh_token }: { refresh_token: string }) => ({ access_token: `of ${refresh_token}`, expires_in: 3_600 }))
    const tokens = accessTokens(adapter, { providers: { demo } })
    const ask = (providerAccountId: string) => tokens.get(userId, 'demo', { providerAccountId })
    const answers = await Promise.all(['42', '43', '42', '43', '42'].map(ask))
    expect(answers).toEqual(['of old refresh', 'of other refresh', 'of old refresh', 'of other refresh', 'of old refresh'])
    expect(demo).toHaveBeenCalledTimes(2)
  })
})

describe('there is no token', () => {
  const kindOf = async (of = userId, provider = 'demo', options?: { providerAccountId?: string }) => {
    const tokens = accessTokens(adapter, { providers: { demo: unused } })
    const error = await tokens.get(of, provider, options).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(AccessTokenError)
    return error.kind
  }

  test('without an account', async () => {
    expect(await kindOf()).toBe('no-account')
    await link()
    for (const options of [{}, { providerAccountId: '42' }]) expect(await kindOf('somebody else', 'demo', options)).toBe('no-account')
    expect(await kindOf(userId, 'other')).toBe('no-account')
    expect(await kindOf(userId, 'demo', { providerAccountId: '43' })).toBe('no-account')
  })

  test('if the user has several accounts', async () => {
    await link({ expires_at: now + 600 })
    await link({ providerAccountId: '43' })
    await link({ provider: 'other', expires_at: now + 600 })
    expect(await kindOf()).toBe('ambiguous')
    const tokens = accessTokens(adapter, { providers: {} })
    expect(await tokens.get(userId, 'demo', { providerAccountId: '42' })).toBe('old access')
    expect(await tokens.get(userId, 'other')).toBe('old access')
  })

  test('without a refresh token, or a function for the provider', async () => {
    await link({ refresh_token: null })
    expect(await kindOf()).toBe('no-refresh-token')
    await link({ provider: 'toString' })
    expect(await kindOf(userId, 'toString')).toBe('no-provider')
  })

  test.each([{ refresh_token: 'new' }, null, 'text'])('where the provider answers %j', async (answer) => {
    await link()
    expect((await get(() => answer)).outcome).toMatchObject({ kind: 'unreachable' })
    expect(await read()).toMatchObject(old)
  })
})

test('an account whose tokens cannot be decrypted is an error of its own kind, and hides no other account', async () => {
  const withKey = (id: string) => {
    const keys = [{ id, secret: `the secret ${id} of 32 characters or more` }]
    return DrizzleAdapter(drizzle({ client }), tables, { secrets: secretsAtRest({ accountTokens: { keys } }) })
  }
  const account = { userId, type: 'oauth' as const, access_token: 'old access', refresh_token: 'old refresh', expires_at: now + 600 }
  await withKey('lost').linkAccount({ ...account, provider: 'other', providerAccountId: '7' })
  await withKey('known').linkAccount({ ...account, ...key })
  const tokens = accessTokens(withKey('known'), { providers: { demo: unused, other: unused } })
  expect(await tokens.get(userId, 'demo')).toBe('old access')
  for (const options of [{}, { providerAccountId: '7' }]) {
    const failure = await tokens.get(userId, 'other', options).catch((error) => error)
    expect(failure).toBeInstanceOf(AccessTokenError)
    expect(failure.kind).toBe('undecipherable')
  }
})

describe('a provider that fails', () => {
  const failing = (error: Error) => () => {
    throw error
  }

  test('is an error without tokens, of its own kind where it has one', async () => {
    await link()
    const own = new AccessTokenError('revoked')
    expect((await get(failing(own))).outcome).toBe(own)
    const { outcome } = await get(failing(new Error('old refresh was refused')))
    expect(outcome).toBeInstanceOf(AccessTokenError)
    expect(outcome).toMatchObject({ kind: 'unreachable' })
    expect(inspect(outcome, { depth: 9, showHidden: true })).not.toContain('old refresh')
    expect(await read()).toMatchObject(old)
  })

  test('gives callers that wait the same error, and is asked again by the next one, at once', async () => {
    await link()
    const { tokens, refresh } = await get(failing(new Error('down')))
    const errors = await Promise.all([1, 2, 3].map(() => tokens.get(userId, 'demo').catch((error) => error)))
    expect(new Set(errors).size).toBe(1)
    expect(refresh).toHaveBeenCalledTimes(2)
    refresh.mockImplementation(async () => renewed())
    expect(await tokens.get(userId, 'demo')).toBe('new access')
    expect(Date.now()).toBe(now * 1000)
  })

  test('may have been asked by somebody else, whose token is returned', async () => {
    await link()
    const theirs = { access_token: 'their access', refresh_token: 'their refresh' }
    const demo = async () => {
      await adapter.updateAccount({ ...key, ...theirs })
      throw new AccessTokenError('revoked')
    }
    expect((await get(demo)).outcome).toBe('their access')
    expect(await read()).toMatchObject(theirs)
  })
})

test('tokens that were stored during the request are kept and returned', async () => {
  await link()
  const theirs = { access_token: 'their access', refresh_token: 'their refresh' }
  const demo = async () => {
    await adapter.updateAccount({ ...key, ...theirs })
    return renewed()
  }
  expect((await get(demo)).outcome).toBe('their access')
  expect(await read()).toMatchObject(theirs)
})

describe('accessTokens rejects', () => {
  test('an adapter without verification tokens', () => {
    const create = (given: object) => () => accessTokens(given as never, { providers: {} })
    expect(create({ ...adapter, createVerificationToken: undefined })).toThrow(/^accessTokens: the adapter has no verification tokens/)
  })

  test.each([
    ['lease', { providers: {}, lease: 999 }],
    ['lease', { providers: {}, lease: 600_001 }],
    ['lease', { providers: {}, lease: '5000' }],
  ])('wrong %s: %j', (name, options) => {
    expect(() => accessTokens(adapter, options as never)).toThrow(new RegExp(`^accessTokens: ${name} `))
  })
})
