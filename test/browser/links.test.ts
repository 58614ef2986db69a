import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import { askForLink, heading, sessionCookie, useLink } from './steps.js'

onEachDialect(
  'a magic link',
  (stage) => {
    test('signs in once', async () => {
      const [first, second] = [await stage.newPage(), await stage.newPage()]
      const link = await askForLink(first, 'carol@example.com')
      await useLink(first, link)
      await first.getByRole('heading', { name: 'Hello, carol@example.com' }).waitFor()
      await useLink(second, link)
      await second.getByRole('heading', { name: 'This link was used already' }).waitFor()
      expect(await sessionCookie(second)).toBeUndefined()
      expect(await stage.database.sessions()).toMatchObject([{ sessionToken: await sessionCookie(first) }])
      expect(await stage.database.tokens()).toEqual([])
    })

    test('that two browsers open at once signs one of them in', async () => {
      const pages = [await stage.newPage(), await stage.newPage()] as const
      const link = await askForLink(pages[0], 'carol@example.com')
      await Promise.all(pages.map((page) => page.goto(link)))
      await Promise.all(
        pages.map(async (page) => {
          await page.getByRole('button', { name: 'Sign in' }).click()
          await page.getByRole('heading', { name: /^Hello|^This link/ }).waitFor()
        }),
      )
      expect((await Promise.all(pages.map(heading))).sort()).toEqual(['Hello, carol@example.com', 'This link was used already'])
      expect(await stage.database.users()).toHaveLength(1)
      expect(await stage.database.sessions()).toHaveLength(1)
    })

    test('that has expired signs nobody in', async () => {
      const page = await stage.newPage()
      const link = await askForLink(page, 'carol@example.com')
      expect(await stage.database.tokens()).toMatchObject([{ identifier: 'carol@example.com' }])
      await stage.database.expireLinks(new Date(Date.now() - 1_000))
      await useLink(page, link)
      await page.getByRole('heading', { name: 'This link has expired' }).waitFor()
      expect(await stage.database.users()).toEqual([])
      expect(await stage.database.sessions()).toEqual([])
    })

    test('is not sent to what is no address', async () => {
      const page = await stage.newPage()
      await page.goto('/')
      await page.getByLabel('Email address').first().fill('carol')
      await page.getByRole('button', { name: 'Send me a link' }).click()
      await page.getByRole('heading', { name: 'This is no email address' }).waitFor()
      expect(await stage.database.tokens()).toEqual([])
    })

    test('in the database is a hash, and the page shows no more than its beginning', async () => {
      const page = await stage.newPage()
      const link = await askForLink(page, 'carol@example.com')
      const [stored] = await stage.database.tokens()
      expect(link).not.toContain(stored?.token)
      const rows = page.locator('[data-table=verificationToken] tbody', { hasText: `${stored?.token.slice(0, 4)}••••` })
      expect(await rows.textContent()).not.toContain(stored?.token)
    })
  },
  { once: true },
)
