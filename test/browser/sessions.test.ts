import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import { isSignedOut, sessionCookie, signInByLink, signOut } from './steps.js'

const day = 24 * 60 * 60 * 1_000
const inDays = (days: number) => new Date(Date.now() + days * day)

onEachDialect(
  'a session',
  (stage) => {
    test('that has expired is deleted from the database', async () => {
      const page = await stage.newPage()
      await signInByLink(page, 'carol@example.com')
      await stage.database.expireSessions(inDays(-1))
      await page.goto('/')
      expect(await isSignedOut(page)).toBe(true)
      expect(await stage.database.sessions()).toEqual([])
      expect(await sessionCookie(page)).toBeUndefined()
    })

    test('is extended at most once per updateAge', async () => {
      const page = await stage.newPage()
      await signInByLink(page, 'carol@example.com')
      const [fresh] = await stage.database.sessions()
      await page.goto('/')
      expect(await stage.database.sessions()).toEqual([fresh])

      // By default it lasts 30 days, and is extended once a day.
      await stage.database.expireSessions(inDays(28.9))
      await page.goto('/')
      const [extended] = await stage.database.sessions()
      expect(extended?.expires.getTime()).toBeGreaterThan(inDays(29.9).getTime())
      await page.goto('/')
      expect(await stage.database.sessions()).toEqual([extended])
    })

    test('is not ended by a form on another site', async () => {
      const page = await stage.newPage()
      await signInByLink(page, 'carol@example.com')
      for (const path of ['/auth/signout', '/delete', '/revoke-all']) {
        const response = await page.request.post(path, { headers: { origin: 'http://example.com' } })
        expect(response.status()).toBe(403)
      }
      expect(await stage.database.sessions()).toHaveLength(1)
    })

    test('ends with signing out: its row is deleted', async () => {
      const page = await stage.newPage()
      await signInByLink(page, 'carol@example.com')
      await signOut(page)
      expect(await stage.database.sessions()).toEqual([])
      expect(await stage.database.users()).toHaveLength(1)
      expect(await sessionCookie(page)).toBeUndefined()
    })
  },
  { once: true },
)
