import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { credentialSessions } from '../../../src/authjs/index.js'
import { AdapterConfigError } from '../../../src/query/errors.js'

// What the wrapped configuration does when the library calls its parts, in the library's order: authorize, jwt, encode.
// test/auth/authjs.test.ts signs in with the libraries themselves.

const now = 1_800_000_000_000
const days = 24 * 60 * 60 * 1000
const ada = { id: '1', name: 'Ada' }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now })
})
afterEach(() => {
  vi.useRealTimers()
})

type Any = (...parameters: unknown[]) => unknown
interface Provider {
  id: string
  type: string
  authorize?: Any
  options?: { authorize?: Any; more?: number }
}
interface Config {
  adapter?: unknown
  providers: unknown[]
  session?: { strategy?: string; maxAge?: number; generateSessionToken?: () => string; updateAge?: number }
  callbacks?: Record<string, Any>
  jwt?: { encode?: Any; maxAge?: number }
  cookies?: { sessionToken?: { name?: string } }
  pages?: object
}

const credentials = (authorize: Any = async () => ada): Provider => ({ id: 'credentials', type: 'credentials', authorize })

function openApp(config: Partial<Config> = {}) {
  const calls: unknown[][] = []
  const adapter = {
    createSession: async (session: object) => void calls.push(['create', session]),
    deleteSession: async (token: string) => void calls.push(['delete', token]),
  }
  const given = { adapter, providers: [credentials()], ...config } as Config
  const wrapped = credentialSessions(adapter as never, given as never) as Config & Required<Pick<Config, 'callbacks' | 'jwt'>>
  const provider = wrapped.providers[0] as Provider
  /** Signs in as the library does. Returns the value of the cookie. */
  const signIn = async (request?: unknown, authorize = provider.authorize ?? provider.options?.authorize) => {
    const user = await authorize?.({ password: 'x' }, request)
    const token = await wrapped.callbacks.jwt?.({ token: { sub: '1' }, user, account: { type: 'credentials' } })
    return wrapped.jwt.encode?.({ token })
  }
  return { wrapped, given, calls, signIn }
}

const withCookies = (cookie: string) => ({ headers: new Headers({ cookie }) })

describe('a sign-in with a password', () => {
  test('creates a session of thirty days, whose token is the cookie', async () => {
    const { calls, signIn } = openApp()
    const sessionToken = await signIn()
    expect(sessionToken).toMatch(/^[\da-f-]{36}$/)
    expect(calls).toEqual([['create', { sessionToken, userId: '1', expires: new Date(now + 30 * days) }]])
    expect(await signIn()).not.toBe(sessionToken)
  })

  test("has the app's own maximum age and tokens", async () => {
    const { calls, signIn } = openApp({ session: { maxAge: 60, generateSessionToken: () => 'own' } })
    expect(await signIn()).toBe('own')
    expect(calls).toEqual([['create', { sessionToken: 'own', userId: '1', expires: new Date(now + 60_000) }]])
  })

  test('has the id of the user as a text', async () => {
    const { calls, signIn } = openApp({ providers: [credentials(() => ({ id: 7 }))] })
    await signIn()
    expect(calls).toMatchObject([['create', { userId: '7' }]])
  })

  test("goes through the app's own jwt callback", async () => {
    const own = { mine: true }
    const jwt = vi.fn(async () => own)
    const { wrapped, calls, signIn } = openApp({ callbacks: { jwt, signIn: () => true } })
    await signIn()
    expect(jwt).toHaveBeenCalledExactlyOnceWith({ token: { sub: '1' }, user: ada, account: { type: 'credentials' } })
    expect(calls).toHaveLength(1)
    expect(wrapped.callbacks.signIn?.()).toBe(true)
    // The token of the callback is the one that counts.
    expect(await wrapped.jwt.encode?.({ token: own })).toBeTypeOf('string')
  })

  test('creates no session where that callback returns nothing', async () => {
    for (const token of [null, undefined, 'text']) {
      const { calls, signIn } = openApp({ callbacks: { jwt: () => token } })
      await expect(signIn()).rejects.toThrow(AdapterConfigError)
      expect(calls).toEqual([])
    }
  })

  test('does not find who has no user', async () => {
    for (const user of [null, undefined]) {
      const { calls, signIn } = openApp({ providers: [credentials(() => user)] })
      await expect(signIn()).rejects.toThrow(AdapterConfigError)
      expect(calls).toEqual([])
    }
  })
})

