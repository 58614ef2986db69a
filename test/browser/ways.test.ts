import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import { addDevice, heading, sessionCookie, signInByLink, signInByOpenId, signInByPasskey, signOut, signUpByPasskey } from './steps.js'

onEachDialect(
  'signing in',
  (stage) => {
    test('a magic link signs in, the first time and again', async () => {
      const page = await stage.newPage()
      await signInByLink(page, 'carol@example.com')
      expect(await heading(page)).toBe('Hello, carol@example.com')
      const [user, ...others] = await stage.database.users()
      expect(user).toMatchObject({ email: 'carol@example.com', emailVerified: expect.any(Date) })
      expect(others).toEqual([])
      expect(await stage.database.tokens()).toEqual([])
      expect(await stage.database.sessions()).toMatchObject([{ userId: user?.id, sessionToken: await sessionCookie(page) }])

      await signOut(page)
      await signInByLink(page, 'carol@example.com')
      const [again, ...more] = await stage.database.users()
      expect(again?.id).toBe(user?.id)
      expect(more).toEqual([])
      expect(again?.emailVerified?.getTime()).toBeGreaterThan(user?.emailVerified?.getTime() ?? 0)
      expect(await stage.database.sessions()).toHaveLength(1)
    })

    test('OpenID Connect signs in, the first time and again', async () => {
      const page = await stage.newPage()
      await signInByOpenId(page, 'Ada')
      expect(await heading(page)).toBe('Hello, Ada')
      const [user] = await stage.database.users()
      expect(user).toMatchObject({ email: 'ada@example.com', name: 'Ada', emailVerified: null })
      expect(await stage.database.accounts()).toMatchObject([
        {
          userId: user?.id,
          provider: 'oidc',
          providerAccountId: 'ada',
          type: 'oidc',
          token_type: 'bearer',
          access_token: expect.any(String),
        },
      ])

      await signOut(page)
      await signInByOpenId(page, 'Ada')
      expect(await stage.database.users()).toEqual([user])
      expect(await stage.database.accounts()).toHaveLength(1)
      expect(await stage.database.sessions()).toMatchObject([{ userId: user?.id, sessionToken: await sessionCookie(page) }])
    })

    test('a passkey signs in, the first time and again', async () => {
      const page = await stage.newPage()
      await addDevice(page)
      await signUpByPasskey(page, 'dora@example.com')
      expect(await heading(page)).toBe('Hello, dora@example.com')
      const [user] = await stage.database.users()
      expect(user).toMatchObject({ email: 'dora@example.com', emailVerified: null })
      const [passkey] = await stage.database.authenticators()
      expect(passkey).toMatchObject({ userId: user?.id, credentialBackedUp: false, transports: 'internal' })
      expect(await stage.database.accounts()).toMatchObject([
        { userId: user?.id, type: 'webauthn', provider: 'passkey', providerAccountId: passkey?.credentialID },
      ])

      await signOut(page)
      await signInByPasskey(page)
      expect(await heading(page)).toBe('Hello, dora@example.com')
      const [used, ...others] = await stage.database.authenticators()
      expect(used?.counter).toBeGreaterThan(passkey?.counter ?? 0)
      expect(others).toEqual([])
      expect(await stage.database.users()).toEqual([user])
      expect(await stage.database.sessions()).toMatchObject([{ userId: user?.id }])
    })

    test('two people whose addresses differ by an accent are two users', async () => {
      const [plain, accented] = [await stage.newPage(), await stage.newPage()]
      await signInByLink(plain, 'jose@example.com')
      await signInByLink(accented, 'josé@example.com')
      expect(await heading(plain)).toBe('Hello, jose@example.com')
      expect(await heading(accented)).toBe('Hello, josé@example.com')
      const users = await stage.database.users()
      expect(users.map(({ email }) => email).sort()).toEqual(['jose@example.com', 'josé@example.com'])
      expect(new Set((await stage.database.sessions()).map(({ userId }) => userId))).toEqual(new Set(users.map(({ id }) => id)))
    })
  },
  // test/browser/flows.test.ts does the same over HTTP, on each database.
  { once: true },
)
