import type { Adapter } from '@auth/core/adapters'
import type { Store } from './database/store.js'
import { fingerprint } from './secrets.js'

type Action = (userId: string, form: FormData) => Promise<void>

/** What signed-in people do to their own rows; Auth.js has no pages for it. */
export function openActions(store: Store, adapter: Required<Adapter>, isProtected: boolean): Record<string, Action> {
  return {
    // The page knows sessions by their fingerprints only: a token in a page is a token that can be stolen from it.
    async revoke(userId, form) {
      const session = (await store.sessionsOf(userId)).find(({ sessionToken }) => fingerprint(sessionToken) === form.get('session'))
      // What the table holds is no token where it is a hash.
      if (session) await (isProtected ? store : adapter).deleteSession(session.sessionToken)
    },

    async unlink(userId, form) {
      // Looked up among their own: the form could name an account of somebody else.
      const account = (await store.accountsOf(userId)).find(({ provider, providerAccountId }) =>
        [provider, providerAccountId].every((value, index) => value === form.getAll('account')[index]),
      )
      if (!account) return
      await adapter.unlinkAccount(account)
      if (account.provider === 'passkey') await store.deletePasskey(account.providerAccountId)
    },

    async delete(userId) {
      await adapter.deleteUser(userId)
    },
  }
}
