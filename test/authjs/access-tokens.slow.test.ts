import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { AdapterConfigError } from 'drizzle-auth-adapter'
import { AccessTokenError, accessTokens, refreshWith } from 'drizzle-auth-adapter/authjs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { secretsOf } from '../secrets/modes.js'
import type { Store } from '../secrets/stores.js'
import { openStore } from '../secrets/stores.js'
import { startAuthorizationServer } from './server.js'

const soon = () => Math.floor(Date.now() / 1000) + 10
const later = () => Math.floor(Date.now() / 1000) + 600

describe.each(inject('dialects'))('accessTokens on %s', (dialect) => {
  let store: Store
  let server: Awaited<ReturnType<typeof startAuthorizationServer>>
  beforeAll(async () => {
    store = await openStore(dialect)
    server = await startAuthorizationServer()
  })
  afterAll(async () => {
    await server.close()
    await store.close()
  })

  const secrets = secretsOf('final')
  const open = () => store.adapter(secrets)

  async function newAccount(tokens: object = {}, provider = 'demo') {
    const user = await open().createUser({ email: `${crypto.randomUUID()}@example.com` })
    const key = { provider, providerAccountId: crypto.randomUUID() }
    const account = { userId: user.id, type: 'oauth' as const, ...key, access_token: 'old access', expires_at: soon(), ...tokens }
    await open().linkAccount(account)
    return { user, key, read: () => open().getAccount(key.providerAccountId, key.provider) }
  }

  /** The access tokens of one instance of the app. */
  const newInstance = (lease = 30_000, providers = { demo: refreshWith(server) }) => accessTokens(open(), { providers, lease })

  // For tests that take long and do not depend on the dialect.
  const testOnce = dialect === inject('dialects')[0] ? test : () => {}

  /** Simulates an instance that takes the lease and dies during its request. */
  const dieWithLease = (userId: string, lease = 60_000) =>
    new Promise<void>((resolve) => {
      const demo = () => new Promise<never>(() => resolve())
      const dead = { ...open(), useVerificationToken: () => new Promise<never>(() => {}) }
      accessTokens(dead, { providers: { demo }, lease })
        .get(userId, 'demo')
        .catch(() => {})
    })

  test('a token that is valid or never expires is returned unchanged', async () => {
    for (const expires_at of [later(), undefined]) {
      const { user } = await newAccount({ expires_at })
      expect(await newInstance().get(user.id, 'demo')).toBe('old access')
    }
  })

  test('fifty callers on three instances: the provider is asked once, and everybody gets its answer', async () => {
    const { user, read } = await newAccount({ refresh_token: await server.issue(), scope: 'openid' })
    const before = server.requests.length
    const instances = [newInstance(), newInstance(), newInstance()]
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, index) => instances[index % 3]?.get(user.id, 'demo')))
    expect(server.requests.length - before).toBe(1)
    const account = await read()
    expect(new Set(tokens)).toEqual(new Set([account?.access_token]))
    expect(account?.access_token).not.toBe('old access')
    expect(account?.expires_at).toBeGreaterThan(later())
    // The grant was not revoked: the stored refresh token works.
    await open().updateAccount({ provider: 'demo', providerAccountId: account?.providerAccountId as string, expires_at: soon() })
    expect(await newInstance().get(user.id, 'demo')).not.toBe(account?.access_token)
    expect(server.requests.length - before).toBe(2)
  })

  testOnce('callers wait only once for a holder that died, even if the provider then fails', async () => {
    const { user } = await newAccount({ refresh_token: 'r1' })
    let found = 0
    const adapter = open()
    const counting: typeof adapter = {
      ...adapter,
      createVerificationToken: (token) =>
        adapter.createVerificationToken(token).catch((error) => {
          found++
          throw error
        }),
    }
    await dieWithLease(user.id)
    const failing = accessTokens(counting, { providers: { demo: async () => Promise.reject(new Error('down')) }, lease: 3_000 })
    await expect(failing.get(user.id, 'demo')).rejects.toMatchObject({ kind: 'unreachable' })
    const before = found
    expect(before).toBeGreaterThan(0)
    await expect(failing.get(user.id, 'demo')).rejects.toMatchObject({ kind: 'unreachable' })
    expect(found).toBe(before)
  })

  test.each([
    { when: 'within the lease releases it', delay: 0, lease: 30_000, released: 1 },
    { when: 'after the lease does not release it, because another may have it', delay: 1_100, lease: 1_000, released: 0 },
  ])('a failure $when', async ({ delay, lease, released }) => {
    const { user } = await newAccount({ refresh_token: 'r1' })
    const adapter = open()
    let asked = false
    let releases = 0
    const slow: typeof adapter = {
      ...adapter,
      // After the provider has failed, the database answers late.
      async listAccounts(userId) {
        if (asked) await sleep(delay)
        return adapter.listAccounts(userId)
      },
      async useVerificationToken(token) {
        releases++
        return adapter.useVerificationToken(token)
      },
    }
    const demo = async () => {
      asked = true
      throw new Error('down')
    }
    await expect(accessTokens(slow, { providers: { demo }, lease }).get(user.id, 'demo')).rejects.toMatchObject({ kind: 'unreachable' })
    expect(releases).toBe(released)
  })

  testOnce('a sweep of expired rows does not let two callers ask the provider at the same time', async () => {
    const { user } = await newAccount({ refresh_token: 'r1' })
    await dieWithLease(user.id, 1_000)
    let asked = 0
    let third: Promise<string> | undefined
    const adapter = open()
    const withWaitHook = (resolve: () => void): typeof adapter => ({
      ...adapter,
      createVerificationToken: (token) =>
        adapter.createVerificationToken(token).catch((error) => {
          resolve()
          throw error
        }),
    })
    const demo = async () => {
      asked++
      return { access_token: 'new', refresh_token: 'r2', expires_in: 3_600 }
    }
    const second = accessTokens(open(), {
      lease: 8_000,
      providers: {
        async demo() {
          await store.sweep()
          // The third caller either waits for the lease, or wrongly asks the provider as well.
          await new Promise<void>((resolve) => {
            third = accessTokens(withWaitHook(resolve), { providers: { demo } }).get(user.id, 'demo')
            void third.then(() => resolve())
          })
          return demo()
        },
      },
    })
    expect(await second.get(user.id, 'demo')).toBe('new')
    expect(await third).toBe('new')
    expect(asked).toBe(1)
  })

  test('a slow holder never overwrites newer tokens', async () => {
    const { user, key, read } = await newAccount({ refresh_token: 'r1' })
    const slow = newInstance(30_000, {
      demo: async () => {
        await open().updateAccount({ ...key, access_token: 'newer', refresh_token: 'r2', expires_at: later() })
        return { access_token: 'stale', refresh_token: 'r3' }
      },
    } as never)
    expect(await slow.get(user.id, 'demo')).toBe('newer')
    expect(await read()).toMatchObject({ access_token: 'newer', refresh_token: 'r2' })
  })

  test('if the provider rejects the refresh, the row is read again, because another caller may have refreshed it', async () => {
    const { user, key } = await newAccount({ refresh_token: 'r1' })
    const rejected = newInstance(30_000, {
      demo: async () => {
        await open().updateAccount({ ...key, access_token: 'theirs', refresh_token: 'r2', expires_at: later() })
        throw new AccessTokenError('revoked')
      },
    } as never)
    expect(await rejected.get(user.id, 'demo')).toBe('theirs')
  })

  testOnce('a request that takes too long is aborted before the lease ends', async () => {
    const { user } = await newAccount({ refresh_token: 'r1' })
    const lease = 6_000
    let taken = 0
    const demo = (_: unknown, { signal }: { signal: AbortSignal }) => {
      const begin = Date.now()
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          taken = Date.now() - begin
          reject(new Error('aborted'))
        })
      })
    }
    await expect(newInstance(lease, { demo } as never).get(user.id, 'demo')).rejects.toMatchObject({ kind: 'unreachable' })
    expect(taken).toBeGreaterThan(0)
    expect(taken).toBeLessThan(lease)
  })

  test('waiting callers share an error, which contains no token; later ones try again', async () => {
    const { user } = await newAccount({ refresh_token: 'secret-refresh-token' })
    let asked = 0
    const failing = newInstance(30_000, {
      demo: async () => {
        asked++
        throw new Error('secret-refresh-token was refused')
      },
    } as never)
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => failing.get(user.id, 'demo')))
    expect(asked).toBe(1)
    for (const result of results) {
      const { reason } = result as PromiseRejectedResult
      expect(reason).toBeInstanceOf(AccessTokenError)
      expect(reason.kind).toBe('unreachable')
      expect(inspect(reason, { depth: 9, showHidden: true })).not.toContain('secret-refresh-token')
    }
    await expect(failing.get(user.id, 'demo')).rejects.toMatchObject({ kind: 'unreachable' })
    expect(asked).toBe(2)
  })

  test('fails with a kind that says what is missing', async () => {
    const get = (userId: string, provider = 'demo', options = {}) => newInstance().get(userId, provider, options)
    await expect(get('nobody')).rejects.toMatchObject({ kind: 'no-account' })
    const { user } = await newAccount()
    await expect(get(user.id)).rejects.toMatchObject({ kind: 'no-refresh-token' })
    await expect(get(user.id, 'other')).rejects.toMatchObject({ kind: 'no-account' })
    const { user: two, key } = await newAccount({ expires_at: later() })
    await open().linkAccount({ userId: two.id, type: 'oauth', provider: 'demo', providerAccountId: crypto.randomUUID() })
    await expect(get(two.id)).rejects.toMatchObject({ kind: 'ambiguous' })
    expect(await get(two.id, 'demo', { providerAccountId: key.providerAccountId })).toBe('old access')
    const { user: unknown } = await newAccount({ refresh_token: 'r' }, 'toString')
    await expect(get(unknown.id, 'toString')).rejects.toMatchObject({ kind: 'no-provider' })
    const { user: revoked } = await newAccount({ refresh_token: 'never issued' })
    await expect(get(revoked.id)).rejects.toMatchObject({ kind: 'revoked' })
  })
})

