import type { AuthConfig } from '@auth/core'
import { Auth, skipCSRFCheck } from '@auth/core'
import Credentials from '@auth/core/providers/credentials'
import { accessTokens, credentialSessions, freshTokens } from 'drizzle-auth-adapter/authjs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { secretsOf } from '../integration/secrets/modes.js'
import type { Store } from '../integration/secrets/stores.js'
import { openStore } from '../integration/secrets/stores.js'
import type { Client } from '../support/client.js'
import { openClient } from '../support/client.js'
import { origin, whoIs } from './app.js'
import { builtIn, openNextAuth } from './next-auth.js'
import type { Provider } from './provider.js'
import { startProvider } from './provider.js'

const days = 24 * 60 * 60

describe.each(inject('dialects'))('on %s', (dialect) => {
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

  describe('@auth/core', () => {
    /** An application with passwords. Everybody's password is `open sesame`. */
    function openApp(over: Partial<AuthConfig> = {}, providers: AuthConfig['providers'] = []) {
      const errors: Error[] = []
      const authorize = async ({ id, password }: { id?: unknown; password?: unknown }) =>
        password === 'open sesame' ? ((await open().getUser(String(id))) as object) : null
      const config = credentialSessions(open(), {
        basePath: '/auth',
        secret: 'a secret of the tests',
        trustHost: true,
        skipCSRFCheck,
        adapter: open() as never,
        providers: [Credentials({ credentials: { id: {}, password: {} }, authorize }), ...providers],
        pages: { error: '/problem', signIn: '/problem' },
        logger: { error: (error) => void errors.push(error), warn() {}, debug() {} },
        ...over,
        callbacks: { session: ({ session, user }) => ({ ...session, user: { ...session.user, id: user?.id } }), ...over.callbacks },
      } satisfies AuthConfig)
      return { errors, browser: () => openClient(origin, (request) => Auth(request, config as AuthConfig)) }
    }

    const signIn = (client: Client, id: string, password = 'open sesame') =>
      client.go('/auth/callback/credentials', { id, password, callbackUrl: '/' })

    test('signing in with a password creates a session in the database, and signing out deletes it', async () => {
      const user = await newUser()
      const app = openApp({ session: { maxAge: 7 * days, generateSessionToken: () => `own-${crypto.randomUUID()}` } })
      const [client, other] = [app.browser(), app.browser()]
      for (const each of [client, other]) await signIn(each, user.id)
      expect(await whoIs(client)).toMatchObject({ id: user.id })
      expect(client.cookie('authjs.session-token')).toMatch(/^own-/)
      const sessions = await open().listSessions(user.id)
      expect(sessions).toHaveLength(2)
      expect((sessions[0]?.expires.getTime() as number) - Date.now()).toBeGreaterThan(6.9 * days * 1000)
      expect((sessions[0]?.expires.getTime() as number) - Date.now()).toBeLessThan(7.1 * days * 1000)
      await client.go('/auth/signout', { callbackUrl: '/' })
      expect(await whoIs(client)).toBeUndefined()
      expect(await whoIs(other)).toMatchObject({ id: user.id })
      await open().revokeSessions(user.id)
      expect(await whoIs(other)).toBeUndefined()
      expect(app.errors).toEqual([])
    })

    test('the previous session of the same browser is deleted when the new sign-in has succeeded', async () => {
      const [ada, eva] = [await newUser(), await newUser()]
      const client = openApp().browser()
      await signIn(client, ada.id)
      await signIn(client, eva.id, 'wrong')
      expect(await whoIs(client)).toMatchObject({ id: ada.id })
      expect(await open().listSessions(ada.id)).toHaveLength(1)
      await signIn(client, eva.id)
      expect(await whoIs(client)).toMatchObject({ id: eva.id })
      expect(await open().listSessions(ada.id)).toEqual([])
    })

    test('no session is created if a callback of the app rejects the sign-in', async () => {
      const user = await newUser()
      for (const callbacks of [{ signIn: () => false }, { jwt: () => null }]) {
        const client = openApp({ callbacks }).browser()
        await signIn(client, user.id)
        expect(await whoIs(client)).toBeUndefined()
        expect(await open().listSessions(user.id)).toEqual([])
      }
    })

    test('an access token is refreshed once for all callers, of whatever instance of the app', async () => {
      const user = await newUser()
      const key = { provider: 'demo', providerAccountId: user.id }
      await open().linkAccount({ userId: user.id, type: 'oauth', ...key, access_token: 'old', refresh_token: 'r1', expires_at: 1 })
      let requests = 0
      const demo = async () => {
        requests++
        await new Promise((resolve) => setTimeout(resolve, 500))
        return { access_token: 'new', refresh_token: 'r2', expires_in: 3_600 }
      }
      const instances = [1, 2, 3].map(() => accessTokens(open(), { providers: { demo } }))
      const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => instances[index % 3]?.get(user.id, 'demo')))
      expect(new Set(answers)).toEqual(new Set(['new']))
      expect(requests).toBe(1)
      expect(await open().getAccount(user.id, 'demo')).toMatchObject({ access_token: 'new', refresh_token: 'r2' })
    })

    test('other providers keep working, and freshTokens stores the tokens of every sign-in', async () => {
      const oauth = {
        ...{ id: 'demo', name: 'Demo', type: 'oauth' as const, ...provider.endpoints },
        profile: (profile: { id: string; email: string }) => profile,
      }
      const app = openApp({ events: { signIn: freshTokens(open()) as never } }, [oauth as never])
      const profile = { id: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.com` }
      const signInWith = async (token: object) => {
        provider.answer(profile, token)
        await app.browser().go('/auth/signin/demo', { callbackUrl: '/' })
        return open().getAccount(profile.id, 'demo')
      }
      const first = await signInWith({ access_token: 'a1', refresh_token: 'r1', expires_in: 3600, scope: 'read' })
      expect(first).toMatchObject({ access_token: 'a1', refresh_token: 'r1', scope: 'read' })
      const second = await signInWith({ access_token: 'a2' })
      expect(second).toMatchObject({ userId: first?.userId, access_token: 'a2', refresh_token: 'r1', scope: 'read' })
      expect(second).not.toHaveProperty('expires_at')
      expect(app.errors).toEqual([])
    })
  })

  describe('next-auth 4', () => {
    test('signing in with a password creates a session in the database, and signing out deletes it', async () => {
      const adapter = open()
      const user = await newUser()
      const authorize = async ({ password }: { password?: string }) => (password === 'open sesame' ? adapter.getUser(user.id) : null)
      const credentials = builtIn('credentials')({ credentials: { password: {} }, authorize })
      const app = openNextAuth(adapter, credentials, (options) => credentialSessions(adapter, options as never) as typeof options)
      const client = app.browser()
      const csrfToken = async () => ((await (await client.go('/auth/csrf')).response.json()) as { csrfToken: string }).csrfToken
      const signIn = async (password: string) =>
        client.go('/auth/callback/credentials', { csrfToken: await csrfToken(), password, callbackUrl: '/' })
      await signIn('wrong')
      expect(await whoIs(client)).toBeUndefined()
      await signIn('open sesame')
      expect(await whoIs(client)).toMatchObject({ id: user.id })
      await signIn('open sesame')
      expect(await adapter.listSessions(user.id)).toHaveLength(1)
      await client.go('/auth/signout', { csrfToken: await csrfToken(), callbackUrl: '/' })
      expect(await whoIs(client)).toBeUndefined()
      expect(await adapter.listSessions(user.id)).toEqual([])
      expect(app.errors).toEqual([])
    })

    test('freshTokens stores the tokens of every sign-in', async () => {
      const adapter = open()
      const app = openNextAuth(adapter, builtIn('wordpress')(provider.endpoints), (options) => ({
        ...options,
        events: { signIn: freshTokens(adapter) as never },
      }))
      const signInWith = async (token: object) => {
        provider.answer({ ID: 4711, display_name: 'Ada', email: 'ada@wordpress.example', avatar_URL: '' }, token)
        expect((await app.signIn()).user).toBeDefined()
        return adapter.getAccount('4711', 'wordpress')
      }
      const first = await signInWith({ access_token: 'a1', refresh_token: 'r1', expires_in: 3600 })
      expect(first).toMatchObject({ access_token: 'a1', refresh_token: 'r1' })
      const second = await signInWith({ access_token: 'a2', refresh_token: 'r2', expires_in: 60 })
      expect(second).toMatchObject({ userId: first?.userId, access_token: 'a2', refresh_token: 'r2' })
      expect(second?.expires_at as number).toBeLessThan(first?.expires_at as number)
      expect(app.errors).toEqual([])
    })
  })
})
