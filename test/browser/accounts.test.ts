import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import {
  addDevice,
  heading,
  isSignedOut,
  linkOpenId,
  sessionCookie,
  signInByLink,
  signInByOpenId,
  signOut,
  signUpByPasskey,
  waitUntilSignedOut,
} from './steps.js'

onEachDialect(
  'an account',
  (stage) => {
    test('is linked and unlinked', async () => {
      const page = await stage.newPage()
      await signInByLink(page, 'carol@example.com')
      const [user] = await stage.database.users()
      await linkOpenId(page, 'Bob')
      const unlink = page.getByRole('button', { name: 'Unlink OpenID Connect bob' })
      await unlink.waitFor()
      expect(await stage.database.accounts()).toMatchObject([{ userId: user?.id, provider: 'oidc', providerAccountId: 'bob' }])
      await signOut(page)
      await signInByOpenId(page, 'Bob')
      expect(await heading(page)).toBe('Hello, carol@example.com')
      await unlink.click()
      await unlink.waitFor({ state: 'detached' })
      expect(await stage.database.accounts()).toEqual([])
    })

    test('has fresh tokens, which are refreshed once, however many ask', async () => {
      const page = await stage.newPage()
      await signInByOpenId(page, 'Bob')
      await page.goto('/tokens')
      await page.getByText(/^Valid for/).waitFor()
      await page.getByRole('button', { name: 'Ask for it 20 times at once' }).click()
      await page.getByRole('heading', { name: 'The token was still valid' }).waitFor()
      const [before] = await stage.database.accounts()
      await page.getByRole('button', { name: 'Let it expire' }).click()
      await page.getByText('Expired').waitFor()
      await page.getByRole('button', { name: 'Ask for it 20 times at once' }).click()
      await page.getByText('20 callers asked at once. The provider was asked once.').waitFor()
      const [after] = await stage.database.accounts()
      expect(after?.access_token).not.toBe(before?.access_token)
      const content = await page.content()
      for (const token of [after?.access_token, after?.refresh_token]) expect(content).not.toContain(token)
    })

    test('is deleted with all rows', async () => {
      const [page, other] = [await stage.newPage(), await stage.newPage()]
      await addDevice(page)
      await signUpByPasskey(page, 'dora@example.com')
      await linkOpenId(page, 'Ada')
      await page.getByRole('button', { name: 'Unlink OpenID Connect ada' }).waitFor()
      await signInByLink(other, 'dora@example.com')
      await page.getByText('Delete the account').click()
      await page.getByRole('button', { name: 'Delete everything' }).click()
      await waitUntilSignedOut(page)
      const { users, accounts, sessions, authenticators, tokens } = stage.database
      for (const rows of [users, accounts, sessions, authenticators, tokens]) expect(await rows()).toEqual([])
      await other.goto('/')
      expect(await isSignedOut(other)).toBe(true)
    })
  },
  { once: true },
)

onEachDialect(
  'the devices page',
  (stage) => {
    test('lists browsers and addresses, and signs one of them out', async () => {
      const [mine, lost] = [await stage.newPage(), await stage.newPage()]
      await lost.setExtraHTTPHeaders({
        'user-agent':
          'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/604.1',
        // Anybody can send this header, so it must not be shown as the address.
        'x-forwarded-for': '203.0.113.7',
      })
      await signInByLink(mine, 'carol@example.com')
      await signInByLink(lost, 'carol@example.com')
      await mine.goto('/devices')
      const items = mine.locator('.devices li')
      expect(await items.count()).toBe(2)
      expect(await items.nth(0).textContent()).toMatch(/Chrome on \w+.*This browser/s)
      expect(await items.nth(1).textContent()).toContain('Safari on iPhone')
      for (const item of await items.all()) expect(await item.textContent()).toMatch(/127\.0\.0\.1|::1/)
      await items.nth(1).getByRole('button', { name: 'Sign out' }).click()
      await mine.getByText('You are signed in here, and nowhere else.').waitFor()
      expect(await stage.database.sessions()).toMatchObject([{ sessionToken: await sessionCookie(mine) }])
      await lost.goto('/')
      expect(await isSignedOut(lost)).toBe(true)
    })

    test('signs out everywhere, and nobody else', async () => {
      const [mine, second, stranger] = [await stage.newPage(), await stage.newPage(), await stage.newPage()]
      for (const page of [mine, second]) await signInByLink(page, 'carol@example.com')
      await signInByLink(stranger, 'dora@example.com')
      await mine.goto('/devices')
      const session = (await mine.locator('form[action="/revoke"] input').getAttribute('value')) ?? ''
      await stranger.request.post('/revoke', { form: { session }, headers: { origin: stage.origin } })
      // A form on another site.
      expect((await mine.request.post('/revoke-all', { headers: { origin: 'http://example.com' } })).status()).toBe(403)
      expect(await stage.database.sessions()).toHaveLength(3)
      await mine.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
      await waitUntilSignedOut(mine)
      expect(await sessionCookie(mine)).toBeUndefined()
      expect(await stage.database.sessions()).toMatchObject([{ sessionToken: await sessionCookie(stranger) }])
    })
  },
  { once: true },
)
