import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { freshTokens } from '../../../src/authjs/index.js'

// test/auth/authjs.test.ts signs in with the libraries, on each database.

const now = 1_800_000_000
const key = { provider: 'github', providerAccountId: '42' }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The changes that a sign-in with this account stores, without fields that stay as they are. */
async function changesBy(account: object | null): Promise<object | undefined> {
  const updateAccount = vi.fn(async () => null)
  await freshTokens({ updateAccount } as never)({ account })
  const [changes] = (updateAccount.mock.calls[0] ?? []) as [object?]
  return changes && JSON.parse(JSON.stringify(changes))
}

describe('freshTokens', () => {
  test('stores the tokens of a sign-in', async () => {
    const tokens = { ...key, access_token: 'a', refresh_token: 'r', id_token: 'i', scope: 's', session_state: 'x' }
    // Some token endpoints send numbers as text.
    for (const expires_in of [60, '60', '60.9'])
      expect(await changesBy({ ...tokens, expires_in, type: 'oidc', userId: '1', token_type: 'Bearer' })).toEqual({
        ...tokens,
        expires_in: 60,
        token_type: 'bearer',
        expires_at: now + 60,
      })
  })

  test('clears what belongs to the old access token, but not the refresh token and the scope', async () => {
    const cleared = { id_token: null, token_type: null, session_state: null, expires_in: null, expires_at: null }
    expect(await changesBy({ type: 'oauth', ...key, access_token: 'a' })).toEqual({ ...key, access_token: 'a', ...cleared })
  })

  test('keeps the access token and its expiry if there is no new one', async () => {
    const account = { type: 'oidc', ...key, id_token: 'i', refresh_token: 'r', expires_in: 60, scope: 's' }
    expect(await changesBy(account)).toEqual({ ...key, id_token: 'i', refresh_token: 'r' })
  })

  test.each([null, { type: 'credentials', access_token: 'a' }, { type: 'email' }])('ignores a sign-in with %j', async (account) =>
    expect(await changesBy(account && { ...key, ...account })).toBeUndefined(),
  )

  test('reports a failure to onError, and never rejects', async () => {
    const failure = new Error('down')
    const onError = vi.fn(() => Promise.reject(failure))
    const adapter = { updateAccount: () => Promise.reject(failure) } as never
    await freshTokens(adapter, { onError })({ account: { type: 'oauth', ...key, access_token: 'a' } })
    expect(onError.mock.calls).toEqual([[failure]])
  })
})
