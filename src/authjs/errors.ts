/** Why there is no access token. */
export type AccessTokenErrorKind =
  | 'no-account'
  | 'no-provider'
  | 'ambiguous'
  | 'no-refresh-token'
  | 'undecipherable'
  | 'revoked'
  | 'unreachable'

const explanations: Record<AccessTokenErrorKind, string> = {
  'no-account': 'the user has no account of this provider',
  'no-provider': 'the option providers of accessTokens has no function for this provider; add one',
  ambiguous: 'the user has several accounts of this provider; name one with providerAccountId',
  'no-refresh-token': 'the access token has expired and the provider sent no refresh token; the user must sign in again',
  undecipherable: 'the stored tokens of the account cannot be decrypted; pass secretsAtRest the key that encrypted them',
  revoked: 'the provider no longer accepts the refresh token; the user must sign in again',
  unreachable: 'the provider did not answer, or its answer was not valid; try again later',
}

/**
 * Thrown by `accessTokens`. It contains no token.
 *
 * @example
 * // calendar.ts
 * import type { AccessTokens } from 'drizzle-auth-adapter/authjs'
 * import { AccessTokenError } from 'drizzle-auth-adapter/authjs'
 *
 * export async function tokenOf(tokens: AccessTokens, userId: string) {
 *   try {
 *     return await tokens.get(userId, 'google')
 *   } catch (error) {
 *     // The user must sign in with Google again.
 *     if (error instanceof AccessTokenError && error.kind === 'revoked') return null
 *     throw error
 *   }
 * }
 */
export class AccessTokenError extends Error {
  override readonly name = 'AccessTokenError'
  readonly kind: AccessTokenErrorKind

  constructor(kind: AccessTokenErrorKind, detail?: string) {
    super(`${explanations[kind]}${detail ? ` (${detail})` : ''}.`)
    this.kind = kind
  }
}

/** The error codes of token endpoints, by RFC 6749, GitHub (`bad_…`, `incorrect_…`) and Slack (`invalid_refresh_token`). */
const revokedCodes: readonly unknown[] = ['invalid_grant', 'bad_refresh_token', 'invalid_refresh_token']
const otherCodes: readonly unknown[] = [
  ...['invalid_client', 'incorrect_client_credentials', 'unauthorized_client'],
  ...['invalid_request', 'invalid_scope', 'unsupported_grant_type'],
]

/** The error for a value of `error` from a token endpoint. Only known codes are shown, because anything else may contain a token. */
export function errorOfCode(code: unknown, detail: string): AccessTokenError {
  if (revokedCodes.includes(code)) return new AccessTokenError('revoked', `${detail}: ${code}`)
  return new AccessTokenError('unreachable', otherCodes.includes(code) ? `${detail}: ${code}` : detail)
}
