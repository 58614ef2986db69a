import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import { isSignedOut, sessionCookie, signInByLink, waitUntilSignedOut } from './steps.js'

onEachDialect(
  'the devices page',
  (stage) => {
    test('lists browsers and addresses, and signs one of them out', async () => {
      const [mine, lost] = [await stage.newPage(), await stage.newPage()]
      await lost.setExtraHTTPHeaders({
        'user-agent':
          'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/604.1',
        // Anybody can send these headers, so they must not be shown as the address.
        'x-client-address': '203.0.113.7',
        'x-forwarded-for': '203.0.113.7',
      })
      await signInByLink(mine, 'carol@example.com')
      await signInByLink(lost, 'carol@example.com')
      await mine.goto('/devices')
      const items = mine.locator('.devices li')
      expect(await items.count()).toBe(2)
      expect(await items.nth(0).textContent()).toMatch(/Chrome on \w+.*This browser/s)
      expect(await items.nth(1).textContent()).toContain('Safari on iPhone')
      for (const item of await items.all()) expect(await item.textContent()).toMatch(/127\.0\.0\.1|::1/)
      for (const page of [mine, lost]) expect(await mine.content()).not.toContain(await sessionCookie(page))

      await items.nth(1).getByRole('button', { name: 'Sign out' }).click()
      await mine.getByText('You are signed in here, and nowhere else.').waitFor()
      expect(await stage.database.sessions()).toMatchObject([{ sessionToken: await sessionCookie(mine) }])
      await lost.goto('/')
      expect(await isSignedOut(lost)).toBe(true)
    })

    test('signs out everywhere else, and everywhere', async () => {
      const [mine, second] = [await stage.newPage(), await stage.newPage()]
      for (const page of [mine, second]) await signInByLink(page, 'carol@example.com')
      const stranger = await stage.newPage()
      await signInByLink(stranger, 'dora@example.com')
      await mine.goto('/devices')
      await mine.getByText('in 1 other browser').waitFor()
      await mine.getByRole('button', { name: 'Sign out everywhere else' }).click()
      await mine.getByText('You are signed in here, and nowhere else.').waitFor()
      expect(await stage.database.sessions()).toHaveLength(2)

      await signInByLink(second, 'carol@example.com')
      await mine.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
      await waitUntilSignedOut(mine)
      expect(await sessionCookie(mine)).toBeUndefined()
      await second.goto('/devices')
      expect(await isSignedOut(second)).toBe(true)
      expect(await stage.database.sessions()).toMatchObject([{ sessionToken: await sessionCookie(stranger) }])
    })

    test('signs out nobody else', async () => {
      const [mine, other, stranger] = [await stage.newPage(), await stage.newPage(), await stage.newPage()]
      await signInByLink(mine, 'carol@example.com')
      await signInByLink(other, 'carol@example.com')
      await mine.goto('/devices')
      const id = await mine.locator('form[action="/revoke"] input').getAttribute('value')
      await signInByLink(stranger, 'dora@example.com')
      for (const session of [id ?? '', crypto.randomUUID()])
        await stranger.request.post('/revoke', { form: { session }, headers: { origin: stage.origin } })
      expect(await stage.database.sessions()).toHaveLength(3)
    })

    test('fits the width of a phone', async () => {
      const page = await stage.newPage()
      await page.setViewportSize({ width: 360, height: 740 })
      await signInByLink(page, 'carol@example.com')
      for (const path of ['/devices', '/tokens', '/code?email=carol@example.com', '/confirm']) {
        await page.goto(path)
        await page.locator('[data-table=session] td').first().waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      }
    })
  },
  { once: true },
)