describe('the session that the browser had before', () => {
  const previousOf = async (request: unknown, config: Partial<Config> = {}) => {
    const { calls, signIn } = openApp(config)
    await signIn(request)
    expect(calls[0]?.[0]).toBe('create')
    return calls.slice(1)
  }

  test.each([
    ['authjs.session-token=old', 'old'],
    ['__Secure-authjs.session-token=old', 'old'],
    ['next-auth.session-token=old', 'old'],
    ['__Secure-next-auth.session-token=old', 'old'],
    ['a=1; authjs.session-token=old; b=2', 'old'],
    ['a=1;authjs.session-token = old ;b=2', 'old'],
    ['authjs.session-token=a=b', 'a=b'],
    ['authjs.session-token=%C3%BC%20x', 'ü x'],
    ['authjs.session-token=plain; __Secure-authjs.session-token=secure', 'secure'],
  ])('is deleted after the new one was created: %s', async (cookie, token) => {
    expect(await previousOf(withCookies(cookie))).toEqual([['delete', token]])
    // As next-auth 4 passes it.
    expect(await previousOf({ headers: { cookie } })).toEqual([['delete', token]])
  })

  test.each([
    '',
    'other=old',
    'session-token=old',
    'authjs.session-token',
    'authjs.session-tokens',
    'authjs.session-token=',
    '=old',
    'authjs.session-token=%zz',
  ])('is none: %j', async (cookie) => expect(await previousOf(withCookies(cookie))).toEqual([]))

  test.each([undefined, null, {}, { headers: {} }, { headers: new Headers() }, { headers: null }])(
    'is none without cookies',
    async (request) => {
      expect(await previousOf(request)).toEqual([])
    },
  )

  test("is found by the app's own name of the cookie, and by no other", async () => {
    const cookies = { sessionToken: { name: 'mine' } }
    expect(await previousOf(withCookies('authjs.session-token=other; mine=old'), { cookies })).toEqual([['delete', 'old']])
    expect(await previousOf(withCookies('authjs.session-token=other'), { cookies })).toEqual([])
    for (const none of [{}, { sessionToken: {} }, { sessionToken: { name: '' } }])
      expect(await previousOf(withCookies('authjs.session-token=old'), { cookies: none })).toEqual([['delete', 'old']])
  })
})

describe('other tokens', () => {
  const others = [
    { token: {}, user: ada, account: { type: 'oauth' } },
    { token: {}, user: ada, account: null },
    { token: {}, user: ada },
    { token: {}, account: { type: 'credentials' } },
  ]

  test("are encoded by the app's own function", async () => {
    const encode = vi.fn(async () => 'encoded')
    const { wrapped, calls } = openApp({ jwt: { encode, maxAge: 5 } })
    for (const parameters of others) {
      const token = await wrapped.callbacks.jwt?.(parameters)
      expect(token).toBe(parameters.token)
      expect(await wrapped.jwt.encode?.({ token, salt: 's' })).toBe('encoded')
      expect(encode).toHaveBeenLastCalledWith({ token, salt: 's' })
    }
    expect(await wrapped.jwt.encode?.({})).toBe('encoded')
    expect(calls).toEqual([])
    expect(wrapped.jwt.maxAge).toBe(5)
  })

  test('are an error without one', async () => {
    for (const config of [{}, { jwt: {} }])
      await expect(openApp(config).wrapped.jwt.encode?.({ token: {} })).rejects.toThrow(AdapterConfigError)
  })
})

describe('the configuration', () => {
  test('keeps everything else, and is not changed itself', () => {
    const oauth = { id: 'github', type: 'oauth', authorize: () => null }
    const config = { providers: [credentials(), oauth], pages: { error: '/problem' }, session: { strategy: 'database', updateAge: 5 } }
    const { wrapped, given } = openApp(config)
    expect(wrapped).toMatchObject({ pages: { error: '/problem' }, session: { updateAge: 5, maxAge: (30 * days) / 1000 } })
    expect(wrapped.session).not.toHaveProperty('strategy')
    expect(wrapped.providers[1]).toBe(oauth)
    expect(given.providers).toEqual([expect.objectContaining({ id: 'credentials' }), oauth])
    expect(given.session).toEqual({ strategy: 'database', updateAge: 5 })
    expect(openApp().wrapped).not.toHaveProperty('session')
  })

  test('wraps authorize in the options of a provider, and keeps its other options', async () => {
    const options = { authorize: async () => ada, more: 1 }
    const { wrapped, calls, signIn } = openApp({ providers: [{ id: 'credentials', type: 'credentials', options }] })
    const [provider] = wrapped.providers as [Provider]
    expect(provider).not.toHaveProperty('authorize')
    expect(provider.options?.more).toBe(1)
    await signIn(withCookies('authjs.session-token=old'))
    expect(calls.map(([what]) => what)).toEqual(['create', 'delete'])
    const { wrapped: without } = openApp({ providers: [{ type: 'credentials', options: { more: 1 } }, { type: 'credentials' }, null] })
    expect(without.providers).toEqual([{ type: 'credentials', options: { more: 1 } }, { type: 'credentials' }, null])
  })

  test('wraps providers that are functions', async () => {
    const make = vi.fn((...parameters: unknown[]) => ({ ...credentials(), parameters }))
    const { wrapped, calls, signIn } = openApp({ providers: [make] })
    const provider = (wrapped.providers[0] as Any)('a', 'b') as Provider
    expect(provider).toMatchObject({ id: 'credentials', parameters: ['a', 'b'] })
    await signIn(withCookies('authjs.session-token=old'), provider.authorize)
    expect(calls.map(([what]) => what)).toEqual(['create', 'delete'])
  })

  test('passes to authorize what the library passes', async () => {
    const authorize = vi.fn(async () => ada)
    const request = withCookies('a=1')
    await openApp({ providers: [credentials(authorize)] }).signIn(request)
    expect(authorize).toHaveBeenCalledExactlyOnceWith({ password: 'x' }, request)
  })

  test('is rejected with JWT sessions, without an adapter, and without sessions in the adapter', () => {
    expect(() => openApp({ session: { strategy: 'jwt' } })).toThrow(AdapterConfigError)
    for (const adapter of [undefined, null])
      expect(() => openApp({ adapter })).toThrow(/^credentialSessions: the configuration has no adapter/)
    for (const adapter of [{}, undefined, null])
      expect(() => credentialSessions(adapter as never, { adapter: {}, providers: [] })).toThrow(AdapterConfigError)
  })
})
