import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import {
  heading,
  isSignedOut,
  problem,
  sendPassword,
  sessionCookie,
  signInByLink,
  signInByPassword,
  signOut,
  signUpByPassword,
} from './steps.js'

const [email, password] = ['carol@example.com', 'correct horse']

onEachDialect(
  'a password',
  (stage) => {
    test('creates a session in the database for each browser, and signing out deletes it', async () => {
      const [page, second] = [await stage.newPage(), await stage.newPage()]
      await signUpByPassword(page, email, password)
      expect(await heading(page)).toBe(`Hello, ${email}`)
      const [user] = await stage.database.users()
      expect(await stage.database.sessions()).toMatchObject([{ userId: user?.id, sessionToken: await sessionCookie(page) }])

      await signInByPassword(second, email, password)
      expect(await stage.database.sessions()).toHaveLength(2)
      await signOut(page)
      expect(await sessionCookie(page)).toBeUndefined()
      expect(await stage.database.sessions()).toMatchObject([{ sessionToken: await sessionCookie(second) }])
      await second.goto('/devices')
      await second.getByText('You are signed in here, and nowhere else.').waitFor()
      expect(await second.locator('.devices li').textContent()).toContain('Chrome on')

      await signInByPassword(page, email, password)
      expect(await stage.database.users()).toEqual([user])
      expect(await stage.database.sessions()).toHaveLength(2)
    })

    test('signs in no longer than the session lasts', async () => {
      const page = await stage.newPage()
      await signUpByPassword(page, email, password)
      await stage.database.expireSessions(new Date(Date.now() - 1_000))
      await page.goto('/')
      expect(await isSignedOut(page)).toBe(true)
      expect(await stage.database.sessions()).toEqual([])
      expect(await sessionCookie(page)).toBeUndefined()
    })

    test('that is wrong signs nobody in, and makes no second user for an address', async () => {
      const [page, other] = [await stage.newPage(), await stage.newPage()]
      await signInByLink(other, 'dora@example.com')
      await signUpByPassword(page, email, password)
      await signOut(page)
      for (const [address, given] of [
        [email, 'wrong horse'],
        ['nobody@example.com', password],
        // She has no password.
        ['dora@example.com', password],
      ] as const) {
        await signInByPassword(page, address, given)
        expect(await problem(page, 'This did not match.').isVisible()).toBe(true)
      }
      await sendPassword(page, 'dora@example.com', password, 'Create an account')
      await problem(page, 'This did not match.').waitFor()
      expect(await stage.database.sessions()).toHaveLength(1)
      expect(await stage.database.users()).toHaveLength(2)
    })
  },
  { once: true },
)
