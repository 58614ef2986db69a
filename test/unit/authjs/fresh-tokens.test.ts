import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { freshTokens } from '../../../src/authjs/index.js'

const now = 1_800_000_000
const key = { provider: 'github', providerAccountId: '42' }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** What a sign-in with this account stores. `undefined` is left as it is. */
async function storedBy(account: object | null | undefined): Promise<object | undefined> {
  const updateAccount = vi.fn(async () => null)
  const result = await freshTokens({ updateAccount } as never)({ account } as never)
  expect(result).toBeUndefined()
  expect(updateAccount.mock.calls.length).toBeLessThanOrEqual(1)
  const [changes] = (updateAccount.mock.calls[0] ?? []) as [object?]
  return changes && JSON.parse(JSON.stringify(changes))
}

describe('the tokens of a sign-in', () => {
  test.each(['oauth', 'oidc'])('with %s are stored', async (type) => {
    const account = {
      type,
      ...key,
      access_token: 'a',
      refresh_token: 'r',
      id_token: 'i',
      expires_in: 60,
      scope: 's',
      token_type: 'Bearer',
      session_state: 'x',
    }
    const { type: _, ...tokens } = account
    expect(await storedBy({ ...account, userId: '1' })).toEqual({ ...tokens, token_type: 'bearer', expires_at: now + 60 })
  })

  test('replace everything that came with the old access token, except for the refresh token and the scope', async () => {
    const cleared = { id_token: null, token_type: null, session_state: null, expires_in: null, expires_at: null }
    expect(await storedBy({ type: 'oauth', ...key, access_token: 'a' })).toEqual({ ...key, access_token: 'a', ...cleared })
  })

  test('leave the access token and its time alone, where there is no new one', async () => {
    expect(
      await storedBy({ type: 'oidc', ...key, id_token: 'i', refresh_token: 'r', session_state: 'x', expires_in: 60, scope: 's' }),
    ).toEqual({
      ...key,
      id_token: 'i',
      session_state: 'x',
      refresh_token: 'r',
    })
    expect(await storedBy({ type: 'oidc', ...key })).toEqual(key)
  })

  test.each([null, undefined, {}, { type: 'credentials', access_token: 'a' }, { type: 'email' }, { type: 'webauthn' }])(
    'with %j are none',
    async (account) => expect(await storedBy(account && { ...key, ...account })).toBeUndefined(),
  )
})

describe('a failure', () => {
  const failure = new Error('down')
  const adapter = { updateAccount: () => Promise.reject(failure) } as never
  const message = { account: { type: 'oauth', ...key, access_token: 'a' } }

  test('is given to onError, and never breaks the sign-in', async () => {
    for (const onError of [
      vi.fn(),
      vi.fn(() => Promise.reject(failure)),
      vi.fn(() => {
        throw failure
      }),
    ]) {
      expect(await freshTokens(adapter, { onError })(message)).toBeUndefined()
      expect(onError.mock.calls).toEqual([[failure]])
    }
  })

  test('is logged by default', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    await freshTokens(adapter)(message)
    await freshTokens(adapter, {})(message)
    expect(log.mock.calls).toEqual([[failure], [failure]])
  })

  test('is waited for', async () => {
    let isLogged = false
    const onError = async () => {
      await new Promise(setImmediate)
      isLogged = true
    }
    await freshTokens(adapter, { onError })(message)
    expect(isLogged).toBe(true)
  })
})
