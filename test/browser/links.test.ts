import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import { askForLink, problem, sessionCookie, useLink } from './steps.js'

onEachDialect(
  'a magic link',
  (stage) => {
    test('signs in once', async () => {
      const [first, second] = [await stage.newPage(), await stage.newPage()]
      const link = await askForLink(first, 'carol@example.com')
      await useLink(first, link)
      await first.getByRole('heading', { name: 'Hello, carol@example.com' }).waitFor()
      await useLink(second, link)
      await problem(second, 'This link was used already.').waitFor()
      expect(await sessionCookie(second)).toBeUndefined()
      expect(await stage.database.sessions()).toMatchObject([{ sessionToken: await sessionCookie(first) }])
      expect(await stage.database.tokens()).toEqual([])
    })

    test('that two browsers open at the same time signs one of them in', async () => {
      const pages = [await stage.newPage(), await stage.newPage()] as const
      const link = await askForLink(pages[0], 'carol@example.com')
      await Promise.all(pages.map((page) => page.goto(link)))
      await Promise.all(
        pages.map(async (page) => {
          await page.getByRole('button', { name: 'Sign in' }).click()
          await page
            .getByRole('heading', { name: /^Hello/ })
            .or(problem(page))
            .waitFor()
        }),
      )
      expect((await Promise.all(pages.map((page) => problem(page, 'This link was used already.').isVisible()))).sort()).toEqual([
        false,
        true,
      ])
      expect(await stage.database.users()).toHaveLength(1)
      expect(await stage.database.sessions()).toHaveLength(1)
    })

    test('that has expired signs nobody in', async () => {
      const page = await stage.newPage()
      const link = await askForLink(page, 'carol@example.com')
      expect(await stage.database.tokens()).toMatchObject([{ identifier: 'carol@example.com' }])
      await stage.database.expireLinks(new Date(Date.now() - 1_000))
      await useLink(page, link)
      await problem(page, 'This link has expired.').waitFor()
      expect(await stage.database.users()).toEqual([])
      expect(await stage.database.sessions()).toEqual([])
    })

    test('is not sent to an invalid address', async () => {
      const page = await stage.newPage()
      await page.goto('/')
      const form = page.getByRole('form', { name: 'Magic link or code' })
      const field = form.getByLabel('Email address')
      await field.fill('carol')
      await form.getByRole('button', { name: 'Send me a link' }).click()
      await form.getByText('Write an address such as you@example.com.').waitFor()
      expect(await field.getAttribute('aria-invalid')).toBe('true')
      await field.fill('carol@example')
      await form.getByText('Write an address').waitFor({ state: 'detached' })

      // The server answers in the form, too, and keeps what was typed.
      for (const button of ['Send me a link', 'Send me a code']) {
        await page.goto('/')
        await page.evaluate('for (const form of document.forms) form.noValidate = true')
        await field.fill('carol')
        await form.getByRole('button', { name: button }).click()
        await form.getByRole('alert').filter({ hasText: 'This is not an email address.' }).waitFor()
        expect(await field.inputValue()).toBe('carol')
      }
      expect(await stage.database.tokens()).toEqual([])
    })

    test('is stored as a hash, of which the page shows only the beginning', async () => {
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
