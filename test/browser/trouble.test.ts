import { expect, inject, test } from 'vitest'
import type { TcpProxy } from '../support/proxy.js'
import { openProxy } from '../support/proxy.js'
import { onEachDialect } from './stage.js'
import { askForLink, heading, signInByLink, useLink } from './steps.js'

let proxy: TcpProxy | undefined

onEachDialect(
  'a database that cannot be reached',
  (stage) => {
    // SQLite is an open file, which has no connection to lose.
    const testOnServers = stage.dialect === 'sqlite' ? () => {} : test
    testOnServers('is reported on a clear page, and everything works again when it is back', async () => {
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
      expect(await stage.database.users()).toHaveLength(2)
    })

    // Pages that do not exist need no database.
    const testOnce = stage.dialect === inject('dialects')[0] ? test : () => {}
    testOnce('is not reported for pages that do not exist', async () => {
      const page = await stage.newPage()
      const response = await page.goto('/nowhere')
      expect(response?.status()).toBe(404)
      expect(await heading(page)).toBe('There is no such page')
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
