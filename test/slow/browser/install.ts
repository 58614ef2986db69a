// npx tsx test/slow/browser/install.ts: installs the browser that the tests are fastest with, where it can be installed.
import { installChromium } from './chromium.js'

await installChromium()
