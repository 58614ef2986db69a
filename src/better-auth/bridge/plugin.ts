import type { AuthContext, BetterAuthPlugin } from '@better-auth/core'
import { createAuthMiddleware } from '@better-auth/core/api'
import { configError } from '../../query/errors.js'
import type { OldCookie } from './cookies.js'
import { longestCookie, oldCookieNames, oldNames, parseCookies, readOldCookies } from './cookies.js'
import { encryptedSessions } from './encrypted.js'
import { hmac } from './hmac.js'
import { isJwt } from './jwt.js'
import type { Candidate, Session } from './lookup.js'
import { findRows, findSessions, isLive } from './lookup.js'
import { movedSessions } from './moved.js'
import type { AuthjsSessionsOptions } from './options.js'
import { caller, readOptions } from './options.js'
import { impersonatorOf, watchSessions } from './watch.js'

/** The state of a request with an old cookie. */
interface Bridged {
  /** The rows of `verification` that may belong to the old cookies. */
  identifiers: string[]
  /** Looks for their session, once for each request. */
  find(): Promise<Found>
  /** The names of the old cookies and their chunks. */
  names: string[]
  /** The session of the new cookie. If it exists, the old cookie is ignored. */
  current: Session | undefined
  /** The session for which the old cookie was accepted. */
  admitted: Session | undefined
}

interface Found {
  session?: Session
  /** Those of the rows that exist. */
  existing: string[]
}

/** The maximum number of cookies that a response sets, with those of Better Auth, and that it deletes: eight chunks for two domains. */
const mostCookies = 20
const mostDeleted = 16

/**
 * A plugin for Better Auth: the session cookies of Auth.js 5 and next-auth 4 keep working, and are replaced by Better Auth's own. Only sessions
 * that the migration has moved, and JWTs of users who exist, are accepted.
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

  /** Of several JWTs, only the first valid one counts, so that their number does not add queries. */
  async function readCandidates(context: AuthContext, cookies: OldCookie[]): Promise<Candidate[]> {
    const candidates: Candidate[] = []
    let jwt: Candidate | undefined
    for (const cookie of cookies)
      if (!isJwt(cookie.value)) candidates.push(...(await moved.read(context, cookie.value)))
      else jwt ??= await encrypted?.read(context, cookie)
    return jwt ? [...candidates, jwt] : candidates
  }

  return {
    id: 'authjs-sessions',

    init(context) {
      if (!context.tables.verification)
        configError(`${caller}: there is no verification table. Set verification: { storeInDatabase: true } in the options of Better Auth`)
      if (!context.tables.session)
        configError(`${caller}: there is no session table. Set session: { storeSessionInDatabase: true } in the options of Better Auth`)
      if (allNames.includes(context.authCookies.sessionToken.name))
        configError(`${caller}: the session cookie of Better Auth has the name of the old one. Give it another name`)
      if (encrypted)
        // Also after `until`, which can be moved.
        watchSessions(context, (userId) => encrypted.signOut(context, userId))
    },

    hooks: {
      before: [
        {
          matcher: ({ headers }) => !isOver() && oldCookieNames(cookiesOf(headers), allNames).length > 0,
          handler: createAuthMiddleware(async (ctx) => {
            const { context } = ctx
            const sent = cookiesOf(ctx.headers)
            const cookies = readOldCookies(sent, oldNames(cookieName, isSecure(context, ctx.request)))
            const candidates = await readCandidates(context, cookies)
            const { name } = context.authCookies.sessionToken
            const token = (await ctx.getSignedCookie(name, context.secret)) || undefined
            const sessions = await findSessions(context, [...(token ? [token] : []), ...candidates.flatMap(({ tokens }) => tokens)])
            const current = sessions.find((session) => session.token === token && isLive(session))
            let found: Promise<Found> | undefined
            const find = () => (found ??= admit(context, candidates, sessions))
            // The bearer plugin replaces the cookie.
            const hasBearer = context.hasPlugin('bearer') && /^bearer /i.test(ctx.headers?.get('authorization') ?? '')
            const admitted = current || hasBearer ? undefined : (await find()).session
            const identifiers = candidates.flatMap((candidate) => candidate.identifiers)
            requests.set(context, { identifiers, find, names: oldCookieNames(sent, allNames), current, admitted })
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
            const { identifiers, find, names, current, admitted } = requests.get(context) as Bridged
            const { name, attributes } = context.authCookies.sessionToken
            const setCookie = context.responseHeaders?.getSetCookie().findLast((cookie) => cookie.startsWith(`${name}=`))
            const created = context.newSession?.session
            const isSignIn = created !== undefined && created.token !== (current ?? admitted)?.token
            const isSignOut = setCookie?.startsWith(`${name}=;`)
            const isDone = isSignIn || isSignOut || current !== undefined

            if (isSignIn || isSignOut) {
              const { session, existing } = await find()
              // An administrator returns to this session after impersonating a user.
              const isKept = created && (created.token === session?.token || impersonatorOf(created) === session?.userId)
              if (session && !isKept) await context.internalAdapter.deleteSession(session.token)
              await moved.forget(context, existing, 'now')
            } else if (current) await moved.forget(context, identifiers, 'soon')

            // Auth.js may have set its cookie for the domain, as Better Auth does, or for this host alone.
            const domains = attributes.domain === undefined ? [{}] : [{}, { domain: attributes.domain }]
            const room = Math.min(mostDeleted, mostCookies - (context.responseHeaders?.getSetCookie().length ?? 0))
            const deletions = names.flatMap((old) => domains.map((domain) => ({ old, domain }))).slice(0, Math.max(0, room))
            if (isDone)
              for (const { old, domain } of deletions) ctx.setCookie(old, '', { path: '/', secure: isPrefixed(old), maxAge: 0, ...domain })
            else if (admitted && !setCookie && context.session?.session.token === admitted.token) {
              const maxAge = Math.min(longestCookie, Math.floor((admitted.expiresAt.getTime() - Date.now()) / 1_000))
              await ctx.setSignedCookie(name, admitted.token, context.secret, { ...attributes, maxAge })
            }
          }),
        },
      ],
    },
  }
}

/** Returns the first session that is accepted. */
async function admit(context: AuthContext, candidates: Candidate[], sessions: Session[]): Promise<Found> {
  const identifiers = candidates.flatMap((candidate) => candidate.identifiers)
  const rows = await findRows(context, identifiers)
  const existing = identifiers.filter((identifier) => rows.some((row) => row.identifier === identifier))
  for (const candidate of candidates) {
    const session = await candidate.admit(sessions, rows)
    if (session) return { session, existing }
  }
  return { existing }
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
