import type { Adapter } from '@auth/core/adapters'
import Passkey from '@auth/core/providers/passkey'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { startIdentity } from '../../demo/identity.js'
import { openDatabase } from '../slow/browser/database.js'
import type { Client } from '../support/client.js'
import { openApp, origin, usePasskey, whoIs } from './app.js'
import { openDevice } from './device.js'

// Once Auth.js has seen a passkey provider, it requires the passkey operations of every adapter in the process. So the set without
// them comes first.
const tableSets = [
  { title: 'without a table of authenticators', without: 'authenticatorsTable', strategy: 'database' },
  { title: 'without a table of sessions, with signed cookies', without: 'sessionsTable', strategy: 'jwt' },
  { title: 'with all tables', without: undefined, strategy: 'database' },
] as const

const day = 24 * 60 * 60 * 1_000
const inDays = (days: number) => new Date(Date.now() + days * day)

let identity: Awaited<ReturnType<typeof startIdentity>>
beforeAll(async () => {
  identity = await startIdentity(origin)
})
afterAll(() => identity.close())

describe.each(tableSets)('Auth.js $title', ({ without, strategy }) => {
  describe.each(inject('dialects'))('on %s', (dialect) => {
    const storesSessions = strategy === 'database'
    const hasPasskeys = without !== 'authenticatorsTable'
    let database: Awaited<ReturnType<typeof openDatabase>>
    let adapter: Required<Adapter>
    let app: ReturnType<typeof openApp>
    const links: string[] = []

    beforeAll(async () => {
      database = await openDatabase(dialect)
      const { issuer, client } = identity
      const tables = { ...database.tables, ...(without && { [without]: undefined }) }
      adapter = DrizzleAdapter(database.db, tables) as Required<Adapter>
      const providers = [
        { id: 'email', type: 'email' as const, name: 'Email', sendVerificationRequest: ({ url }: { url: string }) => void links.push(url) },
        { id: 'oidc', type: 'oidc' as const, name: 'OpenID', issuer, clientId: client.client_id, clientSecret: client.client_secret },
        ...(hasPasskeys ? [Passkey({})] : []),
      ]
      app = openApp(adapter, providers, strategy)
    })
    beforeEach(() => database.clear())
    afterAll(() => database.close())

    async function askForLink(client: Client, email: string): Promise<string> {
      await client.go('/auth/signin/email', { email, callbackUrl: '/' })
      return links.at(-1) ?? ''
    }

    async function signInByOpenId(client: Client, person: 'ada' | 'bob') {
      const { url } = await client.go('/auth/signin/oidc', { callbackUrl: '/' })
      return url.pathname.startsWith('/choose/') ? client.go(`${url.href}/${person}`, {}) : { url }
    }

    test('signs in by a link, the first time and again', async () => {
      const client = app.open()
      const link = await askForLink(client, 'carol@example.com')
      const [token] = await database.tokens()
      expect(token?.identifier).toBe('carol@example.com')
      expect(link).not.toContain(token?.token)
      expect((await client.go(link)).url.pathname).toBe('/')
      const [user] = await database.users()
      expect(await whoIs(client)).toMatchObject({ id: user?.id, email: 'carol@example.com' })
      expect(await database.sessions()).toHaveLength(storesSessions ? 1 : 0)

      await client.go('/auth/signout', {})
      expect(await whoIs(client)).toBeUndefined()
      expect(await database.sessions()).toEqual([])
      await client.go(await askForLink(client, 'carol@example.com'))
      expect(await whoIs(client)).toMatchObject({ id: user?.id })
      expect(await database.users()).toHaveLength(1)
    })

    test('accepts a link once, however many clients open it at the same time', async () => {
      const link = await askForLink(app.open(), 'carol@example.com')
      const clients = Array.from({ length: 10 }, app.open)
      const pages = await Promise.all(clients.map((client) => client.go(link)))
      expect(pages.map(({ url }) => url.pathname + url.search).sort()).toEqual(['/', ...Array(9).fill('/problem?error=Verification')])
      expect((await Promise.all(clients.map(whoIs))).filter(Boolean)).toHaveLength(1)
    })

    test('rejects a link that has expired', async () => {
      const client = app.open()
      const link = await askForLink(client, 'carol@example.com')
      await database.expireLinks(inDays(-1))
      expect((await client.go(link)).url.search).toBe('?error=Verification')
      expect(await whoIs(client)).toBeUndefined()
    })

    test('signs in by OpenID Connect, the first time and again', async () => {
      await signInByOpenId(app.open(), 'ada')
      const client = app.open()
      await signInByOpenId(client, 'ada')
      const users = await database.users()
      expect(users).toMatchObject([{ email: 'ada@example.com', name: 'Ada' }])
      expect(await whoIs(client)).toMatchObject({ id: users[0]?.id })
      expect(await database.accounts()).toMatchObject([{ userId: users[0]?.id, providerAccountId: 'ada', token_type: 'bearer' }])
    })

    test('links and unlinks an account, and does not link one of another user', async () => {
      const [carol, bob] = [app.open(), app.open()]
      await carol.go(await askForLink(carol, 'carol@example.com'))
      await signInByOpenId(carol, 'ada')
      expect(await database.accounts()).toMatchObject([{ userId: (await whoIs(carol))?.id, providerAccountId: 'ada' }])

      await bob.go(await askForLink(bob, 'bob@example.com'))
      expect((await signInByOpenId(bob, 'ada')).url.search).toBe('?error=OAuthAccountNotLinked')
      expect(await database.accounts()).toHaveLength(1)

      await adapter.unlinkAccount({ provider: 'oidc', providerAccountId: 'ada' })
      await signInByOpenId(bob, 'ada')
      expect(await database.accounts()).toMatchObject([{ userId: (await whoIs(bob))?.id }])
    })

    test.runIf(storesSessions)('extends a session once per updateAge, and removes it when it has expired', async () => {
      const client = app.open()
      await client.go(await askForLink(client, 'carol@example.com'))
      await database.expireSessions(inDays(28.9))
      await whoIs(client)
      const extended = await database.sessions()
      expect(extended[0]?.expires.getTime()).toBeGreaterThan(inDays(29.9).getTime())
      await whoIs(client)
      expect(await database.sessions()).toEqual(extended)
      await database.expireSessions(inDays(-1))
      expect(await whoIs(client)).toBeUndefined()
      expect(await database.sessions()).toEqual([])
    })

    test.runIf(hasPasskeys)('signs in by a passkey and by a second one, and not by one of another person', async () => {
      const client = app.open()
      const [phone, key] = [openDevice(origin), openDevice(origin)]
      await usePasskey(client, 'register', phone, 'dora@example.com')
      const user = await whoIs(client)
      expect(user?.email).toBe('dora@example.com')
      await usePasskey(client, 'register', key)
      expect((await database.authenticators()).map(({ userId }) => userId)).toEqual([user?.id, user?.id])

      for (const device of [phone, key]) {
        const again = app.open()
        await usePasskey(again, 'authenticate', device)
        expect(await whoIs(again)).toMatchObject({ id: user?.id })
      }
      expect((await database.authenticators()).map(({ counter }) => counter)).toEqual([2, 2])

      const stranger = app.open()
      await usePasskey(stranger, 'register', openDevice(origin), 'dora@example.com')
      await usePasskey(stranger, 'authenticate', openDevice(origin))
      expect(await whoIs(stranger)).toBeUndefined()
    })
  })
})
