import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, inject } from 'vitest'
import type { DialectName } from '../helpers/dialects.js'
import { launchChromium } from './chromium.js'
import type { DatabaseRows } from './database.js'
import { openDatabase } from './database.js'

const screenshots = join(import.meta.dirname, '../../.tmp/browser')

/** A demo in a database of its own, seen by browsers. Each test begins with empty tables. */
export interface Stage {
  dialect: DialectName
  origin: string
  database: DatabaseRows
  /** A page in a browser of its own: no cookies, no passkeys. */
  newPage(): Promise<Page>
}

interface Options {
  strategy?: 'database' | 'jwt'
  /** On the first dialect alone. flows.test.ts has the same sign-ins over HTTP on all of them. */
  once?: boolean
  /** A way to the database that the test can cut; it is closed after the demo, which may say goodbye on it. */
  through?(url: string): Promise<{ url: string; close(): Promise<void> }>
}

/** Runs the tests on each dialect. */
export function onEachDialect(title: string, body: (stage: Stage) => void, options: Options = {}) {
  describe(title, () => {
    describe.each(options.once ? inject('dialects').slice(0, 1) : inject('dialects'))('on %s', (dialect) => body(prepare(dialect, options)))
  })
}

const directly = async (url: string) => ({ url, close: async () => {} })

function prepare(dialect: DialectName, { strategy = 'database', through = directly }: Options): Stage {
  const stage = { dialect } as Stage
  const closers: (() => Promise<void>)[] = []
  let browser: Browser
  let contexts: BrowserContext[] = []

  beforeAll(async () => {
    browser = await launchChromium()
    closers.push(() => browser.close())
    const database = await openDatabase(dialect, { migrations: [] })
    closers.push(database.close)
    const way = await through(database.url)
    closers.push(way.close)
    const { startDemo } = await import('../../demo/demo.js')
    const demo = await startDemo({ port: 0, databaseUrl: way.url, strategy, log: () => {} })
    closers.push(demo.stop)
    Object.assign(stage, { origin: demo.origin, database })
  })

  beforeEach(() => stage.database.clear())

  stage.newPage = async () => {
    const context = await browser.newContext({ baseURL: stage.origin })
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
    for (const close of closers.reverse()) await close()
  })

  return stage
}
