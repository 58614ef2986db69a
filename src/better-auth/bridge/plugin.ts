import type { AuthContext, BetterAuthPlugin } from '@better-auth/core'
import { createAuthMiddleware } from '@better-auth/core/api'
import { isAPIError } from '@better-auth/core/utils/is-api-error'
import { configError } from '../../query/errors.js'
import type { OldCookie } from './cookies.js'
import { oldCookieNames, oldNames, parseCookies, readOldCookies } from './cookies.js'
import { encryptedSessions } from './encrypted.js'
import { hmac } from './hmac.js'
import { isJwt } from './jwt.js'
import type { Session } from './moved.js'
import { movedSessions } from './moved.js'
import type { AuthjsSessionsOptions } from './options.js'
import { caller, readOptions } from './options.js'
import { watchSessions } from './watch.js'

/** What a request with an old cookie is about. */
interface Bridged {
  cookies: OldCookie[]
  /** The names of the old cookies and their chunks. */
  names: string[]
  /** The session of the new cookie. The old one does not count beside it. */
  current: Session | undefined
  /** The session that the old cookie was let in for. */
  admitted: Session | undefined
}

// Longer ones are an error in Better Auth, because browsers shorten them.
const longestCookie = 400 * 24 * 60 * 60

/**
 * A plugin for Better Auth: the session cookies of Auth.js 5 and next-auth 4 keep working, and are replaced by Better Auth's own. Only sessions
 * that the migration has moved, and JWTs of users who exist, are let in.
 *
 * @param options When it ends, and how Auth.js kept its sessions.
 * @example
 * // auth.ts
 * import { betterAuth } from 'better-auth'
 * import { authjsSessions, drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
 * import * as schema from './auth-schema.js'
 * import { db } from './db.js'
 *
 * export const auth = betterAuth({
 *   database: drizzleAdapter(db, { schema }),
 *   plugins: [authjsSessions({ until: new Date('2027-01-31') })],
 * })
 */
export function authjsSessions(options: AuthjsSessionsOptions): BetterAuthPlugin {
  const settings = readOptions(options)
  const { until, cookieName, jwtSecrets } = settings
  const moved = movedSessions(settings)
  const encrypted = jwtSecrets.length > 0 ? encryptedSessions(settings) : undefined
  const requests = new WeakMap<object, Bridged>()
  const isOver = () => new Date() >= until
  const cookiesOf = (headers: Headers | undefined) => parseCookies(headers?.get('cookie') ?? '')
  const allNames = oldNames(cookieName, false)

  /** Returns the first session that one of the cookies stands for. */
  async function admit(context: AuthContext, cookies: OldCookie[]): Promise<Session | undefined> {
    for (const cookie of cookies) {
      const session = isJwt(cookie.value) ? await encrypted?.find(context, cookie) : await moved.find(context, cookie.value)
      if (session) return session
    }
    return undefined
  }

  async function forget(context: AuthContext, cookies: OldCookie[], when: 'now' | 'soon'): Promise<void> {
    for (const { value } of cookies) if (!isJwt(value)) await moved.forget(context, value, when)
  }

  return {
    id: 'authjs-sessions',

    init(context) {
      if (!context.tables.verification)
        configError(`${caller}: there is no verification table. Set verification: { storeInDatabase: true } in the options of Better Auth`)
      if (allNames.includes(context.authCookies.sessionToken.name))
        configError(`${caller}: the session cookie of Better Auth has the name of the old one. Give it another name`)
      if (encrypted)
        watchSessions(context, async (userId) => {
          if (!isOver()) await encrypted.signOut(context, userId)
        })
    },

    hooks: {
      before: [
        {
          matcher: ({ headers }) => !isOver() && oldCookieNames(cookiesOf(headers), allNames).length > 0,
          handler: createAuthMiddleware(async (ctx) => {
            const { context } = ctx
            const sent = cookiesOf(ctx.headers)
            const cookies = readOldCookies(sent, oldNames(cookieName, isSecure(context, ctx.request)))
            const { name } = context.authCookies.sessionToken
            const token = await ctx.getSignedCookie(name, context.secret)
            const current = token ? await findLive(context, token) : undefined
            // The bearer plugin replaces the cookie.
            const hasBearer = context.hasPlugin('bearer') && /^bearer /i.test(ctx.headers?.get('authorization') ?? '')
            const admitted = current || hasBearer ? undefined : await admit(context, cookies)
            requests.set(context, { cookies, names: oldCookieNames(sent, allNames), current, admitted })
            if (!admitted) return
            sent.set(name, await signed(admitted.token, context.secret))
            const headers = new Headers({ cookie: Array.from(sent, ([name, value]) => `${name}=${value}`).join('; ') })
            return { context: { headers } }
          }),
        },
      ],
      after: [
        {
          matcher: ({ context }) => requests.has(context),
          handler: createAuthMiddleware(async (ctx) => {
            const { context } = ctx
            const { cookies, names, current, admitted } = requests.get(context) as Bridged
            const { name, attributes } = context.authCookies.sessionToken
            const setCookie = context.responseHeaders?.getSetCookie().findLast((cookie) => cookie.startsWith(`${name}=`))
            const created = context.newSession?.session.token
            const isSignIn = created !== undefined && created !== (current ?? admitted)?.token
            const isSignOut = setCookie?.startsWith(`${name}=;`)
            const isDone = isSignIn || isSignOut || current !== undefined

            if (isSignIn || isSignOut) {
              const ended = admitted ?? (await admit(context, cookies))
              if (ended) await context.internalAdapter.deleteSession(ended.token)
              await forget(context, cookies, 'now')
            } else if (current) await forget(context, cookies, 'soon')

            // Auth.js may have set its cookie for the domain, as Better Auth does, or for this host alone.
            const domains = attributes.domain === undefined ? [{}] : [{}, { domain: attributes.domain }]
            if (isDone)
              for (const old of names)
                for (const domain of domains) ctx.setCookie(old, '', { path: '/', secure: isPrefixed(old), maxAge: 0, ...domain })
            else if (admitted && !setCookie && context.session?.session.token === admitted.token) {
              const maxAge = Math.min(longestCookie, Math.floor((admitted.expiresAt.getTime() - Date.now()) / 1_000))
              await ctx.setSignedCookie(name, admitted.token, context.secret, { ...attributes, maxAge })
            }
          }),
        },
        {
          // Ends sessions one by one. A JWT that was not used yet is none of them.
          matcher: ({ path }) => encrypted !== undefined && !isOver() && path === '/revoke-other-sessions',
          handler: createAuthMiddleware(async ({ context }) => {
            if (context.session && !isAPIError(context.returned)) await encrypted?.signOut(context, context.session.user.id)
          }),
        },
      ],
    },
  }
}

async function findLive(context: AuthContext, token: string): Promise<Session | undefined> {
  const session = (await context.internalAdapter.findSession(token))?.session
  return session && session.expiresAt > new Date() ? session : undefined
}

const isPrefixed = (name: string) => /^__(Secure|Host)-/.test(name)

/** Whether the app is served over HTTPS. Behind a proxy, the request itself may not be. */
const isSecure = ({ authCookies, baseURL }: AuthContext, request: Request | undefined) =>
  authCookies.sessionToken.attributes.secure === true || [baseURL, request?.url].some((url) => url?.startsWith('https:'))

/** A value as Better Auth signs its cookies. */
async function signed(value: string, secret: string): Promise<string> {
  const signature = btoa(String.fromCharCode(...(await hmac(secret, value))))
  return encodeURIComponent(`${value}.${signature}`)
}
