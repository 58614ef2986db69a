import type { AuthContext } from '@better-auth/core'

type InternalAdapter = AuthContext['internalAdapter']

/**
 * Calls `onEnd` before something ends sessions of a user or changes the password. The hooks for the database are not enough: they are called for
 * each row, and a user whose session is a JWT has none.
 */
export function watchSessions(context: AuthContext, onEnd: (userId: string) => Promise<void>): void {
  let internal = watch(context.internalAdapter, onEnd)
  // Better Auth replaces its internal adapter after the `init` of all plugins.
  Object.defineProperty(context, 'internalAdapter', {
    enumerable: true,
    configurable: true,
    get: () => internal,
    set(created: InternalAdapter) {
      internal = watch(created, onEnd)
    },
  })
}

function watch(internal: InternalAdapter, onEnd: (userId: string) => Promise<void>): InternalAdapter {
  const onEndOf = async (token: string) => {
    const session = (await internal.findSession(token))?.session
    // Better Auth also deletes a session when it finds that it has expired.
    if (session && session.expiresAt > new Date()) await onEnd(session.userId)
  }
  return {
    ...internal,
    async deleteSession(token) {
      await onEndOf(token)
      return internal.deleteSession(token)
    },
    async deleteSessions(tokens) {
      for (const token of tokens) await onEndOf(token)
      return internal.deleteSessions(tokens)
    },
    async deleteUserSessions(userId) {
      await onEnd(userId)
      return internal.deleteUserSessions(userId)
    },
    async updatePassword(userId, password) {
      await onEnd(userId)
      return internal.updatePassword(userId, password)
    },
    async updateAccount(id, data) {
      const account = await internal.updateAccount(id, data)
      if (data.password !== undefined && account) await onEnd(account.userId)
      return account
    },
  }
}
