// npx tsx demo/screenshot.ts: draws docs/demo.png again, from a demo that it starts and signs in to.
import { mkdtemp, rm } from 'node:fs/promises'
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
  // The marks of what is new are still there, and begin to fade.
  await page.waitForTimeout(500)
  await page.screenshot({ path: join(import.meta.dirname, '../docs/demo.png') })
} finally {
  await browser.close()
  await demo.stop()
  await rm(folder, { recursive: true })
}