test('accessTokens needs the operations for verification tokens, and rejects invalid options', () => {
  const adapter = { listAccounts() {}, updateAccount() {}, createVerificationToken() {}, useVerificationToken() {} } as never
  const { createVerificationToken: _, ...without } = adapter as Record<string, unknown>
  expect(() => accessTokens(without as never, { providers: {} })).toThrow(AdapterConfigError)
  for (const options of [undefined, {}, { providers: { a: 1 } }, { providers: {}, early: -1 }, { providers: {}, lease: 1 }])
    expect(() => accessTokens(adapter, options as never)).toThrow(AdapterConfigError)
})

test('refreshWith accepts only endpoints with https or on localhost', () => {
  const client = { clientId: 'id', clientSecret: 'secret' }
  for (const tokenEndpoint of ['https://example.com/token', 'http://localhost:1/token', 'http://127.0.0.1/token', 'http://[::1]/token'])
    expect(refreshWith({ ...client, tokenEndpoint })).toBeTypeOf('function')
  for (const tokenEndpoint of ['http://example.com/token', 'http://localhost.example.com', 'ftp://localhost', 'token', ''])
    expect(() => refreshWith({ ...client, tokenEndpoint })).toThrow(AdapterConfigError)
  expect(() => refreshWith({ ...client, clientSecret: undefined, tokenEndpoint: 'https://a.example' })).toThrow(AdapterConfigError)
  expect(() => refreshWith({ ...client, tokenEndpoint: 'https://a.example', clientAuthentication: 'jwt' as never })).toThrow(
    AdapterConfigError,
  )
})
