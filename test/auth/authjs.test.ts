import type { AuthConfig } from '@auth/core'
import { Auth, skipCSRFCheck } from '@auth/core'
import Credentials from '@auth/core/providers/credentials'
import { credentialSessions, freshTokens } from 'drizzle-auth-adapter/authjs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { whoIs } from '../browser/app.js'
import { openClient } from '../browser/client.js'
import { secretsOf } from '../integration/secrets/modes.js'
import type { Store } from '../integration/secrets/stores.js'
import { openStore } from '../integration/secrets/stores.js'
import { builtIn, openNextAuth } from './next-auth.js'
import type { Provider } from './provider.js'
import { startProvider } from './provider.js'

const origin = 'http://localhost:3000'
const days = 24 * 60 * 60

describe.each(inject('dialects'))('with @auth/core on %s', (dialect) => {
  let store: Store
  let provider: Provider
  beforeAll(async () => {
    store = await openStore(dialect)
    provider = await startProvider()
  })
  afterAll(async () => {
    await provider.close()
    await store.close()
  })

  const open = () => store.adapter(secretsOf('final'))
  const newUser = () => open().createUser({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada' })
  const oauth = () => ({
    ...{ id: 'demo', name: 'Demo', type: 'oauth' as const, ...provider.endpoints },
    profile: (profile: { id: string; email: string }) => profile,
  })

  /** An application with passwords. Everybody's password is `open sesame`. */
  function openApp(over: Partial<AuthConfig> = {}, providers: AuthConfig['providers'] = [], adapter = open()) {
    const errors: Error[] = []
    const authorize = async ({ id, password }: { id?: unknown; password?: unknown }) =>
      password === 'open sesame' ? ((await open().getUser(String(id))) as object) : null
    const config = credentialSessions(adapter, {
      basePath: '/auth',
      secret: 'a secret of the tests',
      trustHost: true,
      skipCSRFCheck,
      adapter: adapter as never,
      providers: [Credentials({ credentials: { id: {}, password: {} }, authorize }), ...providers],
      pages: { error: '/problem', signIn: '/problem' },
      logger: { error: (error) => void errors.push(error), warn() {}, debug() {} },
      ...over,
      callbacks: { session: ({ session, user }) => ({ ...session, user: { ...session.user, id: user?.id } }), ...over.callbacks },
    } satisfies AuthConfig)
    return { errors, browser: () => openClient(origin, (request) => Auth(request, config as AuthConfig)) }
  }

  const signIn = (client: ReturnType<typeof openClient>, id: string, password = 'open sesame') =>
    client.go('/auth/callback/credentials', { id, password, callbackUrl: '/' })

  test('signing in with a password creates a session in the database, and signing out deletes it', async () => {
    const user = await newUser()
    const app = openApp({ session: { maxAge: 7 * days, generateSessionToken: () => `own-${crypto.randomUUID()}` } })
    const client = app.browser()
    await signIn(client, user.id)
    expect(await whoIs(client)).toMatchObject({ id: user.id })
    const [session] = await open().listSessions(user.id)
    expect((session?.expires.getTime() as number) - Date.now()).toBeGreaterThan(6.9 * days * 1000)
    expect((session?.expires.getTime() as number) - Date.now()).toBeLessThan(7.1 * days * 1000)
    const other = app.browser()
    await signIn(other, user.id)
    expect(await open().listSessions(user.id)).toHaveLength(2)
    await client.go('/auth/signout', { callbackUrl: '/' })
    expect(await whoIs(client)).toBeUndefined()
    expect(await whoIs(other)).toMatchObject({ id: user.id })
    expect(await open().listSessions(user.id)).toHaveLength(1)
    await open().revokeSessions(user.id)
    expect(await whoIs(other)).toBeUndefined()
    expect(app.errors).toEqual([])
  })

  test('the previous session of the same browser is deleted when the new sign-in has succeeded', async () => {
    const [ada, eva] = [await newUser(), await newUser()]
    const { browser } = openApp({ callbacks: { signIn: ({ user }) => user.id !== 'nobody' } })
    const client = browser()
    await signIn(client, ada.id)
    await signIn(client, eva.id, 'wrong')
    expect(await whoIs(client)).toMatchObject({ id: ada.id })
    expect(await open().listSessions(ada.id)).toHaveLength(1)
    await signIn(client, eva.id)
    expect(await whoIs(client)).toMatchObject({ id: eva.id })
    expect(await open().listSessions(ada.id)).toEqual([])
  })

  test('no session is created for a wrong password, or if a callback of the app rejects the sign-in', async () => {
    const user = await newUser()
    const rejecting: Partial<AuthConfig>[] = [{}, { callbacks: { signIn: () => false } }, { callbacks: { jwt: () => null } }]
    for (const [index, over] of rejecting.entries()) {
      const client = openApp(over).browser()
      await signIn(client, user.id, index === 0 ? 'wrong' : 'open sesame')
      expect(await whoIs(client)).toBeUndefined()
      expect(await open().listSessions(user.id)).toEqual([])
    }
  })

  test.each(['before', 'after'] as const)('a sign-in whose session is created just %s revokeSessions', async (moment) => {
    const user = await newUser()
    const adapter = open()
    const elsewhere = openApp().browser()
    await signIn(elsewhere, user.id)
    const crossing: typeof adapter = {
      ...adapter,
      async createSession(session) {
        if (moment === 'after') await adapter.revokeSessions(user.id)
        const created = await adapter.createSession(session)
        if (moment === 'before') await adapter.revokeSessions(user.id)
        return created
      },
    }
    const app = openApp({}, [], crossing)
    const client = app.browser()
    await signIn(client, user.id)
    // A session that was created before the revocation is revoked with the others. One that is created after it stays valid.
    expect(await whoIs(client)).toEqual(moment === 'after' ? expect.objectContaining({ id: user.id }) : undefined)
    expect(await open().listSessions(user.id)).toHaveLength(moment === 'after' ? 1 : 0)
    expect(await whoIs(elsewhere)).toBeUndefined()
    expect(app.errors).toEqual([])
  })

  test('other providers keep working, and their tokens stay fresh', async () => {
    const errors: unknown[] = []
    const events = { signIn: freshTokens(open(), { onError: (error) => errors.push(error) }) as never }
    const app = openApp({ events }, [oauth() as never])
    const profile = { id: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.com` }
    const read = () => open().getAccount(profile.id, 'demo')
    const signInWith = async (token: object) => {
      provider.answer(profile, token)
      await app.browser().go('/auth/signin/demo', { callbackUrl: '/' })
    }
    await signInWith({ access_token: 'a1', refresh_token: 'r1', expires_in: 3600, scope: 'read' })
    const first = await read()
    expect(first).toMatchObject({ access_token: 'a1', refresh_token: 'r1', scope: 'read' })
    await signInWith({ access_token: 'a2', expires_in: 60 })
    const second = await read()
    expect(second).toMatchObject({ userId: first?.userId, access_token: 'a2', refresh_token: 'r1' })
    expect(second?.expires_at as number).toBeLessThan(first?.expires_at as number)
    expect(second?.scope).toBe('read')
    await signInWith({ access_token: 'a3', refresh_token: 'r3' })
    expect(await read()).toMatchObject({ access_token: 'a3', refresh_token: 'r3' })
    expect(await read()).not.toHaveProperty('expires_at')
    expect(errors).toEqual([])
    expect(app.errors).toEqual([])
  })

  test('freshTokens ignores sign-ins without OAuth, and never makes a sign-in fail', async () => {
    const errors: unknown[] = []
    const store = freshTokens(open(), { onError: (error) => errors.push(error) })
    await store({ account: null })
    await store({})
    await store({ account: { type: 'credentials', provider: 'p', providerAccountId: 'a', access_token: 'x' } })
    await store({ account: { type: 'oauth', provider: 'p', providerAccountId: 'gone', access_token: 'x' } })
    expect(await open().getAccount('gone', 'p')).toBeNull()
    expect(errors).toEqual([])
    const broken = freshTokens({ updateAccount: () => Promise.reject(new Error('down')) } as never, {
      onError: (error) => {
        errors.push(error)
        throw error
      },
    })
    await broken({ account: { type: 'oidc', provider: 'p', providerAccountId: 'a', access_token: 'x' } })
    expect(errors).toHaveLength(1)
  })
})

describe.each(inject('dialects'))('with next-auth 4 on %s', (dialect) => {
  let store: Store
  beforeAll(async () => {
    store = await openStore(dialect)
  })
  afterAll(() => store.close())

  test('signing in with a password creates a session in the database, and signing out deletes it', async () => {
    const adapter = store.adapter()
    const user = await adapter.createUser({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada' })
    const authorize = async ({ password }: { password?: string }) => (password === 'open sesame' ? adapter.getUser(user.id) : null)
    const provider = builtIn('credentials')({ credentials: { password: {} }, authorize })
    const app = openNextAuth(adapter, provider, (options) => credentialSessions(adapter, options as never) as typeof options)
    const client = app.browser()
    const csrfToken = async () => ((await (await client.go('/auth/csrf')).response.json()) as { csrfToken: string }).csrfToken
    const whoIs = async () => ((await (await client.go('/auth/session')).response.json()) as { user?: object }).user
    const signIn = async (password: string) =>
      client.go('/auth/callback/credentials', { csrfToken: await csrfToken(), password, callbackUrl: '/' })
    await signIn('wrong')
    expect(await whoIs()).toBeUndefined()
    await signIn('open sesame')
    expect(await whoIs()).toMatchObject({ id: user.id })
    expect(await adapter.listSessions(user.id)).toHaveLength(1)
    await signIn('open sesame')
    expect(await adapter.listSessions(user.id)).toHaveLength(1)
    await client.go('/auth/signout', { csrfToken: await csrfToken(), callbackUrl: '/' })
    expect(await whoIs()).toBeUndefined()
    expect(await adapter.listSessions(user.id)).toEqual([])
    expect(app.errors).toEqual([])
  })
})

describe.each(inject('dialects'))('freshTokens with next-auth 4 on %s', (dialect) => {
  let store: Store
  let provider: Provider
  beforeAll(async () => {
    store = await openStore(dialect)
    provider = await startProvider()
  })
  afterAll(async () => {
    await provider.close()
    await store.close()
  })

  test('the tokens of every sign-in are stored', async () => {
    const adapter = store.adapter(secretsOf('final'))
    const app = openNextAuth(adapter, builtIn('wordpress')(provider.endpoints), (options) => ({
      ...options,
      events: { signIn: freshTokens(adapter) as never },
    }))
    const id = Math.floor(Math.random() * 2 ** 40)
    const signIn = async (token: object) => {
      provider.answer({ ID: id, display_name: 'Ada', email: `${id}@example.com`, avatar_URL: '' }, token)
      expect((await app.signIn()).user).toBeDefined()
      return adapter.getAccount(String(id), 'wordpress')
    }
    const first = await signIn({ access_token: 'a1', refresh_token: 'r1', expires_in: 3600 })
    expect(first).toMatchObject({ access_token: 'a1', refresh_token: 'r1' })
    const second = await signIn({ access_token: 'a2', refresh_token: 'r2', expires_in: 60 })
    expect(second).toMatchObject({ userId: first?.userId, access_token: 'a2', refresh_token: 'r2' })
    expect(second?.expires_at as number).toBeLessThan(first?.expires_at as number)
    expect(app.errors).toEqual([])
  })
})
