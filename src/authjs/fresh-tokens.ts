import type { Adapter } from '../types.js'
import type { IssuedTokens } from './tokens.js'
import { changesOf } from './tokens.js'

// Not an interface, so that declarations of apps spell it out.
type SignIn = {
  account?: (IssuedTokens & { type?: string; provider?: string; providerAccountId?: string }) | null
}

/**
 * Returns a function for `events.signIn` that stores the OAuth tokens of every sign-in. Auth.js itself stores only those of the first one.
 *
 * If storing them fails, the sign-in still succeeds, and `onError` is called with the error. By default, it logs the error.
 *
 * @param adapter The adapter that stores the accounts.
 * @param options What to do if the tokens cannot be stored.
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
    // Fields that belong to the old access token are cleared. A missing scope means that the requested one was granted.
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
