import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { install } from '../../support/servers/apt.js'
import { findFolders } from '../../support/servers/programs.js'

/** Chromium without its user interface, which starts and renders faster. */
const shell = 'chromium-headless-shell'

const names = [shell, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const advice = `No Chromium was found for the browser tests. One of these is enough:
  anywhere        install Chromium or Chrome and set CHROMIUM to its program
  Debian          sudo apt-get install chromium-headless-shell (as root this is done for you)
  macOS           brew install chromium, or set CHROMIUM to the program inside Google Chrome.app`

async function find(wanted = names): Promise<string | undefined> {
  for (const name of wanted) {
    const [folder] = await findFolders([name], [])
    if (folder) return join(folder, name)
  }
  return undefined
}

function print(line: string) {
  process.stderr.write(`${line}\n`)
}

/** Installs the headless shell as root on Debian or Ubuntu, or Chromium where there is no such package. */
export async function installChromium(): Promise<void> {
  if (await find([shell])) return
  await install(shell, print).catch(() => install('chromium', print))
}

/** Launches a headless browser: the one that CHROMIUM names, one on this machine, or, as root on Debian or Ubuntu, one that it installs. */
export async function launchChromium() {
  let executablePath = process.env.CHROMIUM ?? (await find())
  if (!executablePath) {
    await installChromium()
    executablePath = await find()
  }
  if (!executablePath) throw new Error(advice)
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
  })
}
