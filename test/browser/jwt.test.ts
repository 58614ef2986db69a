import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import {
  addDevice,
  heading,
  isSignedOut,
  linkOpenId,
  sessionCookie,
  signInByLink,
  signInByPasskey,
  signOut,
  waitUntilSignedOut,
} from './steps.js'

onEachDialect(
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

    test('a cookie does not outlive the account', async () => {
      const [page, other] = [await stage.newPage(), await stage.newPage()]
      await signInByLink(page, 'carol@example.com')
      await signInByLink(other, 'carol@example.com')
      await page.goto('/')
      await page.getByText('Delete the account').click()
      await page.getByRole('button', { name: 'Delete everything' }).click()
      await waitUntilSignedOut(page)
      expect(await stage.database.users()).toEqual([])
      expect(await sessionCookie(page)).toBeUndefined()
      await other.goto('/')
      expect(await isSignedOut(other)).toBe(true)
      expect(await sessionCookie(other)).toBeUndefined()
    })
  },
  { strategy: 'jwt', once: true },
)
