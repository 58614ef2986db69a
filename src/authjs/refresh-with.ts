import { configError } from '../query/errors.js'
import { errorOfCode } from './errors.js'
import type { IssuedTokens } from './tokens.js'

/**
 * Asks a provider for new tokens. If its answer has neither `expires_in` nor `expires_at`, the token counts as valid for as long as the one
 * before it, or for five minutes. The request must end when the signal aborts.
 */
export type Refresh = (account: { refresh_token: string; scope?: string | null }, options: { signal: AbortSignal }) => Promise<IssuedTokens>

/** The token endpoint of a provider, and your client there. */
export interface RefreshOptions {
  /** The URL from which the provider issues tokens. */
  tokenEndpoint: string
  /** The id that the provider gave your app. */
  clientId: string | undefined
  /** The secret that the provider gave your app. */
  clientSecret: string | undefined
  /**
   * How the client authenticates: with the header `Authorization`, or with its secret in the body.
   *
   * @default 'basic'
   */
  clientAuthentication?: 'basic' | 'post'
}

/**
 * Returns a function that renews tokens at a standard OAuth 2.0 server.
 *
 * @param options The token endpoint of the provider, and your client there.
 * @example
 * // refresh.ts
 * import { refreshWith } from 'drizzle-auth-adapter/authjs'
 *
 * export const gitlab = refreshWith({
 *   tokenEndpoint: 'https://gitlab.com/oauth/token',
 *   clientId: process.env.AUTH_GITLAB_ID,
 *   clientSecret: process.env.AUTH_GITLAB_SECRET,
 * })
 */
export function refreshWith({ tokenEndpoint, clientId, clientSecret, clientAuthentication = 'basic' }: RefreshOptions): Refresh {
  const must = (isRight: boolean, message: string) => isRight || configError(`refreshWith: ${message}`)
  must(isSafe(tokenEndpoint), 'tokenEndpoint must be an https URL, or an http URL of this machine')
  must(!!clientId && !!clientSecret, 'clientId or clientSecret is missing. Set the environment variables that they come from')
  const [id, secret] = [clientId as string, clientSecret as string]

  return async ({ refresh_token }, { signal }) => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token })
    const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' }
    if (clientAuthentication === 'post') {
      body.set('client_id', id)
      body.set('client_secret', secret)
    } else headers.authorization = `Basic ${btoa(`${formEncoded(id)}:${formEncoded(secret)}`)}`
    // A redirect could send the secrets to another server.
    const response = await fetch(tokenEndpoint, { method: 'POST', headers, body: body.toString(), signal, redirect: 'manual' })
    const answer = ((await response.json().catch(() => null)) ?? {}) as IssuedTokens & { error?: unknown }
    // Some providers send errors with the status 200.
    if (response.ok && !answer.error) return answer
    throw errorOfCode(answer.error, `the token endpoint answered ${response.status}`)
  }
}

/** Encodes a value as in the body of a form, which RFC 6749 also requires in the header. */
const formEncoded = (text: string) => new URLSearchParams({ v: text }).toString().slice(2)

function isSafe(address: string): boolean {
  const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '' }
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
}
