// npx tsx demo/screenshot.ts: takes the screenshots docs/demo.webp and docs/demo-dark.webp again, of a demo that it starts and signs in to.
// Install the fonts Inter and JetBrains Mono first, so that the pictures look as they did before.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchChromium } from '../test/slow/browser/chromium.js'
import { addDevice, askForLink, signInByLink, signInByOpenId } from '../test/slow/browser/steps.js'
import { startDemo } from './demo.js'

const files = { light: 'demo.webp', dark: 'demo-dark.webp' } as const
const folder = await mkdtemp(join(tmpdir(), 'demo-'))
const browser = await launchChromium()

async function take(colorScheme: keyof typeof files) {
  const databaseUrl = `file:${folder}/${colorScheme}.sqlite`
  const demo = await startDemo({ port: 0, databaseUrl, strategy: 'database', log: console.log })
  const open = async () => {
    const viewport = { width: 1280, height: 900 }
    return (await browser.newContext({ baseURL: demo.origin, viewport, deviceScaleFactor: 1.5, colorScheme })).newPage()
  }
  try {
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
    await writeFile(join(import.meta.dirname, '../docs', files[colorScheme]), data, 'base64')
  } finally {
    await demo.stop()
  }
}

try {
  for (const colorScheme of Object.keys(files) as (keyof typeof files)[]) await take(colorScheme)
} finally {
  await browser.close()
  await rm(folder, { recursive: true })
}
