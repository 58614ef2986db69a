import { inspect } from 'node:util'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AccessTokensOptions } from '../../src/authjs/index.js'
import { AccessTokenError, accessTokens } from '../../src/authjs/index.js'
import { DrizzleAdapter } from '../../src/index.js'
import { AdapterConfigError } from '../../src/query/errors.js'
import { defineTables } from '../../src/sqlite/index.js'
import { createTable } from '../helpers/ddl.js'

// Which token a caller gets, and what is stored. How several callers wait for each other is tested in test/authjs/leases.unit.test.ts.

const now = 1_800_000_000
const tables = defineTables()
const { usersTable, accountsTable, sessionsTable, verificationTokensTable } = tables
const key = { provider: 'demo', providerAccountId: '42' }
const old = { access_token: 'old access', refresh_token: 'old refresh', id_token: 'old id', expires_at: now + 10 }

let client: Database.Database
let adapter: ReturnType<typeof DrizzleAdapter<typeof tables>>
let userId: string
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: now * 1000 })
  client = new Database(':memory:')
  for (const table of [usersTable, sessionsTable]) client.exec(createTable(table, '"'))
  client.exec(createTable(accountsTable, '"', ['primary key (provider, "providerAccountId")']))
  client.exec(createTable(verificationTokensTable, '"', ['primary key (identifier, token)']))
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
const leases = () => client.prepare('select token from "verificationToken"').pluck().all()

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
    [{ early: 60 }, 61],
    [{ early: 0 }, 1],
    [{ early: 600 }, 601],
  ])('for long enough with %j is returned', async (options, seconds) => {
    await link({ expires_at: now + seconds })
    expect((await get(unused, { options })).outcome).toBe('old access')
    await adapter.updateAccount({ ...key, expires_at: now + seconds - 1 })
    expect((await get(renewed, { options })).outcome).toBe('new access')
  })

  test('forever is returned, also without a provider that could renew it', async () => {
    await link({ expires_at: null, refresh_token: null })
    expect((await get(unused)).outcome).toBe('old access')
    expect(await accessTokens(adapter, { providers: {} }).get(userId, 'demo')).toBe('old access')
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

  test('keeps the refresh token where there is no new one, and loses its time where there is none', async () => {
    await link({ expires_in: 10 })
    expect((await get(() => ({ access_token: 'new access' }))).outcome).toBe('new access')
    const account = await read()
    expect(account).toMatchObject({ access_token: 'new access', refresh_token: 'old refresh', id_token: 'old id' })
    expect(account).not.toHaveProperty('expires_at')
    expect(account).not.toHaveProperty('expires_in')
  })

  test('is renewed again when it is about to expire', async () => {
    await link()
    const { tokens, refresh } = await get(renewed)
    expect(await tokens.get(userId, 'demo')).toBe('new access')
    expect(refresh).toHaveBeenCalledOnce()
    vi.setSystemTime((now + 3_600) * 1000)
    expect(await tokens.get(userId, 'demo')).toBe('new access')
    expect(refresh).toHaveBeenCalledTimes(2)
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
    expect(await kindOf('nobody')).toBe('no-account')
    expect(await kindOf(userId, 'other')).toBe('no-account')
    expect(await kindOf(userId, 'demo', { providerAccountId: '43' })).toBe('no-account')
  })

  test('where the account is one of several', async () => {
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

  test.each([[{}], [{ access_token: '' }], [null], ['text'], [{ refresh_token: 'new' }]])(
    'where the provider answers %j',
    async (answer) => {
      await link()
      expect((await get(() => answer)).outcome).toMatchObject({ kind: 'unreachable' })
      expect(await read()).toMatchObject(old)
    },
  )
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

  test('is asked again by the next caller, at once', async () => {
    await link()
    const { tokens, refresh } = await get(failing(new Error('down')))
    expect(leases()).toEqual([])
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
    const updateAccount = vi.fn(adapter.updateAccount)
    expect((await get(demo, { over: { updateAccount } })).outcome).toBe('their access')
    expect(updateAccount).not.toHaveBeenCalled()
    expect(await read()).toMatchObject(theirs)
  })

  test('is the error, also where the lease cannot be released', async () => {
    await link()
    const over = { useVerificationToken: () => Promise.reject(new Error('down')) }
    expect((await get(failing(new AccessTokenError('revoked')), { over })).outcome).toMatchObject({ kind: 'revoked' })
  })
})

describe('a row that changes meanwhile', () => {
  test('keeps what others wrote, and their token is returned', async () => {
    await link()
    const theirs = { access_token: 'their access', refresh_token: 'their refresh' }
    const demo = async () => {
      await adapter.updateAccount({ ...key, ...theirs })
      return renewed()
    }
    expect((await get(demo)).outcome).toBe('their access')
    expect(await read()).toMatchObject(theirs)
  })

  test('without new tokens does not lose what the provider sent', async () => {
    await link()
    expect((await get(renewed, { over: { updateAccount: async () => null } })).outcome).toBe('new access')
  })
})

describe('accessTokens rejects', () => {
  const demo = async () => ({})
  const made =
    (given: unknown, options: unknown = { providers: { demo } }) =>
    () =>
      accessTokens(given as never, options as never)

  test('what is not an adapter with verification tokens', () => {
    expect(made(adapter)).not.toThrow()
    const { updateAccount: _, ...other } = adapter
    for (const given of [null, undefined, {}, other]) expect(made(given)).toThrow(/^accessTokens: the first argument/)
    expect(made({ ...adapter, createVerificationToken: undefined })).toThrow(/^accessTokens: the adapter has no verification tokens/)
  })

  test.each([
    [undefined, 'providers'],
    [{}, 'providers'],
    [{ providers: null }, 'providers'],
    [{ providers: 'text' }, 'providers'],
    [{ providers: { demo, other: {} } }, 'providers'],
    [{ providers: {}, early: -1 }, 'early'],
    [{ providers: {}, early: Number.POSITIVE_INFINITY }, 'early'],
    [{ providers: {}, early: '5' }, 'early'],
    [{ providers: {}, lease: 999 }, 'lease'],
    [{ providers: {}, lease: Number.NaN }, 'lease'],
    [{ providers: {}, lease: Number.POSITIVE_INFINITY }, 'lease'],
    [{ providers: {}, lease: '5000' }, 'lease'],
  ])('%j', (options, name) => {
    const given = options ?? null
    expect(made(adapter, given)).toThrow(AdapterConfigError)
    expect(made(adapter, given)).toThrow(new RegExp(`^accessTokens: ${name} `))
  })

  test('nothing that is at its limit', () => expect(made(adapter, { providers: {}, early: 0, lease: 1_000 })).not.toThrow())
})
