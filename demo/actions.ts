import type { DemoAdapter, Store } from './database/store.js'
import { tokenOf } from './devices.js'
import type { openTokens } from './tokens.js'

/** What is done, and where the person goes then: to the home page by default. `null` signs out. */
type Action = (userId: string, form: FormData, request: Request) => Promise<string | null>

/** What signed-in people do to their own rows; Auth.js has no pages for it. */
export function openActions(store: Store, adapter: DemoAdapter, tokens: ReturnType<typeof openTokens>): Record<string, Action> {
  return {
    // The page knows sessions by ids that sign nobody in.
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
      // Looked up among their own: the form could name an account of somebody else.
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
