/**
 * A check for middleware. It loads neither Drizzle nor Better Auth.
 *
 * @module
 */

import { oldCookieNames, oldNames, parseCookies } from './bridge/cookies.js'

/** The options of `hasSessionCookie`. */
export interface HasSessionCookieOptions {
  /** The name of the session cookie, if you set one in Auth.js. */
  cookieName?: string
  /** `advanced.cookiePrefix` of Better Auth, if you set it. */
  cookiePrefix?: string
}

/**
 * Returns whether a request has a session cookie of Better Auth or of Auth.js. This is not a check of the session, because anyone can send a
 * cookie of this name: it only saves a redirect. Check the session in each page and each endpoint.
 *
 * @param request A request, or its headers.
 * @param options The names of the cookies, if they are not the default.
 * @example
 * // middleware.ts
 * import { hasSessionCookie } from 'drizzle-auth-adapter/better-auth/cookie'
 *
 * export function middleware(request: Request) {
 *   if (!hasSessionCookie(request)) return Response.redirect(new URL('/sign-in', request.url))
 * }
 */
export function hasSessionCookie(request: { headers: Headers } | Headers, options: HasSessionCookieOptions = {}): boolean {
  const { cookieName } = options
  const cookiePrefix = options.cookiePrefix || 'better-auth'
  const header = 'headers' in request ? request.headers.get('cookie') : request.get('cookie')
  const cookies = parseCookies(header ?? '')
  const names = [`${cookiePrefix}.session_token`, `__Secure-${cookiePrefix}.session_token`, ...oldNames(cookieName, false)]
  return oldCookieNames(cookies, names).some((name) => cookies.get(name) !== '')
}
