// npx tsx demo/screenshot.ts: takes the screenshot docs/demo.webp again, of a demo that it starts and signs in to.
// Install the fonts Inter and JetBrains Mono first, so that the picture looks as it did before.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchChromium } from '../test/browser/chromium.js'
import { addDevice, askForLink, signInByLink, signInByOpenId } from '../test/browser/steps.js'
import { startDemo } from './demo.js'

const folder = await mkdtemp(join(tmpdir(), 'demo-'))
const browser = await launchChromium()
const demo = await startDemo({ port: 0, databaseUrl: `file:${folder}/demo.sqlite`, strategy: 'database', log: console.log })
try {
  const open = async () =>
    (await browser.newContext({ baseURL: demo.origin, viewport: { width: 1280, height: 900 }, deviceScaleFactor: 1.5 })).newPage()
  const [page, other] = [await open(), await open()]
  await addDevice(page)
  await signInByOpenId(page, 'Ada')
  await signInByLink(other, 'ada@example.com')
  await askForLink(await open(), 'bob@example.com')
  await page.goto('/')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.locator('[data-table=authenticator] td').first().waitFor()
  // At this moment, the highlights of new rows are still visible and begin to fade.
  await page.waitForTimeout(500)
  // As WebP, which is a quarter of the size and which Playwright itself cannot write.
  const cdp = await page.context().newCDPSession(page)
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  await writeFile(join(import.meta.dirname, '../docs/demo.webp'), data, 'base64')
} finally {
  await browser.close()
  await demo.stop()
  await rm(folder, { recursive: true })
}
