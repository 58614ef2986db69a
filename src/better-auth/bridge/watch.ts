import type { AuthContext } from '@better-auth/core'
import { tryGetCurrentAuthEndpointContext } from '@better-auth/core/context'

type InternalAdapter = AuthContext['internalAdapter']
type OnEnd = (userId: string) => Promise<void>

/**
 * Calls `onEnd` before a user or an administrator ends sessions of a user or sets the password. Database hooks are not enough: they are called
 * for each row, and a session in a JWT has no row.
 */
export function watchSessions(context: AuthContext, onEnd: OnEnd): void {
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

function watch(internal: InternalAdapter, onEnd: OnEnd): InternalAdapter {
  const onEndOf = async (token: string) => {
    const session = (await internal.findSession(token))?.session
    // Better Auth also deletes a session when it finds that it has expired, and that of an administrator who has impersonated the user.
    if (session && session.expiresAt > new Date() && !impersonatorOf(session)) await onEnd(session.userId)
  }
  const onAccount = async ({ userId, password }: { userId: string; password?: string | null | undefined }) => {
    // A user who is signing up has no JWT.
    if (password && currentPath() !== '/sign-up/email') await onEnd(userId)
  }
  return {
    ...internal,
    listSessions: after(async (userId) => {
      // This endpoint deletes the other sessions one by one. A JWT that was not used yet has no session.
      if (currentPath() === '/revoke-other-sessions') await onEnd(userId)
    }, internal.listSessions),
    deleteSession: after(onEndOf, internal.deleteSession),
    deleteSessions: after(async (tokens) => {
      for (const token of tokens) await onEndOf(token)
    }, internal.deleteSessions),
    deleteUserSessions: after(onEnd, internal.deleteUserSessions),
    updatePassword: after(onEnd, internal.updatePassword),
    createAccount: after(onAccount, internal.createAccount),
    linkAccount: after(onAccount, internal.linkAccount),
    async updateAccount(id, data) {
      const account = await internal.updateAccount(id, data)
      if (data.password !== undefined && account) await onEnd(account.userId)
      return account
    },
  }
}

/** A method that calls a function with its first argument before it runs. */
const after = <Method extends (...parameters: never[]) => Promise<unknown>>(
  call: (first: Parameters<Method>[0]) => Promise<void>,
  method: Method,
) =>
  (async (...parameters: never[]) => {
    await call(parameters[0] as never)
    return method(...parameters)
  }) as Method

const currentPath = () => tryGetCurrentAuthEndpointContext()?.path

/** The id of the administrator whose session this is, while impersonating the user. */
export const impersonatorOf = (session: object) => ('impersonatedBy' in session ? session.impersonatedBy : undefined)
