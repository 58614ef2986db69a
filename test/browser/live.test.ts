import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import { askForLink, sessionCookie, signInByLink, signOut, useLink } from './steps.js'

onEachDialect('the live view', (stage) => {
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
    expect(await page.locator('.log li').first().textContent()).toMatch(/\d\.\d ms/)
    expect(await page.content()).not.toContain(await sessionCookie(page))
  })
})

// The keyboard and the width are the same with every database.
onEachDialect(
  'the live view',
  (stage) => {
    test('can be used with the keyboard alone', async () => {
      const page = await stage.newPage()
      await page.goto('/')
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await page.keyboard.type('carol@example.com')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/mailbox*')
      await page.getByRole('link', { name: 'Sign in' }).first().press('Enter')
      await page.getByRole('button', { name: 'Sign in' }).press('Enter')
      await page.getByRole('heading', { name: 'Hello, carol@example.com' }).waitFor()
      expect(await stage.database.sessions()).toHaveLength(1)
    })

    test('fits the width of a phone', async () => {
      const page = await stage.newPage()
      await page.setViewportSize({ width: 360, height: 740 })
      await signInByLink(page, 'carol@example.com')
      await page.locator('[data-table=session] td').first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    })
  },
  { once: true },
)
