import { createCipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { encode as encodeV5 } from '@auth/core/jwt'
import { encode as encodeV4 } from 'next-auth-4/jwt'
import { afterEach, describe, expect, inject, test, vi } from 'vitest'
import { days, openApp, password } from './app.js'

afterEach(() => void vi.useRealTimers())

const travel = (milliseconds: number) => vi.useFakeTimers({ now: Date.now() + milliseconds, toFake: ['Date'] })

const secret = 'the AUTH_SECRET of the old app'
const bridge = { secret }
const v5 = 'authjs.session-token'
const v4 = 'next-auth.session-token'
const current = 'better-auth.session_token'
const month = 30 * 86_400
// As long as in Auth.js.
const options = { session: { expiresIn: month, disableSessionRefresh: true } }

interface Token {
  name?: string
  key?: string
  maxAge?: number
}

/** A session as Auth.js 5 or next-auth 4 writes it. */
function jwt(token: object, { name = v5, key = secret, maxAge = month }: Token = {}): Promise<string> {
  const claims = { name: 'Ada', email: 'ada@example.com', picture: null, ...token }
  return name.endsWith(v4) ? encodeV4({ token: claims, secret: key, maxAge }) : encodeV5({ token: claims, secret: key, salt: name, maxAge })
}

/** Splits a cookie as Auth.js does. */
const chunks = (value: string, size = 3_936) =>
  Array.from({ length: Math.ceil(value.length / size) }, (_, at) => value.slice(at * size, (at + 1) * size))

describe.each(inject('dialects'))('a session in a JWT on %s', (dialect) => {
  test.each([
    ['http://localhost:3000', v5],
    ['http://localhost:3000', v4],
    ['https://app.example.com', `__Secure-${v5}`],
    ['https://app.example.com', `__Secure-${v4}`],
  ])('over %s is let in by its cookie %s, for one session with the same end', async (origin, name) => {
    const { browser, signUp, sessions } = await openApp(dialect, { bridge, origin, options })
    const user = await signUp()
    const page = browser()
    page.set(name, await jwt({ sub: user.id }, { name, maxAge: 20 * 86_400 }))
    const found = await Promise.all(Array.from({ length: 20 }, () => page.serverSession()))
    expect(new Set(found.map((one) => one?.session.id)).size).toBe(1)
    expect(await sessions()).toHaveLength(1)
    expect(found[0]).toMatchObject({ user: { id: user.id } })
    const { expiresAt } = found[0]?.session ?? {}
    expect(Math.abs(new Date(expiresAt as Date).getTime() - days(20).getTime())).toBeLessThan(30_000)
    const [cookie = ''] = (await page.send('/get-session')).headers.getSetCookie()
    expect(Number(/Max-Age=(\d+)/.exec(cookie)?.[1]) / 86_400).toBeCloseTo(20, 2)
    expect(await page.session()).toMatchObject({ user: { id: user.id } })
    expect(page.names()).toEqual([`${origin.startsWith('https') ? '__Secure-' : ''}${current}`])
    // Nobody has just signed in.
    expect((await page.send('/list-sessions')).status).toBe(403)
    expect(await sessions()).toHaveLength(1)
  })

  test('is let in from parallel requests over HTTP, from chunks, under a name of its own, and with an older secret', async () => {
    const { browser, signUp, sessions } = await openApp(dialect, {
      bridge: { secret: ['the new secret', secret], cookieName: 'my-session' },
    })
    const user = await signUp()
    for (const encode of [
      jwt({ sub: user.id, groups: 'x'.repeat(9_000) }, { name: 'my-session' }),
      jwt({ sub: user.id, x: 'x'.repeat(9_000) }, { name: v4 }),
    ]) {
      const page = browser()
      chunks(await encode).forEach((chunk, at) => void page.set(`my-session.${at}`, chunk))
      expect(page.names().length).toBeGreaterThan(2)
      const found = await Promise.all(Array.from({ length: 20 }, () => page.session()))
      for (const one of found) expect(one).toMatchObject({ user: { id: user.id } })
      expect(await page.session()).toMatchObject({ user: { id: user.id } })
      expect(page.names()).toEqual([current])
    }
    expect(await sessions()).toHaveLength(2)
  })

  test('is ignored if it is forged, expired, too long, or not a session, or if the app has no secret for it', async () => {
    const { browser, signUp, sessions } = await openApp(dialect, { bridge })
    const { id: sub } = await signUp()
    const good = await jwt({ sub })
    const parts = good.split('.')
    const flip = (at: number) =>
      parts.map((part, index) => (index === at ? (part.startsWith('A') ? 'B' : 'A') + part.slice(1) : part)).join('.')
    const now = Math.floor(Date.now() / 1_000)
    const complete = { sub, iat: now, exp: now + 1_000 }
    const values: [string, string][] = [
      [v5, await jwt({ sub }, { key: 'another secret' })],
      [v4, await jwt({ sub }, { name: v4, key: 'another secret' })],
      [v5, await jwt({ sub }, { maxAge: -1 })],
      [v4, await jwt({ sub }, { name: v4, maxAge: -1 })],
      // The state of a sign-in.
      [v4, await encodeV4({ token: { state: 'x' }, secret, maxAge: month })],
      [v5, await jwt({ sub: '' })],
      [v5, await jwt({ sub: 1 })],
      [v5, await jwt({ sub: 'a user who is gone' })],
      // A cookie of another name or version.
      [v5, await jwt({ sub }, { name: v4 })],
      [v4, good],
      [v5, await jwt({ sub }, { name: 'authjs.pkce.code_verifier' })],
      ...[2, 3, 4].map((at): [string, string] => [v5, flip(at)]),
      [v5, [...parts.slice(0, 4), parts[4]?.slice(0, 4)].join('.')],
      [v5, [Buffer.from('{"alg":"none"}').toString('base64url'), ...parts.slice(1)].join('.')],
      [v5, 'a..b.c.d'],
      ...[{ sub, iat: now }, { sub, exp: now + 1_000 }, { ...complete, exp: `${now + 1_000}` }, { ...complete, iat: `${now}` }, null].map(
        (claims): [string, string] => [v4, encrypt(claims)],
      ),
      ...[{ alg: 'A256KW' }, { zip: 'DEF' }, { crit: ['exp'] }].map((header): [string, string] => [v4, encrypt(complete, header)]),
    ]
    for (const [name, value] of values) {
      const page = browser()
      page.set(name, value)
      expect(await page.session(), `${name}=${value}`).toBeNull()
      expect(page.names()).toEqual([name])
    }
    const long = browser()
    chunks(await jwt({ sub, x: 'x'.repeat(30_000) })).forEach((part, at) => void long.set(`${v5}.${at}`, part))
    expect(await long.session()).toBeNull()
    const page = (await openApp(dialect)).browser()
    page.set(v5, good)
    expect(await page.session()).toBeNull()
    expect(await sessions()).toEqual([])
    // The way in which these were made is not the reason.
    const other = browser()
    other.set(v4, encrypt(complete))
    expect(await other.session()).toMatchObject({ user: { id: sub } })
  })

  test('means nothing for a user who is gone or banned', async () => {
    const { browser, signUp, adapter, sessions } = await openApp(dialect, { bridge })
    const [gone, banned] = [await signUp(), await signUp()]
    const ofGone = await jwt({ sub: gone.id })
    const ofBanned = await jwt({ sub: banned.id })
    await adapter.deleteMany({ model: 'account', where: [{ field: 'userId', value: gone.id }] })
    await adapter.delete({ model: 'user', where: [{ field: 'id', value: gone.id }] })
    await adapter.update({ model: 'user', where: [{ field: 'id', value: banned.id }], update: { banned: true } })
    for (const value of [ofGone, ofBanned]) {
      const page = browser()
      page.set(v5, value)
      const response = await page.send('/get-session')
      expect(response.status).toBe(200)
      expect(await response.json()).toBeNull()
      expect(await page.serverSession()).toBeNull()
    }
    expect(await sessions()).toEqual([])
  })

  test('becomes a session only if `accept` returns true, once for each session', async () => {
    const asked: unknown[] = []
    const messages: unknown[] = []
    let accept = async (claims: Record<string, unknown>): Promise<unknown> => claims.version === 2
    const { browser, signUp, sessions } = await openApp(dialect, {
      bridge: {
        ...bridge,
        accept: (claims, user) => {
          asked.push({ version: claims.version, sub: claims.sub, email: user.email })
          return accept(claims) as Promise<boolean>
        },
      },
      options: { logger: { log: (_level, message, ...more) => void messages.push(message, ...more) } },
    })
    const user = await signUp()
    const [old, valid] = [browser(), browser()]
    old.set(v5, await jwt({ sub: user.id, version: 1 }))
    valid.set(v5, await jwt({ sub: user.id, version: 2 }))
    const versioned = accept
    const answers = [false, undefined, null, 0, 1, 'true', {}].map((answer) => async () => answer)
    for (const answer of [versioned, () => Promise.reject(new Error('a secret in an error')), ...answers]) {
      accept = answer
      expect(await old.session()).toBeNull()
    }
    expect(await sessions()).toEqual([])
    expect(JSON.stringify(messages)).toContain('accept')
    expect(JSON.stringify(messages)).not.toContain('a secret')
    accept = versioned
    asked.length = 0
    for (let i = 0; i < 3; i++) expect(await valid.serverSession()).toMatchObject({ user: { id: user.id } })
    expect(asked).toEqual([{ version: 2, sub: user.id, email: user.email }])
    // Whatever a function does to its claims, the session belongs to their user.
    accept = async (claims) => Boolean(Object.assign(claims, { sub: 'somebody else', exp: 9e9 }))
    expect(await old.serverSession()).toMatchObject({ user: { id: user.id } })
  })

  test('becomes a session that lasts as long as those of Better Auth, or as the JWT', async () => {
    const { browser, signUp, sessions } = await openApp(dialect, {
      bridge,
      options: { session: { expiresIn: 3 * 86_400, disableSessionRefresh: true } },
    })
    const user = await signUp()
    for (const [lifetime, expected] of [
      [20, 3],
      [2, 2],
    ] as const) {
      const page = browser()
      page.set(v5, await jwt({ sub: user.id }, { maxAge: lifetime * 86_400 }))
      const [cookie = ''] = (await page.send('/get-session')).headers.getSetCookie()
      expect(Number(/Max-Age=(\d+)/.exec(cookie)?.[1]) / 86_400).toBeCloseTo(expected, 2)
    }
    const ends = (await sessions()).map(({ expiresAt }) => Math.round((expiresAt.getTime() - Date.now()) / 86_400_000))
    expect(ends.sort()).toEqual([2, 3])
  })

  test('older than its user means nothing where ids can be reused', async () => {
    const options = { advanced: { database: { generateId: 'serial' as const } } }
    const { browser, signUp, adapter } = await openApp(dialect, { bridge, options })
    const user = await signUp()
    const page = browser()
    travel(-5_000)
    page.set(v5, await jwt({ sub: user.id }))
    vi.useRealTimers()
    expect(await page.session()).toBeNull()
    for (const sub of ['x', '1.0', '0x1', ` ${user.id}`, `0${user.id}`]) {
      const other = browser()
      other.set(v5, await jwt({ sub }))
      expect(await other.session()).toBeNull()
    }
    await adapter.update({ model: 'user', where: [{ field: 'id', value: user.id }], update: { createdAt: days(-100) } })
    expect(await page.session()).toMatchObject({ user: { id: user.id } })
  })

  type App = Awaited<ReturnType<typeof openApp>>
  type Page = ReturnType<App['browser']>
  interface Scene {
    app: App
    page: Page
    user: { id: string; email: string }
  }

  const asAdmin = async ({ app }: Scene, path: string, body: object) => {
    const boss = await app.signUp()
    await app.adapter.update({ model: 'user', where: [{ field: 'id', value: boss.id }], update: { role: 'admin' } })
    const page = app.browser()
    await page.send('/sign-in/email', { email: boss.email, password })
    return page.send(path, body)
  }

  /** Leaves a user without a password, as one who signed in with a provider. */
  const withoutPassword = ({ app, user }: Scene) =>
    app.adapter.deleteMany({ model: 'account', where: [{ field: 'userId', value: user.id }] })

  const ends: Record<string, (scene: Scene) => Promise<Response>> = {
    'signing out with the old cookie alone': ({ page }) => page.send('/sign-out', {}),
    'signing out with the new cookie': async ({ page }) => {
      await page.session()
      await page.session()
      return page.send('/sign-out', {})
    },
    'signing in anew': ({ page, user }) => page.send('/sign-in/email', { email: user.email, password }),
    'signing in as another user': async ({ app, page }) => page.send('/sign-in/email', { email: (await app.signUp()).email, password }),
    'signing in beside a valid new cookie': async ({ app, page }) => {
      const cookie = page.cookies.get(v5) as string
      await page.session()
      page.cookies.set(v5, cookie)
      return page.send('/sign-in/email', { email: (await app.signUp()).email, password })
    },
    'revoking all sessions': ({ page }) => page.send('/revoke-sessions', {}),
    'revoking other sessions': ({ page }) => page.send('/revoke-other-sessions', {}),
    'revoking one session': async ({ page }) => page.send('/revoke-session', { token: (await page.serverSession())?.session.token }),
    'changing the password': ({ page }) => page.send('/change-password', { currentPassword: password, newPassword: 'another password' }),
    'resetting the password': async ({ app, user }) => {
      const page = app.browser()
      await page.send('/request-password-reset', { email: user.email })
      return page.send('/reset-password', { newPassword: 'another password', token: app.resets.get(user.id) })
    },
    'an administrator who sets the password': (scene) =>
      asAdmin(scene, '/admin/set-user-password', { userId: scene.user.id, newPassword: 'another password' }),
    'a first password by a reset': async (scene) => {
      await withoutPassword(scene)
      return ends['resetting the password']?.(scene) as Promise<Response>
    },
    'a first password from an administrator': async (scene) => {
      await withoutPassword(scene)
      return ends['an administrator who sets the password']?.(scene) as Promise<Response>
    },
    'a first password from the code of the app': async (scene) => {
      await withoutPassword(scene)
      const { app, user } = scene
      const account = { userId: user.id, accountId: user.id, providerId: 'credential', password: 'a hash' }
      await app.internalAdapter.linkAccount(account)
      return new Response()
    },
    'an administrator who revokes the sessions': (scene) => asAdmin(scene, '/admin/revoke-user-sessions', { userId: scene.user.id }),
    'a ban, also after it': async (scene) => {
      await asAdmin(scene, '/admin/ban-user', { userId: scene.user.id })
      return asAdmin(scene, '/admin/unban-user', { userId: scene.user.id })
    },
    'the code of the app that deletes sessions by their tokens': async ({ app, page }) => {
      await app.internalAdapter.deleteSessions([(await page.serverSession())?.session.token as string])
      return new Response()
    },
    'the code of the app that deletes the sessions of a user': async ({ app, user }) => {
      await app.internalAdapter.deleteUserSessions(user.id)
      return new Response()
    },
  }

  test.each(Object.keys(ends))('does not outlive %s', async (name) => {
    const app = await openApp(dialect, { bridge })
    const [user, neighbour] = [await app.signUp(), await app.signUp()]
    travel(-1_000)
    // Auth.js issues a new one at every read, so that there are copies.
    const copies = await Promise.all([1, 2].map(() => jwt({ sub: user.id })))
    const unrelated = await jwt({ sub: neighbour.id })
    vi.useRealTimers()
    const page = app.browser()
    page.set(v5, copies[0] as string)
    expect((await ends[name]?.({ app, page, user }))?.status).toBe(200)
    for (const days of [0, 29]) {
      travel(days * 86_400_000)
      // What deletes expired rows.
      await app.internalAdapter.findVerificationValue('unknown')
      for (const value of copies) {
        const thief = app.browser()
        thief.set(v5, value)
        expect(await thief.session()).toBeNull()
        expect(await thief.serverSession()).toBeNull()
      }
      vi.useRealTimers()
    }
    // An old deployment renews JWTs.
    travel(2_000)
    const [later, other] = [app.browser(), app.browser()]
    later.set(v5, await jwt({ sub: user.id }))
    other.set(v5, unrelated)
    expect(await later.session()).toBeNull()
    expect(await other.session()).toMatchObject({ user: { id: neighbour.id } })
  })

  test('is not let in by a request that began before a sign-out', async () => {
    let signOut = async () => {}
    const hooks = { session: { create: { before: async () => signOut() } } }
    const { browser, signUp, sessions, internalAdapter } = await openApp(dialect, { bridge, options: { databaseHooks: hooks } })
    const user = await signUp()
    const page = browser()
    travel(-1_000)
    page.set(v5, await jwt({ sub: user.id }))
    vi.useRealTimers()
    signOut = () => internalAdapter.deleteUserSessions(user.id)
    expect(await page.session()).toBeNull()
    expect(await sessions()).toEqual([])
  })

  test.each(['before', 'after'])(
    'does not outlive a sign-out %s `until`, which was moved, and leaves other devices alone',
    async (when) => {
      const app = await openApp(dialect, { bridge: { ...bridge, until: days(2) }, options })
      const user = await app.signUp()
      const [page, other] = [app.browser(), app.browser()]
      for (const { set, session } of [page, other]) {
        set(v5, await jwt({ sub: user.id }))
        await session()
        expect(await session()).toMatchObject({ user: { id: user.id } })
      }
      travel((when === 'before' ? 1 : 3) * 86_400_000)
      await page.send('/sign-out', {})
      for (const passed of [5, 399]) {
        vi.useRealTimers()
        travel(passed * 86_400_000)
        // What deletes expired rows.
        await app.internalAdapter.findVerificationValue('unknown')
        const { browser } = app.restart({ until: days(30) })
        const thief = browser()
        thief.set(v5, await jwt({ sub: user.id }))
        expect(await thief.session()).toBeNull()
        expect(await thief.serverSession()).toBeNull()
        if (passed < 30) expect(await other.session()).toMatchObject({ user: { id: user.id } })
      }
    },
  )

  test('is refused before the other sessions of its user are looked for and revoked', async () => {
    const app = await openApp(dialect, { bridge })
    const user = await app.signUp()
    const page = app.browser()
    await page.send('/sign-in/email', { email: user.email, password })
    await app.browser().send('/sign-in/email', { email: user.email, password })
    app.operations.length = 0
    expect((await page.send('/revoke-other-sessions', {})).status).toBe(200)
    expect(app.operations.indexOf('create verification')).toBeGreaterThan(-1)
    expect(app.operations.indexOf('create verification')).toBeLessThan(app.operations.indexOf('findMany session'))
    const anonymous = app.browser()
    expect((await anonymous.send('/revoke-other-sessions', {})).status).toBe(401)
  })

  test('outlives an administrator who impersonates its user, and the administrator stays signed in', async () => {
    const app = await openApp(dialect, { bridge })
    const [user, boss] = [await app.signUp(), await app.signUp()]
    await app.adapter.update({ model: 'user', where: [{ field: 'id', value: boss.id }], update: { role: 'admin' } })
    for (const [visits, end] of [
      [0, '/admin/stop-impersonating'],
      [2, '/admin/stop-impersonating'],
      [2, '/sign-out'],
    ] as const) {
      const [page, other, third] = [app.browser(), app.browser(), app.browser()]
      page.set(v5, await jwt({ sub: boss.id, visits }))
      for (let i = 0; i < visits; i++) await page.session()
      expect((await page.send('/admin/impersonate-user', { userId: user.id })).status).toBe(200)
      expect(await page.session()).toMatchObject({ user: { id: user.id } })
      expect((await page.send(end, {})).status).toBe(200)
      if (end !== '/sign-out') expect(await page.session()).toMatchObject({ user: { id: boss.id } })
      other.set(v5, await jwt({ sub: user.id }))
      expect(await other.session()).toMatchObject({ user: { id: user.id } })
      third.set(v5, await jwt({ sub: boss.id }))
      expect(await third.session()).toMatchObject({ user: { id: boss.id } })
    }
  })

  test('is not recorded for somebody who signs up', async () => {
    const app = await openApp(dialect, { bridge })
    await app.browser().send('/sign-up/email', { name: 'Ada', email: 'ada@example.com', password })
    expect(await app.marks()).toEqual([])
  })

  test.each([false, true])('costs three statements at most, whatever cookies are sent (refused: %s)', async (isRefused) => {
    const app = await openApp(dialect, { bridge: { ...bridge, ...(isRefused && { accept: () => false }) } })
    const user = await app.signUp()
    const names = ['', '__Secure-', '__Host-'].flatMap((prefix) => [v5, v4].map((name) => prefix + name))
    const jwts = new Map<string, string>()
    for (const name of names) jwts.set(name, await jwt({ sub: user.id }, { name }))
    const sent = async (path: string, body: object | undefined, hasCookies: boolean) => {
      const page = app.browser()
      if (hasCookies) names.forEach((name, at) => void page.set(name, at % 2 === 0 ? `bogus-${at}` : (jwts.get(name) as string)))
      app.operations.length = 0
      await page.send(path, body)
      return [...app.operations]
    }
    for (const [path, body] of [['/get-session'], ['/sign-in/email', { email: user.email, password: 'wrong password' }]] as [
      string,
      object?,
    ][]) {
      const without = await sent(path, body, false)
      // The first use of a JWT creates its session.
      await sent(path, body, true)
      const operations = await sent(path, body, true)
      const own = path === '/get-session' && operations.includes('findOne session') ? 1 : 0
      expect(operations.length - own - without.length, `${path}: ${operations}`).toBeLessThanOrEqual(3)
    }
  })

  test('outlives a session that expires', async () => {
    const { browser, signUp, move } = await openApp(dialect, { bridge })
    const user = await signUp()
    const token = randomUUID()
    await move(user.id, token)
    const [page, other] = [browser(), browser()]
    page.set(v5, token)
    other.set(v5, await jwt({ sub: user.id }))
    await page.session()
    await page.session()
    travel(21 * 86_400_000)
    expect(await page.session()).toBeNull()
    expect(await other.session()).toMatchObject({ user: { id: user.id } })
  })
})

/** Encrypts as next-auth 4 does. */
function encrypt(claims: unknown, header: object = {}): string {
  const iv = randomBytes(12)
  const protectedHeader = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', ...header })).toString('base64url')
  const cipher = createCipheriv(
    'aes-256-gcm',
    new Uint8Array(hkdfSync('sha256', secret, '', 'NextAuth.js Generated Encryption Key', 32)),
    iv,
  )
  cipher.setAAD(Buffer.from(protectedHeader))
  const text = Buffer.concat([cipher.update(JSON.stringify(claims)), cipher.final()])
  return [protectedHeader, '', ...[iv, text, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.')
}
