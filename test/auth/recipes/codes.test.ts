import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { openClient } from '../../support/client.js'
import { openDatabase } from '../../support/databases.js'
import { filesFor, mailbox, writeSnippets } from '../../support/snippets.js'

const hour = 60 * 60 * 1_000
const origin = 'http://localhost:3000'
const another = (code: string, step: number) => String((Number(code) + step) % 1_000_000).padStart(6, '0')
const newAddress = () => `${crypto.randomUUID()}@example.com`

describe.each(inject('dialects'))('the codes of docs/codes.md on %s', (dialect) => {
  let database: Awaited<ReturnType<typeof openDatabase>>
  let recipe: Awaited<ReturnType<typeof writeSnippets>>
  let handle: (request: Request) => Promise<Response>
  let mails: { to: string; text: string }[]

  beforeAll(async () => {
    vi.stubEnv('AUTH_SECRET', 'a secret of the tests')
    vi.spyOn(console, 'error').mockImplementation(() => {})
    database = await openDatabase(dialect)
    recipe = await writeSnippets('docs/codes.md', { ...filesFor(database), 'mail.ts': mailbox })
    handle = (await recipe.load('auth.ts')).handle
    mails = (await recipe.load('mail.ts')).mails
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
    await recipe.remove()
    await database.close()
  })

  const rows = async () => Number((await database.run(`select count(*) as n from ${database.quote('verificationToken')}`))[0]?.n)

  /** No hour of the clock ends during the test. */
  function stopClock() {
    vi.useFakeTimers({ toFake: ['Date'], now: (Math.floor(Date.now() / hour) + 0.5) * hour })
    onTestFinished(() => void vi.useRealTimers())
  }

  function openBrowser() {
    const client = openClient(origin, handle)
    const ask = async (email: string) => {
      const { csrfToken } = await (await client.go('/auth/csrf')).response.json()
      await client.go('/auth/signin/code', { csrfToken, email, callbackUrl: '/' })
    }
    return {
      ...client,
      ask,
      async codeFor(email: string): Promise<string> {
        await ask(email)
        const { to, text } = mails.at(-1) ?? { to: '', text: '' }
        expect(to).toBe(email)
        return /^\d{6}/.exec(text)?.[0] ?? expect.fail('no code was sent')
      },
      /** Whether the code signs in. */
      async guess(email: string, code: string): Promise<boolean> {
        const cookie = `code=${client.cookie('code') ?? ''}`
        const response = await handle(
          new Request(`${origin}/code`, { method: 'POST', body: new URLSearchParams({ email, code }), headers: { cookie } }),
        )
        return response.headers.getSetCookie().some((each) => each.startsWith('authjs.session-token='))
      },
    }
  }

  test('an address has five wrong guesses an hour, however many come at once, and a code is used once', async () => {
    stopClock()
    const [browser, email] = [openBrowser(), newAddress()]
    const code = await browser.codeFor(email)
    for (const step of [1, 2, 3, 4]) expect(await browser.guess(email, another(code, step))).toBe(false)
    // A right code does not count.
    expect(await browser.guess(email, await browser.codeFor(email))).toBe(true)
    const last = await browser.codeFor(email)
    const wrong = await Promise.all(Array.from({ length: 10 }, (_, index) => browser.guess(email, another(last, index + 1))))
    expect(wrong).not.toContain(true)
    expect(await browser.guess(email, last)).toBe(false)
    const stranger = openBrowser()
    expect(await stranger.guess(email, await stranger.codeFor(email))).toBe(false)
    const other = newAddress()
    expect(await stranger.guess(other, await stranger.codeFor(other))).toBe(true)

    vi.setSystemTime(Date.now() + hour)
    const fresh = await browser.codeFor(email)
    const all = await Promise.all(Array.from({ length: 10 }, () => browser.guess(email, fresh)))
    expect(all.filter(Boolean)).toHaveLength(1)
    vi.setSystemTime(Date.now() + hour)
    const expired = await browser.codeFor(email)
    vi.setSystemTime(Date.now() + 11 * 60 * 1_000)
    expect(await browser.guess(email, expired)).toBe(false)
  })

  test('requests of strangers store nothing', async () => {
    const before = await rows()
    const browser = openBrowser()
    await browser.ask(newAddress())
    for (const each of [browser, openBrowser()]) await Promise.all(Array.from({ length: 20 }, () => each.guess(newAddress(), '123456')))
    const sent = mails.length
    for (const address of [`${'x'.repeat(14_000)}@example.com`, 'a@example.com,b@example.com', 'a@b@c', '']) await browser.ask(address)
    expect(mails.length).toBe(sent)
    expect(await rows()).toBe(before)
  })

  test('a code works only in the browser that requested it, and only at its own path', async () => {
    const [attacker, visitor] = [openBrowser(), openBrowser()]
    const [email, own] = [newAddress(), newAddress()]
    const code = await attacker.codeFor(email)
    expect(await visitor.guess(email, code)).toBe(false)
    await visitor.codeFor(own)
    expect(await visitor.guess(email, code)).toBe(false)
    const headers = { cookie: `code=${attacker.cookie('code')}`, 'sec-fetch-site': 'cross-site' }
    const body = new URLSearchParams({ email, code })
    expect((await handle(new Request(`${origin}/code`, { method: 'POST', body, headers }))).status).toBe(403)
    for (const path of ['callback/code', '/callback//code'])
      await attacker.go(`/auth/${path}?${new URLSearchParams({ email, token: code })}`)
    expect(attacker.cookie('authjs.session-token')).toBeUndefined()
    expect(await attacker.guess(email, code)).toBe(true)
  })
})
