import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import {
  addDevice,
  heading,
  isSignedOut,
  linkOpenId,
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
