import type { DemoAdapter, Store } from './database/store.js'
import { tokenOf } from './devices.js'
import type { openTokens } from './tokens.js'

/** Carries out an action, and returns the path to redirect to. `null` signs the user out. */
type Action = (userId: string, form: FormData, request: Request) => Promise<string | null>

/** Actions of signed-in users on their own rows, for which Auth.js has no pages. */
export function openActions(store: Store, adapter: DemoAdapter, tokens: ReturnType<typeof openTokens>): Record<string, Action> {
  return {
    // The page identifies sessions by ids that cannot be used to sign in.
    async revoke(userId, form) {
      await adapter.revokeSession(userId, String(form.get('session')))
      return '/devices'
    },

    async 'revoke-others'(userId, _, request) {
      await adapter.revokeSessions(userId, { except: tokenOf(request) })
      return '/devices'
    },

    async 'revoke-all'(userId) {
      await adapter.revokeSessions(userId)
      return null
    },

    async 'ask-token'(userId) {
      await tokens.ask(userId)
      return '/tokens'
    },

    async 'expire-token'(userId) {
      await tokens.expire(userId)
      return '/tokens'
    },

    async unlink(userId, form) {
      // Searched among the user's own accounts, because the form could name an account of another user.
      const account = (await adapter.listAccounts(userId)).find(({ provider, providerAccountId }) =>
        [provider, providerAccountId].every((value, index) => value === form.getAll('account')[index]),
      )
      if (!account) return '/'
      await adapter.unlinkAccount(account)
      if (account.provider === 'passkey') await store.deletePasskey(account.providerAccountId)
      return '/'
    },

    async delete(userId) {
      await adapter.deleteUser(userId)
      return null
    },
  }
}
