import { expect, test } from 'vitest'
import { withAuthjs } from './stage.js'
import {
  addDevice,
  askForCode,
  askForLink,
  enterCode,
  heading,
  linkOpenId,
  problem,
  sessionCookie,
  signInByLink,
  signInByOpenId,
  signInByPasskey,
  signInByPassword,
  signOut,
  signUpByPasskey,
  signUpByPassword,
  useLink,
} from './steps.js'

withAuthjs('signing in', (stage) => {
  test('a magic link signs in once', async () => {
    const [page, other] = [await stage.newPage(), await stage.newPage()]
    const link = await askForLink(page, 'carol@example.com')
    await useLink(page, link)
    await page.getByRole('heading', { name: 'Hello, carol@example.com' }).waitFor()
    const [user, ...others] = await stage.database.users()
    expect(user).toMatchObject({ email: 'carol@example.com', emailVerified: expect.any(Date) })
    expect(others).toEqual([])
    expect(await stage.database.sessions()).toMatchObject([{ userId: user?.id, sessionToken: await sessionCookie(page) }])
    await useLink(other, link)
    await problem(other, 'This link was used already.').waitFor()
    expect(await sessionCookie(other)).toBeUndefined()
  })

  test('a code signs in', async () => {
    const page = await stage.newPage()
    const code = await askForCode(page, 'carol@example.com')
    await enterCode(page, `${code.slice(0, 3)} ${code.slice(3)}`)
    await page.getByRole('heading', { name: 'Hello, carol@example.com' }).waitFor()
    expect(await stage.database.sessions()).toMatchObject([{ sessionToken: await sessionCookie(page) }])
  })

  test('OpenID Connect signs in, the first time and again', async () => {
    const page = await stage.newPage()
    await signInByOpenId(page, 'Ada')
    expect(await heading(page)).toBe('Hello, Ada')
    const [user] = await stage.database.users()
    expect(await stage.database.accounts()).toMatchObject([{ userId: user?.id, provider: 'oidc', providerAccountId: 'ada' }])
    await signOut(page)
    await signInByOpenId(page, 'Ada')
    expect(await stage.database.users()).toEqual([user])
    expect(await stage.database.sessions()).toMatchObject([{ userId: user?.id, sessionToken: await sessionCookie(page) }])
  })

  test('a passkey signs in, the first time and again', async () => {
    const page = await stage.newPage()
    await addDevice(page)
    await signUpByPasskey(page, 'dora@example.com')
    expect(await heading(page)).toBe('Hello, dora@example.com')
    const [user] = await stage.database.users()
    const [passkey] = await stage.database.authenticators()
    expect(passkey).toMatchObject({ userId: user?.id, credentialBackedUp: false, transports: 'internal' })
    await signOut(page)
    await signInByPasskey(page)
    const [used, ...others] = await stage.database.authenticators()
    expect(used?.counter).toBeGreaterThan(passkey?.counter ?? 0)
    expect(others).toEqual([])
    expect(await stage.database.users()).toEqual([user])
  })

  test('a password signs in, the first time and again', async () => {
    const page = await stage.newPage()
    await signUpByPassword(page, 'carol@example.com', 'correct horse battery')
    const [user] = await stage.database.users()
    expect(await stage.database.sessions()).toMatchObject([{ userId: user?.id, sessionToken: await sessionCookie(page) }])
    await signOut(page)
    expect(await stage.database.sessions()).toEqual([])
    await signInByPassword(page, 'carol@example.com', 'correct horse battery')
    expect(await heading(page)).toBe('Hello, carol@example.com')
    expect(await stage.database.users()).toEqual([user])
  })
})

withAuthjs(
  'with JWT sessions',
  (stage) => {
    test('people sign in and link accounts, and the sessions table stays empty', async () => {
      const page = await stage.newPage()
      await addDevice(page)
      await signInByLink(page, 'carol@example.com')
      await page.goto('/devices')
      await page.getByText('There is no row to revoke').waitFor()
      await linkOpenId(page, 'Bob')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByRole('button', { name: /^Unlink Passkey/ }).waitFor()
      await signOut(page)
      expect(await sessionCookie(page)).toBeUndefined()
      await signInByPasskey(page)
      expect(await heading(page)).toBe('Hello, carol@example.com')
      expect(await stage.database.users()).toHaveLength(1)
      expect(await stage.database.accounts()).toHaveLength(2)
      expect(await stage.database.sessions()).toEqual([])
    })
  },
  { strategy: 'jwt' },
)

withAuthjs(
  'with secrets at rest',
  (stage) => {
    test('the tables show hashed sessions, which can be revoked', async () => {
      const [page, other] = [await stage.newPage(), await stage.newPage()]
      for (const each of [page, other]) await signInByLink(each, 'carol@example.com')
      const forms = (await stage.database.sessions()).map(({ sessionToken }) => sessionToken.slice(0, 3))
      expect(forms).toEqual(['s1.', 's1.'])
      const raw = (await sessionCookie(page))?.slice(0, 4)
      await page.locator('[data-table=session] td', { hasText: new RegExp(`^s1\\.[\\w-]{13}… \\(raw: ${raw}••••\\)$`) }).waitFor()

      await page.goto('/devices')
      await page.locator('.devices li').nth(1).getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('You are signed in here, and nowhere else.').waitFor()
      expect(await stage.database.sessions()).toHaveLength(1)
    })
  },
  { protect: true },
)
