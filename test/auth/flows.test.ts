import type { Adapter } from '@auth/core/adapters'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { startIdentity } from '../../demo/identity.js'
import { openApp, origin, usePasskey, whoIs } from '../browser/app.js'
import { openDatabase } from '../browser/database.js'
import { openDevice } from '../browser/device.js'

// Once Auth.js has seen a passkey provider, it requires the passkey operations of every adapter in the process. So the set without
// them comes first.
const tableSets = [
  { title: 'without a table of authenticators', without: 'authenticatorsTable', strategy: 'database' },
  { title: 'without a table of sessions, with signed cookies', without: 'sessionsTable', strategy: 'jwt' },
  { title: 'with all tables', without: undefined, strategy: 'database' },
] as const

const day = 24 * 60 * 60 * 1_000
const inDays = (days: number) => new Date(Date.now() + days * day)

describe.each(tableSets)('Auth.js $title', ({ without, strategy }) => {
  describe.each(inject('dialects'))('on %s', (dialect) => {
    const storesSessions = strategy === 'database'
    const hasPasskeys = without !== 'authenticatorsTable'
    // Tests of a table that the set does not have are left out.
    const testWithSessions = storesSessions ? test : () => {}
    const testWithPasskeys = hasPasskeys ? test : () => {}
    let database: Awaited<ReturnType<typeof openDatabase>>
    let adapter: Required<Adapter>
    let app: ReturnType<typeof openApp>
    let identity: Awaited<ReturnType<typeof startIdentity>>

    beforeAll(async () => {
      database = await openDatabase(dialect)
      identity = await startIdentity(origin)
      const tables = { ...database.tables, ...(without && { [without]: undefined }) }
      adapter = DrizzleAdapter(database.db, tables) as Required<Adapter>
      app = openApp({ adapter, strategy, identity })
    })
    beforeEach(() => database.clear())
    afterAll(async () => {
      await identity.close()
      await database.close()
    })

    test('signs in by a link, the first time and again', async () => {
      const client = app.open()
      const link = await app.askForLink(client, 'carol@example.com')
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
      await client.go(await app.askForLink(client, 'carol@example.com'))
      expect(await whoIs(client)).toMatchObject({ id: user?.id })
      expect(await database.users()).toHaveLength(1)
    })

    test('accepts a link once, however many clients open it at the same time', async () => {
      const link = await app.askForLink(app.open(), 'carol@example.com')
      const clients = Array.from({ length: 10 }, app.open)
      const pages = await Promise.all(clients.map((client) => client.go(link)))
      expect(pages.map(({ url }) => url.pathname + url.search).sort()).toEqual(['/', ...Array(9).fill('/problem?error=Verification')])
      expect(await database.sessions()).toHaveLength(storesSessions ? 1 : 0)
      expect((await Promise.all(clients.map(whoIs))).filter(Boolean)).toHaveLength(1)
    })

    test('rejects a link that has expired', async () => {
      const client = app.open()
      const link = await app.askForLink(client, 'carol@example.com')
      await database.expireLinks(inDays(-1))
      expect((await client.go(link)).url.search).toBe('?error=Verification')
      expect(await database.users()).toEqual([])
      expect(await whoIs(client)).toBeUndefined()
    })

    test('keeps two people apart whose addresses differ by an accent', async () => {
      const [plain, accented] = [app.open(), app.open()]
      await plain.go(await app.askForLink(plain, 'jose@example.com'))
      await accented.go(await app.askForLink(accented, 'josé@example.com'))
      expect((await whoIs(plain))?.email).toBe('jose@example.com')
      expect((await whoIs(accented))?.email).toBe('josé@example.com')
      expect(await database.users()).toHaveLength(2)
    })

    test('signs in by OpenID Connect, the first time and again', async () => {
      await app.signInByOpenId(app.open(), 'ada')
      const client = app.open()
      await app.signInByOpenId(client, 'ada')
      const users = await database.users()
      expect(users).toMatchObject([{ email: 'ada@example.com', name: 'Ada' }])
      expect(await whoIs(client)).toMatchObject({ id: users[0]?.id })
      expect(await database.accounts()).toMatchObject([{ userId: users[0]?.id, providerAccountId: 'ada', token_type: 'bearer' }])
    })

    test('links and unlinks an account, and does not link one of another user', async () => {
      const [carol, bob] = [app.open(), app.open()]
      await carol.go(await app.askForLink(carol, 'carol@example.com'))
      await app.signInByOpenId(carol, 'ada')
      const user = await whoIs(carol)
      expect(await database.accounts()).toMatchObject([{ userId: user?.id, providerAccountId: 'ada' }])

      await bob.go(await app.askForLink(bob, 'bob@example.com'))
      expect((await app.signInByOpenId(bob, 'ada')).url.search).toBe('?error=OAuthAccountNotLinked')
      expect(await database.accounts()).toHaveLength(1)

      await adapter.unlinkAccount({ provider: 'oidc', providerAccountId: 'ada' })
      await app.signInByOpenId(bob, 'ada')
      expect(await database.accounts()).toMatchObject([{ userId: (await whoIs(bob))?.id }])
    })

    test('does not link an account to an existing user with the same address', async () => {
      const [first, second] = [app.open(), app.open()]
      await first.go(await app.askForLink(first, 'ada@example.com'))
      expect((await app.signInByOpenId(second, 'ada')).url.search).toBe('?error=OAuthAccountNotLinked')
      expect(await whoIs(second)).toBeUndefined()
      expect(await database.accounts()).toEqual([])
      expect(await database.users()).toHaveLength(1)
    })

    testWithSessions('extends a session once per updateAge, and removes it when it has expired', async () => {
      const client = app.open()
      await client.go(await app.askForLink(client, 'carol@example.com'))
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

    testWithSessions('ends a session that was revoked', async () => {
      const [client, other] = [app.open(), app.open()]
      for (const each of [client, other]) await each.go(await app.askForLink(each, 'carol@example.com'))
      await adapter.deleteSession(other.cookie('authjs.session-token') ?? '')
      expect(await whoIs(client)).toBeDefined()
      expect(await whoIs(other)).toBeUndefined()
      expect(await database.sessions()).toHaveLength(1)
    })

    testWithPasskeys('signs in by a passkey and by a second one, and not by one of another person', async () => {
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
      expect((await usePasskey(stranger, 'register', openDevice(origin), 'dora@example.com')).status).toBe(400)
      await usePasskey(stranger, 'authenticate', openDevice(origin))
      expect(await whoIs(stranger)).toBeUndefined()
    })

    test('deletes a user with all rows', async () => {
      const client = app.open()
      await client.go(await app.askForLink(client, 'carol@example.com'))
      await app.signInByOpenId(client, 'ada')
      if (hasPasskeys) await usePasskey(client, 'register', openDevice(origin))
      await adapter.deleteUser((await whoIs(client))?.id ?? '')
      const { users, accounts, sessions, tokens, authenticators } = database
      for (const rows of [users, accounts, sessions, tokens, authenticators]) expect(await rows()).toEqual([])
    })
  })
})
