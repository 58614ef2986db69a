import type { RunOptions } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { violationsIn } from '../../test/slow/browser/axe.js'
import { launchChromium } from '../../test/slow/browser/chromium.js'
import { pages, serveSite } from './site.js'

// In dark mode, only the colors differ, so only the contrast is checked.
const rulesIn = { light: {}, dark: { runOnly: ['color-contrast'] } } satisfies Record<string, RunOptions>

// The search dialog of VitePress 1.6 has links inside options, and labels without the excerpt. The pages themselves have neither.
const rulesInSearch: RunOptions = { rules: { 'nested-interactive': { enabled: false }, 'label-content-name-mismatch': { enabled: false } } }

const screens = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
}

/** A laptop, on which no table may be cut off, and a phone, on which wide tables and code scroll on their own. */
const widths = { laptop: 1366, phone: 390 }

let browser: Browser
let server: Awaited<ReturnType<typeof serveSite>>

beforeAll(async () => {
  server = await serveSite()
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

// Without JavaScript, all tabs are visible.
test('every page fits on a laptop and on a phone, also without JavaScript', { timeout: 300_000 }, async () => {
  const page = await browser.newPage({ javaScriptEnabled: false })
  onTestFinished(() => page.close())
  const wrong: string[] = []
  const paths = await pages()
  expect(paths.length).toBeGreaterThan(50)
  for (const path of paths) {
    await page.goto(`${server.url}${path}`)
    for (const [screen, width] of Object.entries(widths)) {
      await page.setViewportSize({ width, height: 800 })
      const found = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement
        const parts = [...document.querySelectorAll('main :is(table, pre, img)')]
        return {
          tooWide: scrollWidth - clientWidth,
          beside: parts.filter((part) => part.getBoundingClientRect().right > clientWidth).map(({ tagName }) => tagName),
          scrolling: parts
            .filter((part) => part.tagName === 'TABLE' && part.scrollWidth > part.clientWidth)
            .map((part) => part.textContent),
        }
      })
      if (found.tooWide > 0) wrong.push(`/${path} is ${found.tooWide} px too wide for a ${screen}`)
      if (found.beside.length > 0) wrong.push(`/${path} has parts beside the screen of a ${screen}: ${found.beside}`)
      if (screen === 'laptop') for (const table of found.scrolling) wrong.push(`/${path} cuts off a table: ${table?.trim().slice(0, 60)}`)
    }
  }
  expect(wrong).toEqual([])
})

