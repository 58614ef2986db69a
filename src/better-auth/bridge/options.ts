import type { AuthContext } from '@better-auth/core'
import { checkOptions } from '../../options.js'
import { configError } from '../../query/errors.js'
import { isDate } from '../../query/kinds.js'
import type { Secrets } from '../../secrets/secrets.js'
import { partsOf } from '../../secrets/secrets.js'
import type { SessionTokens } from '../../secrets/sessions.js'
import type { Claims } from './jwt.js'

/** A user as Better Auth reads it, with the fields of the app. */
type User = NonNullable<AuthContext['session']>['user'] & Record<string, unknown>

/** The options of `authjsSessions`. */
export interface AuthjsSessionsOptions {
  /** When the old cookies stop working, at most 90 days from now. Afterwards, the plugin only records sign-outs, in case you choose a later date. */
  until: Date
  /** The name of the session cookie, if you set one in Auth.js. Over HTTPS, it counts with the prefix `__Secure-` or `__Host-` only. */
  cookieName?: string
  /**
   * The secret of Auth.js, or several, if its sessions are JWTs. `undefined` is rejected. The type allows it so that you can pass an
   * environment variable.
   */
  secret?: string | readonly (string | undefined)[] | undefined
  /**
   * Whether a JWT may still become a session. Called with its claims and its user before the session is made. Anything but `true` refuses, and so
   * does an error. If a callback of Auth.js can reject a JWT or a session, for example for an old token version, this must repeat it.
   */
  accept?: (claims: Claims, user: User) => boolean | Promise<boolean>
  /** The result of `secretsAtRest`, if the sessions were hashed. */
  secrets?: Secrets
}

/** The checked options. */
export interface Settings {
  until: Date
  cookieName: string | undefined
  /** The secrets of Auth.js. Empty if its sessions are not JWTs. */
  jwtSecrets: readonly string[]
  accept: AuthjsSessionsOptions['accept']
  /** How session tokens were stored, unless they are plain. */
  tokens: SessionTokens | undefined
}

export const caller = 'authjsSessions'
const longest = 90 * 24 * 60 * 60 * 1_000

export function readOptions(options: AuthjsSessionsOptions): Settings {
  checkOptions(caller, 'options', options, ['until', 'cookieName', 'secret', 'accept', 'secrets'])
  const { until, cookieName, accept, secrets } = options
  if (!isDate(until)) configError(`${caller}: until must be a date`)
  if (until.getTime() - Date.now() > longest) configError(`${caller}: until must be at most 90 days from now`)
  if (cookieName !== undefined && (typeof cookieName !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(cookieName)))
    configError(`${caller}: cookieName must be the name of a cookie`)
  if (accept !== undefined && typeof accept !== 'function') configError(`${caller}: accept must be a function`)
  const jwtSecrets = 'secret' in options ? readSecrets(options.secret) : []
  return { until, cookieName, jwtSecrets, accept, tokens: secrets && partsOf(secrets, caller).sessions }
}

function readSecrets(secret: unknown): string[] {
  const list = Array.isArray(secret) ? secret : [secret]
  if (list.length === 0 || list.some((one) => typeof one !== 'string' || one === ''))
    configError(`${caller}: secret is missing. Set the environment variable that it comes from`)
  return list
}
