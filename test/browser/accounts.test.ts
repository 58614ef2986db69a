import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import {
  addDevice,
  createPasskey,
  heading,
  isSignedOut,
  linkOpenId,
  problem,
  signInByLink,
  signInByOpenId,
  signInByPasskey,
  signOut,
  signUpByPasskey,
  waitUntilSignedOut,
} from './steps.js'

onEachDialect(
  'accounts',
  (stage) => {
    test('are linked and unlinked', async () => {
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
      await signOut(page)
      await signInByOpenId(page, 'Bob')
      expect(await heading(page)).toBe('Hello, Bob')
      expect(await stage.database.users()).toHaveLength(2)
    })

    test('that belong to someone else are not linked', async () => {
      const [bob, carol] = [await stage.newPage(), await stage.newPage()]
      await signInByOpenId(bob, 'Bob')
      const accounts = await stage.database.accounts()
      await signInByLink(carol, 'carol@example.com')
      await linkOpenId(carol, 'Bob')
      await problem(carol, 'This account belongs to someone else.').waitFor()
      expect(await stage.database.accounts()).toEqual(accounts)
    })

    test('are not linked to an existing user with the same address', async () => {
      const [first, second] = [await stage.newPage(), await stage.newPage()]
      await signInByLink(first, 'ada@example.com')
      await second.goto('/')
      await second.getByRole('button', { name: 'Continue with OpenID Connect' }).click()
      await second.getByRole('button', { name: 'Ada' }).click()
      await problem(second, 'This account belongs to someone else.').waitFor()
      expect(await stage.database.accounts()).toEqual([])
      expect(await stage.database.sessions()).toHaveLength(1)
    })

    test('have a second passkey, and each of them signs in until it is unlinked', async () => {
      const page = await stage.newPage()
      const phone = await addDevice(page)
      await signUpByPasskey(page, 'dora@example.com')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByText('This device has a passkey for you already').waitFor()
      expect(await stage.database.authenticators()).toHaveLength(1)

      await phone.remove()
      await addDevice(page)
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page
        .getByRole('button', { name: /^Unlink Passkey/ })
        .nth(1)
        .waitFor()
      const [user] = await stage.database.users()
      const passkeys = await stage.database.authenticators()
      expect(passkeys.map(({ userId }) => userId)).toEqual([user?.id, user?.id])

      await signOut(page)
      await signInByPasskey(page)
      for (const left of [1, 0]) {
        await page
          .getByRole('button', { name: /^Unlink Passkey/ })
          .first()
          .click()
        await page
          .getByRole('button', { name: /^Unlink Passkey/ })
          .nth(left)
          .waitFor({ state: 'detached' })
        expect(await stage.database.authenticators()).toHaveLength(left)
        expect(await stage.database.accounts()).toHaveLength(left)
      }
      await signOut(page)
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await problem(page, 'This passkey is not known.').waitFor()
      expect(await stage.database.sessions()).toEqual([])
    })

    test('are not created by a passkey for an address that has a user', async () => {
      const [first, second] = [await stage.newPage(), await stage.newPage()]
      await signInByLink(first, 'carol@example.com')
      await addDevice(second)
      await createPasskey(second, 'carol@example.com')
      await second.getByText('There is an account with this address').waitFor()
      expect(await stage.database.authenticators()).toEqual([])
    })

    test('are deleted with all rows', async () => {
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
