import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violationsIn } from './axe.js'
import { onEachDialect } from './stage.js'
import {
  addDevice,
  askForCode,
  askForLink,
  createPasskey,
  enterCode,
  problem,
  sendPassword,
  signInByLink,
  signInByOpenId,
} from './steps.js'

const screens = {
  'a desktop in light mode': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'a phone in dark mode': { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
} as const

/** Whether the whole element is visible without scrolling. */
async function isInView(page: Page, part: Locator): Promise<boolean> {
  const box = await part.boundingBox()
  const height = page.viewportSize()?.height ?? 0
  return box !== null && box.y >= 0 && box.y + box.height <= height
}

onEachDialect(
  'the pages',
  (stage) => {
    async function newPage({ viewport, colorScheme }: (typeof screens)[keyof typeof screens]) {
      const page = await stage.newPage()
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      return page
    }

    test('say in each empty list what will appear there', async () => {
      // This must be the first test, because the mailbox keeps the mails of earlier ones.
      const page = await stage.newPage()
      await page.goto('/mailbox')
      await page.getByText('Ask for a magic link or a code, and the mail appears here.').waitFor()
      await page.locator('[data-table=authenticator]').waitFor()
      const texts = await page.locator('[data-table] .empty').allInnerTexts()
      expect(texts).toHaveLength(5)
      for (const text of texts) expect(text).toMatch(/^One row for each /)
    })

    test.each(Object.keys(screens) as (keyof typeof screens)[])('are accessible on %s', async (screen) => {
      const page = await newPage(screens[screen])
      const consoleErrors: string[] = []
      page.on('console', (message) => void (['error', 'warning'].includes(message.type()) && consoleErrors.push(message.text())))
      page.on('pageerror', (error) => void consoleErrors.push(String(error)))
      const check = async () => {
        await page.waitForLoadState('networkidle').catch(() => {})
        expect(await page.locator('h1').count()).toBe(1)
        // A deleted row fades out, and has too little contrast for axe while it does.
        await expect.poll(() => page.locator('tr.gone').count(), { timeout: 10_000 }).toBe(0)
        expect(await violationsIn(page, 'html')).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(page.viewportSize()?.width)
      }
      const visit = async (path: string) => {
        await page.goto(path)
        if (await page.locator('#live').isVisible()) await page.locator('[data-table=authenticator]').waitFor()
        await check()
      }

      for (const path of ['/', '/mailbox']) await visit(path)
      await page.goto('/')
      await page.getByText('Use a password').click()
      await check()
      await sendPassword(page, 'carol@example.com', 'wrong horse', 'Sign in with a password')
      await problem(page).waitFor()
      await check()
      await visit(await askForLink(page, 'carol@example.com'))
      await visit('/mailbox')
      await askForCode(page, 'carol@example.com')
      await check()
      await page.goto('/')
      await page.getByRole('button', { name: 'Continue with OpenID Connect' }).click()
      await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
      await check()
      await signInByOpenId(page, 'Ada')
      for (const path of ['/', '/devices', '/tokens']) await visit(path)
      // The browser reports the status of this page as an error.
      consoleErrors.length = 0
      await page.goto('/nowhere')
      await check()
      expect(consoleErrors.filter((text) => !text.includes('404'))).toEqual([])
    })

    test('show the steps, the sign-in forms, the tables and the operations without scrolling', async () => {
      const page = await newPage(screens['a desktop in light mode'])
      await page.goto('/')
      await page.locator('[data-table=authenticator]').waitFor()
      expect(await page.locator('.steps li').allInnerTexts()).toMatchObject([
        expect.stringMatching(/^Sign in/),
        expect.stringMatching(/^Watch the tables/),
        expect.stringMatching(/^Read the operations/),
      ])
      for (const part of ['.steps', '.ways', '[data-table=user]', '[data-table=authenticator]', '#operations'])
        await expect.poll(() => isInView(page, page.locator(part)), { message: part, timeout: 10_000 }).toBe(true)
    })

    test('say how many columns of a wide table are hidden, and scroll to them', async () => {
      const page = await newPage(screens['a phone in dark mode'])
      await signInByOpenId(page, 'Ada')
      const account = page.locator('[data-table=account]')
      const more = account.locator('.more')
      await more.waitFor()
      expect(await more.innerText()).toMatch(/^\d+ more columns →$/)
      expect(await page.evaluate("getComputedStyle(document.querySelector('[data-table=account] .scroller')).maskImage")).toContain('48px')
      await more.click()
      // It scrolls smoothly, and the button may vanish at any moment.
      for (let clicks = 0; clicks < 20 && (await more.isVisible()); clicks++) {
        await more.dispatchEvent('click')
        await page.waitForTimeout(100)
      }
      await expect.poll(() => more.isVisible()).toBe(false)
      const last = await account.locator('th').last().boundingBox()
      const place = await account.locator('.scroller').boundingBox()
      expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual((place?.x ?? 0) + (place?.width ?? 0) + 1)

      await page.setViewportSize({ width: 3000, height: 900 })
      await expect.poll(() => page.locator('.more:visible').count()).toBe(0)
    })

    test.each(Object.keys(screens) as (keyof typeof screens)[])(
      'report a problem in view, beside what it is about, on %s',
      async (screen) => {
        const [page, other] = [await newPage(screens[screen]), await stage.newPage()]
        const expectProblem = async (text: string, place: Locator) => {
          await problem(page, text).waitFor()
          expect(await place.filter({ has: problem(page, text) }).count(), text).toBe(1)
          // A busy browser paints a page before it scrolls.
          await expect.poll(() => isInView(page, problem(page, text)), { message: text, timeout: 10_000 }).toBe(true)
        }
        await signInByLink(other, 'ada@example.com')

        await sendPassword(page, 'ada@example.com', 'wrong horse', 'Sign in with a password')
        const passwords = page.getByRole('form', { name: 'Password' })
        await expectProblem('This did not match.', passwords)
        expect(await passwords.getByLabel('Email address').inputValue()).toBe('ada@example.com')

        await askForCode(page, 'ada@example.com')
        await enterCode(page, 'wrong')
        await page.getByText('A code has six digits.').waitFor()
        await enterCode(page, '000000')
        await expectProblem('This code is not right.', page.locator('form[action="/code"]'))
        expect(await page.getByText('on their way to ada@example.com').isVisible()).toBe(true)

        const openId = page.locator('form[action="/auth/signin/oidc"]')
        for (const [button, text] of [
          ['Ada', 'This account belongs to someone else.'],
          ['Cancel', 'The sign-in was not completed.'],
        ] as const) {
          await page.goto('/')
          await page.getByRole('button', { name: 'Continue with OpenID Connect' }).click()
          await page.getByRole('button', { name: button }).click()
          await expectProblem(text, openId)
        }

        await addDevice(page)
        await createPasskey(page, 'ada')
        await page.getByRole('form', { name: 'New passkey' }).getByText('Write an address such as you@example.com.').waitFor()
        await createPasskey(page, 'ada@example.com')
        await expectProblem('There is an account with this address.', page.getByRole('form', { name: 'New passkey' }))
      },
    )

    test('that need a user ask to sign in, and open after the sign-in', async () => {
      const page = await stage.newPage()
      await page.goto('/devices')
      await page.getByText('Sign in to see this page.').waitFor()
      await page.getByRole('button', { name: 'Continue with OpenID Connect' }).click()
      await page.getByRole('button', { name: 'Bob' }).click()
      await page.getByRole('heading', { name: 'Signed-in devices' }).waitFor()
    })

    test('of the OpenID provider look like the others, also after the sign-in has expired', async () => {
      const page = await stage.newPage()
      await page.goto('/')
      await page.getByRole('button', { name: 'Continue with OpenID Connect' }).click()
      await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
      const radius = () => page.evaluate("getComputedStyle(document.querySelector('main')).borderRadius")
      expect(await radius()).toBe('16px')
      await page.goto(`${page.url()}x`)
      expect(await page.locator('h1').innerText()).toBe('Who are you?')
      await page.getByRole('button', { name: 'Bob' }).click()
      await page.getByRole('heading', { name: 'This choice is over' }).waitFor()
      expect(await radius()).toBe('16px')
      await page.getByRole('link', { name: 'To the demo' }).click()
      await page.waitForURL(`${stage.origin}/`)
    })
  },
  { once: true },
)
