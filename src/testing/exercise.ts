import type { AdapterUser } from '../models.js'
import { isAccount, isAuthenticator, isRowOrNothing, isSession, isToken, isUser } from './expect.js'
import { inDays } from './fixtures.js'
import type { Subject } from './subject.js'
import { expectWorld } from './views.js'
import type { Rows } from './world.js'
import { furnish, keyOfAccount, keyOfToken, newUser } from './world.js'

/** Calls every operation that the adapter has on rows with these values, and expects what each must give. */
export async function exercise(adapter: Subject, rows: Rows = {}, owner?: Partial<AdapterUser>): Promise<void> {
  const world = await furnish(adapter, rows, await newUser(adapter, { emailVerified: inDays(-1), ...owner }))
  const { user, account, session, authenticator, token } = world
  await expectWorld(adapter, world, 'as it was created', { ignored: ['token'] })

  if (adapter.createUser && adapter.updateUser) {
    user.name = `${user.image} of Grace`
    isUser(await adapter.updateUser({ id: user.id, name: user.name }), user, 'updateUser')
  }
  if (adapter.createSession && adapter.updateSession) {
    const { sessionToken } = session
    session.expires = inDays(60)
    isRowOrNothing(await adapter.updateSession({ sessionToken, expires: session.expires }), session, 'updateSession', isSession)
  }
  if (adapter.createAuthenticator && adapter.updateAuthenticatorCounter) {
    authenticator.counter++
    const updated = await adapter.updateAuthenticatorCounter(authenticator.credentialID, authenticator.counter)
    isAuthenticator(updated, authenticator, 'updateAuthenticatorCounter')
  }
  if (adapter.createVerificationToken && adapter.useVerificationToken)
    isToken(await adapter.useVerificationToken(keyOfToken(token)), token, 'useVerificationToken')
  await expectWorld(adapter, world, 'as it was changed', { ignored: ['token'] })

  const { deleteSession, unlinkAccount, deleteUser } = adapter
  isRowOrNothing(await deleteSession?.(session.sessionToken), session, 'deleteSession', isSession)
  isRowOrNothing(await unlinkAccount?.(keyOfAccount(account)), account, 'unlinkAccount', isAccount)
  const gone = [...(deleteSession ? ['session' as const] : []), ...(unlinkAccount ? ['account' as const] : [])]
  await expectWorld(adapter, world, 'after some of it was deleted', { gone, ignored: ['token'] })
  isRowOrNothing(await deleteUser?.(user.id), user, 'deleteUser', isUser)
  const all = ['user', 'account', 'session', 'authenticator'] as const
  if (deleteUser) await expectWorld(adapter, world, 'after deleteUser', { gone: all, ignored: ['token'] })
}
