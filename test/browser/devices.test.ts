import { expect, test } from 'vitest'
import type { Stage } from './stage.js'
import { onEachDialect, onEachDialectWithBetterAuth } from './stage.js'
import { isSignedOut, sessionCookie, signInByPassword, signUpByPassword, waitUntilSignedOut } from './steps.js'

const password = 'correct horse battery'

const devices = (stage: Stage<{ sessionTokens(): Promise<string[]> }>) => {
  test('lists browsers and addresses, and signs one of them out', async () => {
    const [mine, lost] = [await stage.newPage(), await stage.newPage()]
    await lost.setExtraHTTPHeaders({
      'user-agent':
        'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/604.1',
      // Anybody can send these headers, so they must not be shown as the address.
      'x-forwarded-for': '203.0.113.7',
      'x-client-address': '203.0.113.8',
    })
    await signUpByPassword(mine, 'carol@example.com', password)
    await signInByPassword(lost, 'carol@example.com', password)
    await mine.goto('/devices')
    const items = mine.locator('.devices li')
    expect(await items.count()).toBe(2)
    expect(await items.nth(0).textContent()).toMatch(/Chrome on \w+.*This browser/s)
    expect(await items.nth(1).textContent()).toContain('Safari on iPhone')
    for (const item of await items.all()) expect(await item.textContent()).toMatch(/127\.0\.0\.1|::1|(0000:){7}0001/)
    for (const token of await stage.database.sessionTokens()) expect(await mine.content()).not.toContain(token)
    await items.nth(1).getByRole('button', { name: 'Sign out' }).click()
    await mine.getByText('You are signed in here, and nowhere else.').waitFor()
    expect(await stage.database.sessionTokens()).toEqual([await sessionCookie(mine)])
    await lost.goto('/')
    expect(await isSignedOut(lost)).toBe(true)
  })

  test('signs out everywhere, and nobody else', async () => {
    const [mine, second, stranger] = [await stage.newPage(), await stage.newPage(), await stage.newPage()]
    await signUpByPassword(mine, 'carol@example.com', password)
    await signInByPassword(second, 'carol@example.com', password)
    await signUpByPassword(stranger, 'dora@example.com', password)
    await mine.goto('/devices')
    const session = (await mine.locator('form[action="/revoke"] input').getAttribute('value')) ?? ''
    await stranger.request.post('/revoke', { form: { session }, headers: { origin: stage.origin } })
    // A form on another site.
    expect((await mine.request.post('/revoke-all', { headers: { origin: 'http://example.com' } })).status()).toBe(403)
    expect(await stage.database.sessionTokens()).toHaveLength(3)
    await mine.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
    await waitUntilSignedOut(mine)
    expect(await sessionCookie(mine)).toBeUndefined()
    expect(await stage.database.sessionTokens()).toEqual([await sessionCookie(stranger)])
  })

  test('leads nobody who is signed out to an error', async () => {
    const page = await stage.newPage()
    for (const form of ['/revoke', '/revoke-others', '/revoke-all', '/delete']) {
      const response = await page.request.post(form, { form: { session: 'none' }, headers: { origin: stage.origin } })
      expect(response.status(), form).toBe(200)
    }
  })
}

onEachDialect('the devices page', devices, { once: true })
onEachDialectWithBetterAuth('the devices page', devices, { once: true })
