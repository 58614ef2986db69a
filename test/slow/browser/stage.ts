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
  dialect: DialectName
  origin: string
  database: Rows
  /** A page in a new browser context, without cookies and passkeys. */
  newPage(): Promise<Page>
}

interface Options {
  strategy?: 'database' | 'jwt'
  /** Whether the demo stores its secrets protected. */
  protect?: boolean
  /** Whether to run on the first dialect only. test/auth/flows.test.ts has the same sign-ins over HTTP on all of them. */
  once?: boolean
  /** Opens a proxy to the database, so that the test can interrupt the connection. It is closed after the demo. */
  openProxy?(url: string): Promise<{ url: string; close(): Promise<void> }>
}

interface Opened {
  url: string
  clear(): Promise<void>
  close(): Promise<void>
}

type Open<Rows> = (dialect: DialectName) => Promise<Rows>

/** Runs the tests on each dialect, with Auth.js. */
export function onEachDialect(title: string, body: (stage: Stage) => void, options: Options = {}) {
  describe(title, () => {
    const open = (dialect: DialectName) => openDatabase(dialect, { migrations: [] })
    describe.each(dialectsFor(options))('on %s', (dialect) => body(setUpStage(dialect, 'authjs', open, options)))
  })
}

/** Runs the tests on each dialect, with Better Auth. */
export function onEachDialectWithBetterAuth(title: string, body: (stage: Stage<BetterAuthRows>) => void, options: Options = {}) {
  describe(`${title} with Better Auth`, () => {
    describe.each(dialectsFor(options))('on %s', (dialect) => body(setUpStage(dialect, 'better-auth', openBetterAuthDatabase, options)))
  })
}

const dialectsFor = ({ once }: Options) => (once ? inject('dialects').slice(0, 1) : inject('dialects'))

const noProxy = async (url: string) => ({ url, close: async () => {} })

function setUpStage<Rows extends Opened>(
  dialect: DialectName,
  library: 'authjs' | 'better-auth',
  open: Open<Rows>,
  { strategy = 'database', protect = false, openProxy = noProxy }: Options,
): Stage<Rows> {
  const stage = { dialect } as Stage<Rows>
  const teardown: (() => Promise<void>)[] = []
  let browser: Browser
  let contexts: BrowserContext[] = []

  beforeAll(async () => {
    browser = await launchChromium()
    teardown.push(() => browser.close())
    const database = await open(dialect)
    teardown.push(database.close)
    const proxy = await openProxy(database.url)
    teardown.push(proxy.close)
    const { startDemo } = await import('../../../demo/demo.js')
    const demo = await startDemo({ port: 0, library, databaseUrl: proxy.url, strategy, protect, log: () => {} })
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
