import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import type { AnyAdapter, Store } from './stores.js'
import { openStore } from './stores.js'

describe.each([
  ['digest', undefined],
  ['sign', 'a secret of at least thirty-two characters'],
] as const)('the hashes of session tokens, computed with %s', (method, hmac) => {
  let store: Store
  let adapter: AnyAdapter
  beforeEach(async () => {
    store = await openStore(inject('dialects')[0] as 'sqlite')
    adapter = store.adapter(secretsAtRest({ sessionTokens: { mode: 'hashed', ...(hmac && { hmac }) } }))
  })
  afterEach(() => store.close())

  /** How many hashes are computed while the adapter looks up these sessions. */
  async function hashesFor(tokens: string[]): Promise<number> {
    const spy = vi.spyOn(crypto.subtle, method)
    try {
      for (const token of tokens) await adapter.getSessionAndUser(token)
      return spy.mock.calls.length
    } finally {
      spy.mockRestore()
    }
  }

  test('are computed once for a token that is used repeatedly', async () => {
    const { id: userId } = await adapter.createUser({ email: 'ada@example.com' })
    const session = await adapter.createSession({ sessionToken: 'a token', userId, expires: new Date('2031-01-01') })
    expect(await hashesFor(['a token', 'a token', 'a token'])).toBe(0)
    expect(await adapter.getSessionAndUser('a token')).toMatchObject({ session })
    await adapter.deleteSession('a token')
    expect(await adapter.getSessionAndUser('a token')).toBeNull()
  })

  test('are evicted after a thousand other tokens', async () => {
    const others = Array.from({ length: 1_000 }, (_, index) => `token ${index}`)
    expect(await hashesFor(['first', ...others, 'first', 'token 999'])).toBe(1_002)
  })

  test('are not cached for tokens of unusual length', async () => {
    expect(await hashesFor(['x'.repeat(256), 'x'.repeat(256)])).toBe(2)
  })
})
