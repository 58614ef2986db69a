import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import { askForLink, heading, sessionCookie, useLink } from './steps.js'

onEachDialect(
  'a link',
  (stage) => {
    test('is not used up by mail scanners, even if they run scripts', async () => {
      const [person, scanner] = [await stage.newPage(), await stage.newPage()]
      const link = await askForLink(person, 'carol@example.com')
      const stored = await stage.database.tokens()
      // Scanners open the link of the mail, and could derive the callback URL of Auth.js from it.
      const callback = link.replace('/confirm#', '/auth/callback/nodemailer?')
      for (const method of ['GET', 'HEAD']) for (const url of [link, callback]) await fetch(url, { method, redirect: 'follow' })
      await scanner.goto(link)
      await scanner.getByRole('button', { name: 'Sign in' }).waitFor()
      await scanner.waitForLoadState('load')
      await scanner.goto(callback)
      expect(await heading(scanner)).toBe('Open the link from the mail')
      expect(await stage.database.tokens()).toEqual(stored)
      expect(await stage.database.sessions()).toEqual([])
      expect(await sessionCookie(scanner)).toBeUndefined()

      await useLink(person, link)
      await person.getByRole('heading', { name: 'Hello, carol@example.com' }).waitFor()
      expect(await stage.database.tokens()).toEqual([])
    })

    test('is never sent to the server before the click, and its page has no inline script', async () => {
      const page = await stage.newPage()
      const link = await askForLink(page, 'carol@example.com')
      const token = new URL(link).hash.match(/token=([^&]+)/)?.[1] ?? ''
      expect(token.length).toBeGreaterThan(30)
      const sent: string[] = []
      page.on('request', (request) => sent.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData()}`))
      const response = await page.goto(link)
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      expect(sent.length).toBeGreaterThan(1)
      expect(sent.filter((text) => text.includes(token))).toEqual([])
      expect(response?.headers()['content-security-policy']).toContain("script-src 'self'")
      expect(await page.locator('script:not([src])').count()).toBe(0)
      await page.goto('/confirm')
      await page.getByText('There is no link here').waitFor()
    })
  },
  { once: true },
)
