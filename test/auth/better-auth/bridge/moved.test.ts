import { randomUUID } from 'node:crypto'
import { bearer } from 'better-auth/plugins'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { afterEach, describe, expect, inject, test, vi } from 'vitest'
import { days, openApp, password, storedForm } from './app.js'

afterEach(() => void vi.useRealTimers())

/** Moves the clock of the app. */
const travel = (milliseconds: number) => vi.useFakeTimers({ now: Date.now() + milliseconds, toFake: ['Date'] })

const http = 'http://localhost:3000'
const https = 'https://app.example.com'
const current = 'better-auth.session_token'

type App = Awaited<ReturnType<typeof openApp>>
type Settings = Parameters<typeof openApp>[1]

describe.each(inject('dialects'))('a moved session on %s', (dialect) => {
  /** An app, a user with a moved session, and browsers that present it. */
  async function open(settings?: Settings, moved: Parameters<App['move']>[2] = {}) {
    const app = await openApp(dialect, settings)
    const user = await app.signUp()
    const token = randomUUID()
    const id = await app.move(user.id, token, moved)
    const present = (name = 'authjs.session-token') => {
      const page = app.browser()
      page.set(name, token)
      return page
    }
    return { ...app, user, token, id, present }
  }

  test.each([
    [http, 'authjs.session-token', undefined],
    [http, 'next-auth.session-token', undefined],
    [https, '__Secure-authjs.session-token', undefined],
    [https, '__Secure-next-auth.session-token', undefined],
    [https, '__Host-my-session', 'my-session'],
    [http, 'my-session', 'my-session'],
    [https, '__Secure-my-session', '__Secure-my-session'],
  ])('over %s is let in by its cookie %s', async (origin, name, cookieName) => {
    const { user, token, id, present } = await open({ origin, ...(cookieName && { bridge: { cookieName } }) })
    const page = present(name)
    // A server component cannot set cookies, so the old one keeps working.
    for (let i = 0; i < 2; i++) expect(await page.serverSession()).toMatchObject({ session: { id, token }, user: { id: user.id } })
    expect(await page.session()).toMatchObject({ session: { id }, user: { id: user.id } })
    expect(page.current()).toBeDefined()
    // The next request presents both, and the old one goes.
    expect(await page.session()).toMatchObject({ session: { id } })
    expect(page.names().filter((name) => name.includes('session-token') || name.includes('my-session'))).toEqual([])
    expect(await page.session()).toMatchObject({ session: { id } })
    expect(await page.serverSession()).toMatchObject({ session: { id } })
  })

  test('is let in by every endpoint, and its new cookie lives as long as the session', async () => {
    const { present } = await open()
    const page = present()
    const response = await page.send('/update-user', { name: 'Grace' })
    expect(response.status).toBe(200)
    expect(await page.session()).toMatchObject({ user: { name: 'Grace' } })
    await page.api.updateUser({ body: { name: 'Joan' }, headers: page.headers() })
    expect(await page.session()).toMatchObject({ user: { name: 'Joan' } })
    // It is not fresh, because nobody has just signed in.
    expect((await page.send('/list-sessions')).status).toBe(403)
    const [cookie = ''] = (await present().send('/get-session')).headers.getSetCookie()
    expect(Number(/Max-Age=(\d+)/.exec(cookie)?.[1]) / 86_400).toBeCloseTo(20, 2)
  })

  test('gets one new cookie, with the new end, if Better Auth renews it', async () => {
    const { present } = await open({}, { expiresAt: days(2) })
    const cookies = (await present().send('/get-session')).headers.getSetCookie()
    expect(cookies).toHaveLength(1)
    expect(cookies[0]).toContain(`Max-Age=${7 * 86_400}`)
  })

  test('loses its mark a minute after the new cookie was presented, and later requests need no query for it', async () => {
    const { token, present, marks, operations } = await open()
    const page = present()
    await page.session()
    const [before] = await marks()
    expect(before?.expiresAt.getTime()).toBeGreaterThan(days(80).getTime())
    await page.session()
    const [after] = await marks()
    expect(after?.expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 60_000)
    // A request that was on its way.
    const late = present()
    expect(await late.serverSession()).toMatchObject({ session: { token } })
    operations.length = 0
    expect(await page.session()).toMatchObject({ session: { token } })
    expect(operations).toEqual(['findOne session'])
    travel(61_000)
    expect(await late.serverSession()).toBeNull()
    expect(await late.session()).toBeNull()
    expect(late.current()).toBeUndefined()
    expect(await page.session()).toMatchObject({ session: { token } })
  })

  test('is not let in without a mark, so that sessions of Better Auth itself need their signature', async () => {
    const { browser, signUp, sessions } = await openApp(dialect)
    const { email } = await signUp()
    const page = browser()
    await page.send('/sign-in/email', { email, password })
    const [session] = await sessions()
    for (const value of [session?.token as string, `${session?.token}.AAAA`, 'unknown', "' or 1=1 --", '\0', '%', 'x'.repeat(5_000)]) {
      const other = browser()
      other.set('authjs.session-token', value)
      other.set(current, `${session?.token}.${'A'.repeat(43)}=`)
      expect(await other.serverSession()).toBeNull()
      expect((await other.send('/get-session')).status).toBe(200)
      expect(other.names()).toContain('authjs.session-token')
    }
    expect(await sessions()).toHaveLength(1)
  })

  test('is let in if the new cookie has a bad signature or belongs to a session that has ended, and only then', async () => {
    const { browser, signUp, move, adapter } = await openApp(dialect)
    const [ada, eve] = [await signUp(), await signUp()]
    const token = randomUUID()
    await move(ada.id, token)
    const page = browser()
    await page.send('/sign-in/email', { email: eve.email, password })
    page.set('authjs.session-token', token)
    const valid = page.current() as string
    expect(await page.serverSession()).toMatchObject({ user: { id: eve.id } })
    page.set(current, `${decodeURIComponent(valid).split('.')[0]}.${'A'.repeat(43)}=`)
    expect(await page.serverSession()).toMatchObject({ user: { id: ada.id } })
    page.cookies.set(current, valid)
    await adapter.deleteMany({ model: 'session', where: [{ field: 'userId', value: eve.id }] })
    const late = browser()
    late.cookies.set(current, valid)
    late.set('authjs.session-token', token)
    // Presenting a valid new cookie has ended the mark after the grace only.
    expect(await late.session()).toMatchObject({ user: { id: ada.id } })
  })

  test('is not let in over HTTPS by a cookie that a page without HTTPS can set', async () => {
    const { present } = await open({ origin: https })
    for (const name of ['authjs.session-token', 'next-auth.session-token']) {
      const page = present(name)
      expect(await page.session()).toBeNull()
      expect(await page.serverSession()).toBeNull()
    }
  })

  test('is not let in if it has expired, or if its id or its token now belongs to another session', async () => {
    const { browser, signUp, move, adapter, sessions } = await openApp(dialect)
    const [ada, eve] = [await signUp(), await signUp()]
    const [expired, reused, changed] = [randomUUID(), randomUUID(), randomUUID()]
    await move(ada.id, expired, { expiresAt: days(-1) })
    await move(ada.id, reused, { value: 'another id' })
    const id = await move(ada.id, changed)
    await adapter.update({ model: 'session', where: [{ field: 'id', value: id }], update: { token: randomUUID(), userId: eve.id } })
    for (const token of [expired, reused, changed, changed.toUpperCase()]) {
      const page = browser()
      page.set('authjs.session-token', token)
      expect(await page.session()).toBeNull()
      expect(page.current()).toBeUndefined()
    }
    expect(await sessions()).toHaveLength(3)
  })

  test('ends with a sign-out, with the old cookie and its chunks', async () => {
    const { browser, signUp, move, sessions } = await openApp(dialect)
    const user = await signUp()
    for (const isBridged of [false, true]) {
      const token = randomUUID()
      await move(user.id, token)
      const [page, copy] = [browser(), browser()]
      for (const { set } of [page, copy]) set('authjs.session-token', token)
      page.set('authjs.session-token.0', 'x')
      page.set('next-auth.session-token.7', 'x')
      if (isBridged) {
        await page.session()
        page.set('authjs.session-token', token)
      }
      expect((await page.send('/sign-out', {})).status).toBe(200)
      expect(page.names()).toEqual([])
      expect(await copy.session()).toBeNull()
      expect(await sessions()).toEqual([])
    }
  })

  test.each([undefined, 'example.com'])('deletes old cookies with at most twenty cookies in an answer (domain: %s)', async (domain) => {
    const options = { advanced: { crossSubDomainCookies: { enabled: domain !== undefined, ...(domain && { domain }) } } }
    const { browser } = await openApp(dialect, { options })
    const page = browser()
    const body = { name: 'Ada', email: `${randomUUID()}@example.com`, password }
    for (const [path, sent] of [['/sign-up/email', body], ['/get-session'], ['/sign-in/email', body], ['/sign-out', {}]] as [
      string,
      object?,
    ][]) {
      for (const name of ['authjs', 'next-auth']) for (let at = 0; at < 1_000; at++) page.set(`${name}.session-token.${at}`, 'x')
      const cookies = (await page.send(path, sent)).headers.getSetCookie()
      expect(cookies.filter((cookie) => /^[^=]*session-token/.test(cookie)).length).toBeGreaterThan(10)
      expect(cookies.length).toBeLessThanOrEqual(20)
    }
  })

  test('ends with a sign-in', async () => {
    const { browser, signUp, move, sessions } = await openApp(dialect)
    const [ada, eve] = [await signUp(), await signUp()]
    for (const isBridged of [false, true]) {
      const token = randomUUID()
      await move(ada.id, token)
      const [page, copy] = [browser(), browser()]
      for (const { set } of [page, copy]) set('next-auth.session-token', token)
      if (isBridged) {
        await page.session()
        page.set('next-auth.session-token', token)
      }
      expect((await page.send('/sign-in/email', { email: eve.email, password })).status).toBe(200)
      expect(page.names()).toEqual([current])
      expect(await page.session()).toMatchObject({ user: { id: eve.id } })
      expect(await copy.session()).toBeNull()
      expect((await sessions()).filter(({ userId }) => userId === ada.id)).toEqual([])
    }
  })

  test('ends when it is revoked', async () => {
    const { present } = await open()
    const page = present()
    expect((await page.send('/revoke-sessions', {})).status).toBe(200)
    expect(await page.session()).toBeNull()
  })

  test('does not weaken the origin check', async () => {
    const { present } = await open()
    const page = present()
    for (const origin of ['https://evil.example', 'null'])
      expect((await page.send('/update-user', { name: 'Eve' }, { origin })).status).toBe(403)
    expect(page.current()).toBeUndefined()
    expect(await page.session()).toMatchObject({ user: { name: 'Ada' } })
  })

  test('is not let in after `until`', async () => {
    const { present, operations } = await open({ bridge: { until: days(1) } })
    travel(86_400_001)
    const page = present()
    operations.length = 0
    expect(await page.session()).toBeNull()
    expect(operations).toEqual([])
    expect(page.names()).toEqual(['authjs.session-token'])
  })

  test('gives way to a bearer token', async () => {
    const { browser, signUp, sessions, present, user: ada } = await open({ plugins: [bearer()] })
    const eve = await signUp()
    await browser().send('/sign-in/email', { email: eve.email, password })
    const signedIn = (await sessions()).find(({ userId }) => userId === eve.id)
    const page = present()
    expect(await page.session({ authorization: `Bearer ${signedIn?.token}` })).toMatchObject({ user: { id: eve.id } })
    expect(await page.session()).toMatchObject({ user: { id: ada.id } })
  })

  test.each([
    ['s1', undefined],
    ['s2', 'a secret of thirty-two characters or more'],
  ])('that was hashed (%s) gets a new token, and its stored form is nothing to sign in with', async (form, hmac) => {
    const secrets = secretsAtRest({ sessionTokens: { mode: 'hashed', ...(hmac && { hmac }) } })
    const { browser, signUp, move, sessions, operations } = await openApp(dialect, { bridge: { secrets }, plugins: [bearer()] })
    const user = await signUp()
    const token = randomUUID()
    const stored = storedForm(token, hmac)
    expect(stored).toMatch(new RegExp(`^${form}\\.`))
    const id = await move(user.id, stored)
    const thief = browser()
    thief.set('authjs.session-token', stored)
    operations.length = 0
    expect(await thief.session()).toBeNull()
    expect(operations).toEqual([])
    const page = browser()
    expect(await page.session({ authorization: `Bearer ${stored}` })).toBeNull()
    page.set('authjs.session-token', token)
    const found = await Promise.all(Array.from({ length: 20 }, () => page.serverSession()))
    const [session, ...others] = await sessions()
    expect(others).toEqual([])
    expect([stored, token]).not.toContain(session?.token)
    for (const one of found) expect(one).toMatchObject({ session: { id, token: session?.token } })
    expect(await page.session()).toMatchObject({ session: { id } })
    expect(await page.session()).toMatchObject({ session: { id } })
    expect(page.names()).toEqual([current])
    expect(await thief.session()).toBeNull()
  })

  test('of either form is let in while sessions are being hashed', async () => {
    const { browser, signUp, move } = await openApp(dialect, { bridge: { secrets: secretsAtRest({ sessionTokens: 'migrating' }) } })
    const user = await signUp()
    const [plain, hashed] = [randomUUID(), randomUUID()]
    await move(user.id, plain)
    await move(user.id, storedForm(hashed))
    for (const token of [plain, hashed]) {
      const page = browser()
      page.set('authjs.session-token', token)
      expect(await page.session()).toMatchObject({ user: { id: user.id } })
    }
  })
})
