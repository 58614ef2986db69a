import { expect, test } from 'vitest'
import type { TcpProxy } from '../support/proxy.js'
import { openProxy } from '../support/proxy.js'
import { onEachDialect } from './stage.js'
import { askForLink, heading, sessionCookie, signInByLink, signOut, useLink } from './steps.js'

let proxy: TcpProxy | undefined

onEachDialect(
  'the demo',
  (stage) => {
    test('shows rows that appear, change and vanish, to another browser too', async () => {
      const [page, watcher] = [await stage.newPage(), await stage.newPage()]
      await watcher.goto('/')
      const rows = (table: string) => watcher.locator(`[data-table=${table}] tbody tr:not(.gone)`)
      const link = await askForLink(page, 'carol@example.com')
      await rows('verificationToken').filter({ hasText: 'carol@example.com' }).waitFor()
      await useLink(page, link)
      await rows('verificationToken').waitFor({ state: 'detached' })
      await rows('user').filter({ hasText: 'carol@example.com' }).waitFor()
      await rows('session').waitFor()

      await stage.database.expireSessions(new Date('2040-01-02T03:04:05.678Z'))
      await watcher.locator('[data-table=session] td.changed', { hasText: '2040-01-02T03:04:05.678Z' }).waitFor()
      await signOut(page)
      await rows('session').waitFor({ state: 'detached' })
    })

    test('lists the operations in order, and shows no secret', async () => {
      const page = await stage.newPage()
      await signInByLink(page, 'carol@example.com')
      await page.locator('[data-table=session] td').first().waitFor()
      // The first update may have been sent before the last operations. Another one follows.
      const sinceTheLink = async () => {
        const names = (await page.locator('.log code').allTextContents()).reverse()
        return names.slice(names.lastIndexOf('useVerificationToken')).join(' ')
      }
      const expected = 'useVerificationToken getUserByEmail getUserByEmail createUser createSession getSessionAndUser getUser listAccounts'
      await expect.poll(sinceTheLink, { timeout: 15_000 }).toBe(expected)
      expect(await page.content()).not.toContain(await sessionCookie(page))
    })

    // SQLite is an open file, which has no connection to lose.
    test.skipIf(stage.dialect === 'sqlite')('says that the database cannot be reached, and goes on when it is back', async () => {
      const [page, other] = [await stage.newPage(), await stage.newPage()]
      await signInByLink(page, 'carol@example.com')
      const link = await askForLink(other, 'dora@example.com')

      await proxy?.interrupt()
      const response = await page.goto('/')
      expect(response?.status()).toBe(503)
      expect(await heading(page)).toBe('The database cannot be reached')
      await useLink(other, link)
      await other.getByRole('heading', { name: 'The database cannot be reached' }).waitFor()
      await other.getByRole('status').filter({ hasText: 'This view goes on when it is back' }).waitFor()
      for (const seen of [page, other]) expect(await seen.locator('main').textContent()).not.toMatch(/Error|at .*\.[jt]s/)

      await proxy?.resume()
      await page.getByRole('link', { name: 'Try again' }).click()
      await page.getByRole('heading', { name: 'Hello, carol@example.com' }).waitFor()
      await useLink(other, link)
      await other.getByRole('heading', { name: 'Hello, dora@example.com' }).waitFor()
      await other.getByRole('status').waitFor({ state: 'hidden' })
    })
  },
  {
    async openProxy(url) {
      if (url.startsWith('file:')) return { url, close: async () => {} }
      proxy = await openProxy(url)
      return { url: proxy.url, close: proxy.close }
    },
  },
)
