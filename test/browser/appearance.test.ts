import { expect, test } from 'vitest'
import { violationsIn } from './axe.js'
import type { Stage } from './stage.js'
import { onEachDialect, onEachDialectWithBetterAuth } from './stage.js'
import { askForCode, askForLink, problem, sendPassword, signInByOpenId, signUpByPassword } from './steps.js'

const screens = {
  'a desktop in light mode': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'a phone in dark mode': { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
} as const

type Screen = (typeof screens)[keyof typeof screens]
const screenNames = Object.keys(screens) as (keyof typeof screens)[]

async function newPageOn({ viewport, colorScheme }: Screen, stage: Pick<Stage, 'newPage'>) {
  const page = await stage.newPage()
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  return page
}

/** Checks pages in a new browser, and collects what it prints. */
async function openInspection(screen: Screen, stage: Pick<Stage, 'newPage'>) {
  const page = await newPageOn(screen, stage)
  const consoleErrors: string[] = []
  page.on('console', (message) => void (['error', 'warning'].includes(message.type()) && consoleErrors.push(message.text())))
  page.on('pageerror', (error) => void consoleErrors.push(String(error)))
  const check = async () => {
    await page.waitForLoadState()
    expect(await page.locator('h1').count()).toBe(1)
    // A deleted row fades out, and has too little contrast for axe while it does.
    await expect.poll(() => page.locator('tr.gone').count(), { timeout: 10_000 }).toBe(0)
    expect(await violationsIn(page, 'html')).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(page.viewportSize()?.width)
  }
  const visit = async (path: string) => {
    await page.goto(path)
    if (await page.locator('#live').isVisible()) await page.locator('[data-table]').last().waitFor()
    await check()
  }
  return { page, consoleErrors, check, visit }
}

onEachDialect(
  'the pages',
  (stage) => {
    test.each(screenNames)('are accessible on %s', async (screen) => {
      const { page, consoleErrors, check, visit } = await openInspection(screens[screen], stage)
      for (const path of ['/', '/mailbox']) await visit(path)
      await page.goto('/')
      await page.getByText('Use a password').click()
      await check()
      await sendPassword(page, 'carol@example.com', 'wrong horse battery', 'Sign in with a password')
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
  },
  { once: true },
)

onEachDialectWithBetterAuth(
  'the pages',
  (stage) => {
    test.each(screenNames)('are accessible on %s', async (screen) => {
      const { page, consoleErrors, check, visit } = await openInspection(screens[screen], stage)
      for (const path of ['/', '/organizations']) await visit(path)
      await sendPassword(page, 'carol@example.com', 'wrong horse battery', 'Sign in with a password')
      await problem(page).waitFor()
      await check()
      await signUpByPassword(page, 'wilhelmina.featherstonehaugh-cholmondeley@correspondence.example.com', 'correct horse battery')
      await visit('/organizations')
      await page.getByLabel('Name').fill('The Royal Society for the Improvement of Analytical Engines')
      await page.getByRole('button', { name: 'Create an organization' }).click()
      await page.getByRole('form', { name: 'Invite to' }).getByLabel('Email address').fill('dora@example.com')
      await page.getByRole('button', { name: 'Invite' }).click()
      await page.getByText('invited', { exact: true }).waitFor()
      for (const path of ['/', '/organizations', '/devices', '/mailbox']) await visit(path)
      await page.goto('/auth/verify-email?token=wrong&callbackURL=%2F')
      await problem(page, 'This link does not confirm an address.').waitFor()
      await check()
      expect(consoleErrors).toEqual([])
    })
  },
  { once: true },
)
