import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../support/databases.js'
import { filesFor, mailbox, writeSnippets } from '../../support/snippets.js'
import { launchChromium } from './chromium.js'

describe('the links of docs/magic-links.md', () => {
  const teardown: (() => unknown)[] = []
  let browser: Browser
  let store: Awaited<ReturnType<typeof openDatabase>>
  let origin = ''
  let mails: { to: string; text: string }[]

  beforeAll(async () => {
    process.env.AUTH_SECRET = 'a secret of the tests'
    store = await openDatabase('sqlite')
    teardown.push(store.close)
    const recipe = await writeSnippets('docs/magic-links.md', { ...filesFor(store), 'mail.ts': mailbox })
    teardown.push(recipe.remove)
    const { handle } = (await recipe.load('auth.ts')) as { handle(request: Request): Promise<Response> }
    mails = (await recipe.load('mail.ts')).mails
    const server = createServer(async (incoming, outgoing) => {
      const { method = 'GET', headers, url = '/' } = incoming
      const body = method === 'GET' || method === 'HEAD' ? null : await buffer(incoming)
      const forwarded = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
      // All other pages of the app.
      if (!/^\/(auth|confirm)/.test(url)) return void outgoing.end('Hello')
      const response = await handle(new Request(origin + url, { method, headers: forwarded, body }))
      for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value)
      outgoing.setHeader('set-cookie', response.headers.getSetCookie())
      outgoing.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()))
    }).listen(0, 'localhost')
    await once(server, 'listening')
    teardown.push(() => {
      server.closeAllConnections()
      server.close()
    })
    origin = `http://localhost:${(server.address() as AddressInfo).port}`
    browser = await launchChromium()
    teardown.push(() => browser.close())
  })
  afterAll(async () => {
    for (const close of teardown.reverse()) await close()
  })

  const count = async (table: string) => Number((await store.run(`select count(*) as n from ${store.quote(table)}`))[0]?.n)

  test('are not used up by GET, HEAD, a browser that runs scripts or a form of another site; a click signs in', async () => {
    const person = await (await browser.newContext()).newPage()
    await person.goto(`${origin}/auth/signin`)
    await person.getByLabel('Email').fill('ada@example.com')
    await person.getByRole('button').click()
    await expect.poll(() => mails.length, { timeout: 15_000 }).toBe(1)
    await expect.poll(() => count('verificationToken'), { timeout: 15_000 }).toBe(1)
    const link = /https?:\S+/.exec(mails[0]?.text ?? '')?.[0] ?? ''

    const callback = link.replace('/confirm#', '/auth/callback/email?')
    const respelled = callback.replace('/auth/callback/', '/auth//callback//')
    for (const method of ['GET', 'HEAD']) for (const url of [link, callback, respelled]) await fetch(url, { method })
    const scanner = await (await browser.newContext()).newPage()
    await scanner.goto(link, { waitUntil: 'load' })
    await scanner.getByRole('button', { name: 'Sign in' }).waitFor()
    await scanner.goto(callback)
    expect(await count('verificationToken')).toBe(1)
    expect(await count('session')).toBe(0)

    // A form of another site, which would sign a visitor in to the account of an attacker.
    for (const action of [callback, respelled]) {
      const visitor = await (await browser.newContext()).newPage()
      await visitor.setContent(`<form method="post" action="${action.replaceAll('&', '&amp;')}"><button>Win a prize</button></form>`)
      await visitor.getByRole('button').click()
      await visitor.waitForURL(/\/auth\//)
    }
    expect(await count('verificationToken')).toBe(1)
    expect(await count('session')).toBe(0)

    await person.goto(link)
    await person.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(() => count('session'), { timeout: 15_000 }).toBe(1)
    expect(await count('verificationToken')).toBe(0)
    const cookies = await person.context().cookies()
    expect(cookies.some(({ name }) => name === 'authjs.session-token')).toBe(true)
  })
})
