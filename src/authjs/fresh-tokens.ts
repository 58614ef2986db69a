import type { Adapter } from '../types.js'
import type { IssuedTokens } from './tokens.js'
import { changesOf } from './tokens.js'

interface SignIn {
  account?: (IssuedTokens & { type?: string; provider?: string; providerAccountId?: string }) | null
}

/**
 * Stores the tokens of every sign-in. The library stores only those of the first. For `events.signIn`.
 *
 * A failure never breaks the sign-in: it is given to `onError`, which logs it by default.
 *
 * @example
 * // auth.ts
 * import type { AuthConfig } from '@auth/core'
 * import GitHub from '@auth/core/providers/github'
 * import { freshTokens } from 'drizzle-auth-adapter/authjs'
 * import { adapter } from './adapter.js'
 *
 * export const config: AuthConfig = { adapter, providers: [GitHub], events: { signIn: freshTokens(adapter) } }
 */
export function freshTokens(
  adapter: Pick<Adapter, 'updateAccount'>,
  { onError = (error: unknown) => console.error(error) }: { onError?: (error: unknown) => unknown } = {},
): (message: SignIn) => Promise<void> {
  return async ({ account }) => {
    if (account?.type !== 'oauth' && account?.type !== 'oidc') return
    const { provider, providerAccountId } = account
    const { refresh_token, access_token, scope, ...others } = changesOf(account)
    const { id_token, session_state } = others
    // What came with the old access token is not true of the new one. A scope that is left out is the one that was requested.
    const cleared = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, value ?? null]))
    const changes = access_token === undefined ? { id_token, session_state } : { access_token, scope, ...cleared }
    try {
      await adapter.updateAccount({ provider, providerAccountId, refresh_token, ...changes } as Parameters<Adapter['updateAccount']>[0])
    } catch (error) {
      try {
        await onError(error)
      } catch {
        // The person is signed in, whatever the app's own handler does.
      }
    }
  }
}
