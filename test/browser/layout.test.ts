import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import { askForCode, askForLink, sessionCookie, signInByLink } from './steps.js'

const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }

/** The words, and the parts of an address, that run over the end of a line. */
const brokenParts = (part: Locator) =>
  part.evaluate((element) => {
    const { ownerDocument: page } = element
    const broken: string[] = []
    // 4 stands for text.
    for (const walker = page.createTreeWalker(element, 4); walker.nextNode(); ) {
      const text = walker.currentNode
      for (const { 0: word, index } of (text.textContent ?? '').matchAll(/[^\s@.+_-]+/g)) {
        const range = page.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        if (range.getClientRects().length > 1) broken.push(word)
      }
    }
    return broken
  })

async function signedOut(page: Page): Promise<Page> {
  await page.context().clearCookies()
  return page
}

onEachDialect(
  'the layout',
  (stage) => {
    test('on a phone shows addresses without scrolling, and breaks no name', async () => {
      const page = await stage.newPage()
      await page.setViewportSize({ width: 390, height: 844 })
      await signInByLink(page, 'carol@example.com')
      // Each request makes three calls, and numbers with three digits need the most space.
      for (let requests = 0; requests < 34; requests++) await page.request.get('/')
      await askForLink(await stage.newPage(), 'dora@example.com')
      const operation = page.locator('.log li', { hasText: 'createVerificationToken' }).first()
      await expect.poll(async () => Number(await operation.locator('span').first().textContent())).toBeGreaterThan(99)

      const [number, name] = [await boxOf(operation.locator('span').first()), await boxOf(operation.locator('code'))]
      expect(name.x - number.x - number.width).toBeGreaterThan(4)
      expect(name.height).toBeLessThan(number.height * 1.5)

      const email = await boxOf(page.locator('[data-table=user] td', { hasText: 'carol@example.com' }))
      expect(email.x + email.width).toBeLessThan(390)
      const [badge, table] = await Promise.all(
        ['h2 small', 'h2'].map((part) => boxOf(page.locator(`[data-table=verificationToken] ${part}`))),
      )
      expect(badge?.y).toBeLessThan((table?.y ?? 0) + 8)
    })

    test.each([390, 1366])('keeps the menu within the margin and the parts of a long address whole, at %i pixels', async (width) => {
      const page = await stage.newPage()
      await page.setViewportSize({ width, height: 844 })
      const address = 'wilhelmina.featherstonehaugh-cholmondeley@correspondence.example.com'
      const expectWholeParts = async (places: string[]) => {
        for (const place of places) expect(await brokenParts(page.locator(place, { hasText: address }).first()), place).toEqual([])
      }
      const link = await askForLink(page, address)
      await expectWholeParts(['.mails .hint'])
      await page.goto(link)
      await expectWholeParts(['[data-email]'])
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: `Hello, ${address}` }).waitFor()
      await expectWholeParts(['h1', 'dd', '.list small'])
      const [menu, name] = [await boxOf(page.locator('nav [aria-current]')), await boxOf(page.locator('.name'))]
      expect(menu.x).toBeGreaterThanOrEqual(name.x)
      await askForCode(await signedOut(page), address)
      await expectWholeParts(['form strong'])
    })

    test('lists the newest session first, in the table and among the devices', async () => {
      const pages = [await stage.newPage(), await stage.newPage(), await stage.newPage()]
      for (const page of pages) await signInByLink(page, 'carol@example.com')
      const newestFirst = (await Promise.all(pages.map(sessionCookie))).reverse().map((token) => `${token?.slice(0, 4)}••••`)
      const [first] = pages
      await first?.goto('/devices')
      await expect.poll(() => first?.locator('[data-table=session] tbody td:first-child').allTextContents()).toEqual(newestFirst)

      const times = (await first?.locator('.devices time').evaluateAll((all) => all.map((each) => each.getAttribute('datetime')))) ?? []
      expect(times).toHaveLength(3)
      // The current browser comes before the others, although it signed in first.
      const [current, ...others] = times
      expect([...others, current]).toEqual(times.toSorted().reverse())
    })
  },
  { once: true },
)