describe.each(Object.entries(screens))('the site on a %s', (screen, viewport) => {
  const problems: string[] = []
  let page: Page

  beforeAll(async () => {
    page = await browser.newPage({ viewport, reducedMotion: 'reduce' })
    page.setDefaultTimeout(30_000)
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(`${message.text()} ${message.location().url}`)
    })
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) problems.push(`requests ${request.url()}`)
    })
  })
  afterEach(() => expect(problems.splice(0)).toEqual([]))
  afterAll(() => page?.close())

  async function open(path: string) {
    await page.goto(`${server.url}${path}`)
    // Vue sets this when the page is interactive.
    await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}))
  }

  test.each(['', 'introduction', 'matrix', 'api/drizzle-auth-adapter/secrets'])(
    'shows /%s accessibly, in light and dark mode',
    async (path) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await open(path)
        expect(await page.evaluate(() => document.documentElement.classList.contains('dark'))).toBe(colorScheme === 'dark')
        expect(await page.locator('main h1').count()).toBe(1)
        expect(await violationsIn(page, 'html', rulesIn[colorScheme])).toEqual([])
      }
    },
  )

  test.each(['', 'introduction'])('shows the demo on /%s in the colors of the page, also after the switch was used', async (path) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await open(path)
      const isShownDark = () =>
        page.locator('main picture img').evaluate((image: HTMLImageElement) => image.currentSrc.includes('demo-dark'))
      await expect.poll(isShownDark).toBe(colorScheme === 'dark')
      await page.evaluate(() => document.querySelector<HTMLElement>('.VPSwitchAppearance')?.click())
      await expect.poll(isShownDark).toBe(colorScheme === 'light')
      await page.evaluate(() => localStorage.clear())
    }
  })

  test.runIf(screen === 'desktop')('shows the comparison on the first screen of the home page', async () => {
    await open('')
    for (const library of ['Auth.js', 'Better Auth']) {
      await page.getByRole('tab', { name: library }).first().click()
      const { bottom } = await page.locator('main table:visible').evaluate((table) => table.getBoundingClientRect())
      expect(bottom, library).toBeLessThan(viewport.height)
    }
  })

  test('shows the code and the comparison for the library that was chosen', async () => {
    const shown = async () => (await page.locator('[role=tabpanel]:visible').allInnerTexts()).join()
    await open('')
    await page.getByRole('tab', { name: 'Auth.js' }).first().focus()
    await page.keyboard.press('End')
    await expect.poll(shown, { timeout: 20_000 }).toContain('@better-auth/drizzle-adapter')
    expect(await shown()).toContain('drizzle-auth-adapter/better-auth')
    expect(await violationsIn(page, 'main')).toEqual([])
    await page.keyboard.press('Home')
    await expect.poll(shown, { timeout: 20_000 }).toContain('@auth/drizzle-adapter')
    expect(await shown()).not.toContain('better-auth')
  })

  test.runIf(screen === 'desktop')('cuts off no line of code', async () => {
    await open('introduction')
    const hidden = await page.locator('main pre').evaluateAll((blocks) => blocks.map((block) => block.scrollWidth - block.clientWidth))
    expect(hidden.length).toBeGreaterThan(3)
    expect(Math.max(...hidden)).toBe(0)
  })

  test('finds deleteUser with the search, and opens the result', async () => {
    await open('')
    await page.locator('#local-search button').click()
    await page.locator('.VPLocalSearchBox input').fill('deleteUser')
    const first = page.locator('.VPLocalSearchBox .result').first()
    await first.waitFor()
    expect(await violationsIn(page, '.VPLocalSearchBox', rulesInSearch)).toEqual([])
    await first.click()
    await page.locator('.VPLocalSearchBox').waitFor({ state: 'detached' })
    await page.waitForURL((url) => url.href !== server.url)
    await expect.poll(() => page.locator('main').innerText(), { timeout: 20_000 }).toContain('deleteUser')
  })

  test('remembers the dialect that was chosen', async () => {
    const selected = async () => [...new Set(await page.locator('[role=tab][aria-selected=true]').allInnerTexts())]
    const shown = async () => (await page.locator('[role=tabpanel]:visible').allInnerTexts()).join()
    const shows = (text: string) => expect.poll(shown, { timeout: 20_000 }).toContain(text)
    await open('getting-started')
    await page.evaluate(() => localStorage.clear())
    await open('getting-started')
    expect(await selected()).toEqual(['PostgreSQL'])
    await shows('drizzle-auth-adapter/pg')
    await page.getByRole('tab', { name: 'MySQL and MariaDB' }).first().click()
    await shows('drizzle-auth-adapter/mysql')
    await page.keyboard.press('ArrowRight')
    await shows('drizzle-auth-adapter/sqlite')
    expect(await violationsIn(page, 'main')).toEqual([])
    await open('getting-started')
    await expect.poll(selected, { timeout: 20_000 }).toEqual(['SQLite'])
    await shows('drizzle-auth-adapter/sqlite')
  })

  test('copies code', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open('')
    await page.locator('main div.language-ts button.copy').first().click({ force: true })
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()), { timeout: 20_000 })
      .toContain("from 'drizzle-auth-adapter")
  })

  test('can be navigated with the sidebar', async () => {
    await open('introduction')
    if (screen === 'phone') await page.getByRole('button', { name: 'Menu' }).click()
    await page.locator('.VPSidebar').getByRole('link', { name: 'Tables', exact: true }).click()
    await page.waitForURL(`${server.url}tables`)
    await page.locator('main h1', { hasText: 'Tables' }).waitFor()
  })
})
