import { describe, expect, test, vi } from 'vitest'
import { credentialSessions } from '../../../src/authjs/index.js'
import { AdapterConfigError } from '../../../src/query/errors.js'

// What the wrapped configuration does when the library calls its parts, in the library's order: authorize, jwt, encode.
// test/auth/authjs.test.ts signs in with the libraries themselves.

const ada = { id: '1', name: 'Ada' }

type Any = (...parameters: unknown[]) => unknown
interface Provider {
  type: string
  authorize?: Any
  options?: { authorize?: Any; more?: number }
}
interface Config {
  adapter?: unknown
  providers: unknown[]
  session?: { strategy?: string; updateAge?: number }
  callbacks?: Record<string, Any>
  jwt?: { encode?: Any }
  cookies?: { sessionToken?: { name?: string } }
}

const credentials = (authorize: Any = async () => ada): Provider => ({ type: 'credentials', authorize })

function openApp(config: Partial<Config> = {}) {
  const calls: unknown[][] = []
  const adapter = {
    createSession: async (session: object) => void calls.push(['create', session]),
    deleteSession: async (token: string) => void calls.push(['delete', token]),
  }
  const given = { adapter, providers: [credentials()], ...config } as Config
  const wrapped = credentialSessions(adapter as never, given as never) as Config & Required<Pick<Config, 'callbacks' | 'jwt'>>
  /** Signs in as the library does. Returns the value of the cookie. */
  const signIn = async (request?: unknown) => {
    const provider = wrapped.providers[0] as Provider
    const user = await (provider.authorize ?? provider.options?.authorize)?.({ password: 'x' }, request)
    const token = await wrapped.callbacks.jwt?.({ token: { sub: '1' }, user, account: { type: 'credentials' } })
    return wrapped.jwt.encode?.({ token })
  }
  return { wrapped, calls, signIn }
}

const withCookies = (cookie: string) => ({ headers: new Headers({ cookie }) })

describe('a sign-in with a password', () => {
  test("goes through the app's own callbacks", async () => {
    const jwt = vi.fn(async () => ({ own: true }))
    const { wrapped, calls, signIn } = openApp({ callbacks: { jwt, signIn: () => true } })
    await signIn()
    expect(jwt).toHaveBeenCalledExactlyOnceWith({ token: { sub: '1' }, user: ada, account: { type: 'credentials' } })
    expect(calls).toMatchObject([['create', { userId: '1' }]])
    expect(wrapped.callbacks.signIn?.()).toBe(true)
  })

  test('creates no session without a user, or without a token of the jwt callback', async () => {
    for (const config of [{ providers: [credentials(() => null)] }, { callbacks: { jwt: () => null } }]) {
      const { calls, signIn } = openApp(config)
      await expect(signIn()).rejects.toThrow(AdapterConfigError)
      expect(calls).toEqual([])
    }
  })
})

describe('the previous session of the browser', () => {
  const deletedBy = async (request: unknown, config: Partial<Config> = {}) => {
    const { calls, signIn } = openApp(config)
    await signIn(request)
    expect(calls[0]?.[0]).toBe('create')
    return calls.slice(1)
  }

  test.each([
    ['authjs.session-token=old', 'old'],
    ['__Secure-next-auth.session-token=old', 'old'],
    ['a=1;authjs.session-token = old ;b=2', 'old'],
    ['authjs.session-token=a=b', 'a=b'],
    ['authjs.session-token=%C3%BC%20x', 'ü x'],
    ['authjs.session-token=plain; __Secure-authjs.session-token=secure', 'secure'],
  ])('is deleted after the new one was created: %s', async (cookie, token) => {
    expect(await deletedBy(withCookies(cookie))).toEqual([['delete', token]])
    // As next-auth 4 passes it.
    expect(await deletedBy({ headers: { cookie } })).toEqual([['delete', token]])
  })

  test.each(['', 'other=old', 'authjs.session-token', 'authjs.session-token=', 'authjs.session-token=%zz'])(
    'does not exist for the cookies %j',
    async (cookie) => expect(await deletedBy(withCookies(cookie))).toEqual([]),
  )

  test("is found only under the app's own cookie name", async () => {
    const cookies = { sessionToken: { name: 'mine' } }
    expect(await deletedBy(withCookies('authjs.session-token=other; mine=old'), { cookies })).toEqual([['delete', 'old']])
    expect(await deletedBy(withCookies('authjs.session-token=other'), { cookies })).toEqual([])
  })
})

describe('other tokens', () => {
  test("are encoded by the app's own function", async () => {
    const encode = vi.fn(async () => 'encoded')
    const { wrapped, calls } = openApp({ jwt: { encode } })
    for (const account of [{ type: 'oauth' }, null]) {
      const token = await wrapped.callbacks.jwt?.({ token: {}, user: ada, account })
      expect(await wrapped.jwt.encode?.({ token, salt: 's' })).toBe('encoded')
      expect(encode).toHaveBeenLastCalledWith({ token, salt: 's' })
    }
    expect(calls).toEqual([])
  })

  test('are an error without one', async () => {
    await expect(openApp().wrapped.jwt.encode?.({ token: {} })).rejects.toThrow(AdapterConfigError)
  })
})

describe('the configuration', () => {
  test('keeps other providers and options', () => {
    const oauth = { id: 'github', type: 'oauth', authorize: () => null }
    const { wrapped } = openApp({ providers: [credentials(), oauth], session: { strategy: 'database', updateAge: 5 } })
    expect(wrapped.providers[1]).toBe(oauth)
    expect(wrapped.session).toMatchObject({ updateAge: 5 })
    // The libraries refuse it where credentials stand alone.
    expect(wrapped.session).not.toHaveProperty('strategy')
  })

  test.each([
    ['in the options of a provider', () => ({ type: 'credentials', options: { authorize: async () => ada, more: 1 } })],
    ['of a provider that is a function', () => credentials],
  ])('wraps authorize %s', async (_, makeProvider) => {
    const { wrapped, calls, signIn } = openApp({ providers: [makeProvider()] })
    const [provider] = wrapped.providers
    if (typeof provider === 'function') wrapped.providers[0] = provider()
    await signIn(withCookies('authjs.session-token=old'))
    expect(calls.map(([what]) => what)).toEqual(['create', 'delete'])
  })

  test('is rejected with JWT sessions, without an adapter, and without sessions in the adapter', () => {
    expect(() => openApp({ session: { strategy: 'jwt' } })).toThrow(AdapterConfigError)
    expect(() => openApp({ adapter: undefined })).toThrow(/^credentialSessions: the configuration has no adapter/)
    expect(() => credentialSessions({} as never, { adapter: {}, providers: [] })).toThrow(AdapterConfigError)
  })
})
