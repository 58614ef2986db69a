import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, inject } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { root } from '../../support/root.js'
import { launchChromium } from './chromium.js'
import type { BetterAuthRows, DatabaseRows } from './database.js'
import { openBetterAuthDatabase, openDatabase } from './database.js'

const screenshots = join(root, '.tmp/browser')

/** A running demo with its own database, and browsers to open it. Each test begins with empty tables. */
export interface Stage<Rows = DatabaseRows> {
  origin: string
  database: Rows
  /** A page in a new browser context, without cookies and passkeys. */
  newPage(): Promise<Page>
}

interface Options {
  /** Whether the demo stores its secrets protected. */
  protect?: boolean
}

interface Opened {
  url: string
  clear(): Promise<void>
  close(): Promise<void>
}

type Open<Rows> = (dialect: DialectName) => Promise<Rows>

// One database is enough: test/auth has the same sign-ins over HTTP on all of them.
const [first] = inject('dialects') as [DialectName]

/** Runs the tests with Auth.js. */
export function withAuthjs(title: string, body: (stage: Stage) => void, options: Options = {}) {
  const open = (dialect: DialectName) => openDatabase(dialect, { migrations: [] })
  describe(`${title} on ${first}`, () => body(setUpStage(first, 'authjs', open, options)))
}

/** Runs the tests with Better Auth. */
export function withBetterAuth(title: string, body: (stage: Stage<BetterAuthRows>) => void) {
  describe(`${title} with Better Auth on ${first}`, () => body(setUpStage(first, 'better-auth', openBetterAuthDatabase, {})))
}

function setUpStage<Rows extends Opened>(
  dialect: DialectName,
  library: 'authjs' | 'better-auth',
  open: Open<Rows>,
  { protect = false }: Options,
): Stage<Rows> {
  const stage = {} as Stage<Rows>
  const teardown: (() => Promise<void>)[] = []
  let browser: Browser
  let contexts: BrowserContext[] = []

  beforeAll(async () => {
    browser = await launchChromium()
    teardown.push(() => browser.close())
    const database = await open(dialect)
    teardown.push(database.close)
    const { startDemo } = await import('../../../demo/demo.js')
    const demo = await startDemo({ port: 0, library, databaseUrl: database.url, strategy: 'database', protect, log: () => {} })
    teardown.push(demo.stop)
    Object.assign(stage, { origin: demo.origin, database })
  })

  beforeEach(() => stage.database.clear())

  stage.newPage = async () => {
    const context = await browser.newContext({ baseURL: stage.origin, reducedMotion: 'reduce' })
    context.setDefaultTimeout(15_000)
    contexts.push(context)
    return context.newPage()
  }

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await mkdir(screenshots, { recursive: true })
      const name = `${task.name} on ${dialect}`.replace(/\W+/g, '-')
      const pages = contexts.flatMap((context) => context.pages())
      await Promise.all(
        pages.map((page, index) => page.screenshot({ path: join(screenshots, `${name}-${index + 1}.png`), fullPage: true })),
      )
    }
    await Promise.all(contexts.map((context) => context.close()))
    contexts = []
  })

  afterAll(async () => {
    for (const close of teardown.reverse()) await close()
  })

  return stage
}
