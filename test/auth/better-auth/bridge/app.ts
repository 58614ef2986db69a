import { createHash, createHmac, randomUUID } from 'node:crypto'
import type { BetterAuthOptions } from '@better-auth/core'
import type { DBAdapter } from '@better-auth/core/db/adapter'
import { betterAuth } from 'better-auth'
import { admin } from 'better-auth/plugins'
import type { AuthjsSessionsOptions } from 'drizzle-auth-adapter/better-auth'
import { authjsSessions } from 'drizzle-auth-adapter/better-auth'
import { onTestFinished } from 'vitest'
import type { DialectName } from '../../../support/dialects.js'
import type { KnownSchemas } from '../store.js'
import { openStore } from '../store.js'

export const days = (count: number) => new Date(Date.now() + count * 86_400_000)
export const password = 'correct horse battery staple'

/** A session token as `secretsAtRest` stores it. */
export const storedForm = (token: string, secret?: string) =>
  secret === undefined
    ? `s1.${createHash('sha256').update(token).digest('base64url')}`
    : `s2.${createHmac('sha256', secret).update(token).digest('base64url')}`

type Plugins = NonNullable<BetterAuthOptions['plugins']>

interface Settings {
  bridge?: Partial<AuthjsSessionsOptions>
  options?: BetterAuthOptions
  plugins?: Plugins
  origin?: string
}

const known: KnownSchemas = new Map()

/** An app with Better Auth and the bridge, with empty tables, and the operations that it sent to its database. */
export async function openApp(dialect: DialectName, { bridge, options, plugins = [], origin = 'http://localhost:3000' }: Settings = {}) {
  const store = await openStore(dialect, { known })
  onTestFinished(store.close)
  const resets = new Map<string, string>()
  const secret = randomUUID() + randomUUID()
  const optionsWith = (bridge?: Partial<AuthjsSessionsOptions>): BetterAuthOptions => ({
    baseURL: origin,
    secret,
    emailAndPassword: {
      enabled: true,
      // Better Auth's own hash takes a tenth of a second.
      password: { hash: async (text) => `hash of ${text}`, verify: async ({ hash, password }) => hash === `hash of ${password}` },
      sendResetPassword: async ({ user, token }) => void resets.set(user.id, token),
    },
    ...options,
    // Better Auth leaves these checks out when it is tested.
    advanced: { disableOriginCheck: false, disableCSRFCheck: false, database: { joins: true }, ...options?.advanced },
    rateLimit: { enabled: false },
    plugins: [admin(), ...plugins, authjsSessions({ until: days(30), ...bridge })],
  })
  const all = optionsWith(bridge)
  await store.migrate(all)
  const open = await store.adapterFor(all)
  const operations: string[] = []
  const start = (options: BetterAuthOptions) =>
    betterAuth({ ...options, database: (options: BetterAuthOptions) => recording(open(options), operations) })
  const auth = start(all)
  const { adapter, internalAdapter } = await auth.$context

  const signUp = async (email = `${randomUUID()}@example.com`) => {
    const { user } = await (auth.api as never as Api).signUpEmail({ body: { name: 'Ada', email, password } })
    // Signing up has made a session that these tests do not want.
    await adapter.deleteMany({ model: 'session', where: [{ field: 'userId', value: user.id }] })
    return { ...user, email }
  }

  /** A session as the plan moves it, with its mark. Returns its id. */
  const move = async (userId: string, token: string, { expiresAt = days(20), value }: { expiresAt?: Date; value?: string } = {}) => {
    const dates = { createdAt: days(-40), updatedAt: new Date() }
    const { id } = await adapter.create({ model: 'session', data: { userId, token, expiresAt, ...dates } })
    const mark = { identifier: `authjs-session:${token}`, value: value ?? String(id), expiresAt: days(90) }
    await adapter.create({ model: 'verification', data: { ...mark, ...dates } })
    return String(id)
  }

  const marks = () => adapter.findMany<{ identifier: string; value: string; expiresAt: Date }>({ model: 'verification' })
  const sessions = () => adapter.findMany<{ id: string; userId: string; token: string; expiresAt: Date }>({ model: 'session' })
  return {
    ...store,
    auth,
    adapter,
    internalAdapter,
    operations,
    resets,
    origin,
    signUp,
    move,
    marks,
    sessions,
    browser: () => openBrowser(auth, origin),
    /** The app after it was started with other options of the bridge. */
    restart: (changed: Partial<AuthjsSessionsOptions>) => {
      const restarted = start(optionsWith({ ...bridge, ...changed }))
      return { browser: () => openBrowser(restarted, origin) }
    },
  }
}

/** What the tests call of `auth.api`, whose type depends on the plugins. */
interface Api {
  signUpEmail(input: object): Promise<{ user: { id: string } }>
  getSession(input: { headers: Headers }): Promise<SessionAndUser | null>
  updateUser(input: object): Promise<unknown>
}

interface SessionAndUser {
  session: { id: string; token: string; expiresAt: string | Date; createdAt: string | Date }
  user: { id: string }
}

function recording(adapter: DBAdapter<BetterAuthOptions>, operations: string[]): DBAdapter<BetterAuthOptions> {
  return new Proxy(adapter, {
    get: (target, name: keyof typeof adapter) =>
      typeof target[name] === 'function' && name !== 'transaction'
        ? (input: { model?: string }) => {
            operations.push(`${name} ${input.model}`)
            return (target[name] as (input: object) => unknown)(input)
          }
        : target[name],
  })
}

/** Keeps cookies as a browser does. */
export function openBrowser(auth: { handler(request: Request): Promise<Response>; api: unknown }, origin: string) {
  const cookies = new Map<string, string>()
  const header = () => Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const keep = (response: Response) => {
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (/max-age=0/i.test(cookie)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const send = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const init = { method: body ? 'POST' : 'GET', body: body ? JSON.stringify(body) : null }
    const json = body ? { 'content-type': 'application/json', origin } : {}
    return keep(
      await auth.handler(new Request(`${origin}/api/auth${path}`, { ...init, headers: { ...json, cookie: header(), ...headers } })),
    )
  }
  return {
    cookies,
    set: (name: string, value: string) => void cookies.set(name, encodeURIComponent(value)),
    send,
    /** The session of a request over HTTP. */
    session: async (headers?: Record<string, string>): Promise<SessionAndUser | null> =>
      (await send('/get-session', undefined, headers)).json(),
    /** The session as a server component reads it, which cannot set cookies. */
    serverSession: () => (auth.api as Api).getSession({ headers: new Headers({ cookie: header() }) }),
    api: auth.api as Api,
    headers: () => new Headers({ cookie: header() }),
    /** The session cookie of Better Auth. */
    current: () => [...cookies].find(([name]) => name.endsWith('better-auth.session_token'))?.[1],
    names: () => [...cookies.keys()],
  }
}
