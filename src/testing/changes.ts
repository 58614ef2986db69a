import type { Needs } from './case.js'
import type { Fixture } from './fixture.js'
import { accountKey } from './rows.js'
import type { OperationName, Subject } from './subject.js'

/** A write that changes or deletes a row of a fixture. */
interface Change {
  operation: OperationName
  needs: Needs
  /** Runs the write, and changes what the fixture expects. */
  apply(adapter: Subject, fixture: Fixture): Promise<unknown> | undefined
}

export const changes: readonly Change[] = [
  {
    operation: 'updateUser',
    needs: ['createUser', 'updateUser'],
    apply(adapter, { ada: { user } }) {
      Object.assign(user, { name: 'Grace', image: null })
      return adapter.updateUser?.({ id: user.id, name: 'Grace', image: null })
    },
  },
  {
    operation: 'updateSession',
    needs: ['createSession', 'updateSession'],
    apply(adapter, { ada: { sessions } }) {
      // The same date each time: the change is also made twice at once.
      sessions[1].expires = new Date(sessions[0].expires.getTime() + 30 * 86_400_000)
      return adapter.updateSession?.({ sessionToken: sessions[1].sessionToken, expires: sessions[1].expires })
    },
  },
  {
    operation: 'updateAuthenticatorCounter',
    needs: ['createAuthenticator', 'updateAuthenticatorCounter'],
    apply(adapter, { ada: { authenticators } }) {
      authenticators[0].counter = 5_000
      return adapter.updateAuthenticatorCounter?.(authenticators[0].credentialID, 5_000)
    },
  },
  {
    operation: 'deleteSession',
    needs: ['createSession', 'deleteSession'],
    apply(adapter, { ada: { sessions }, remove }) {
      remove(sessions[0])
      return adapter.deleteSession?.(sessions[0].sessionToken)
    },
  },
  {
    operation: 'unlinkAccount',
    needs: ['linkAccount', 'unlinkAccount'],
    apply(adapter, { ada: { accounts }, remove }) {
      remove(accounts[0])
      return adapter.unlinkAccount?.(accountKey(accounts[0]))
    },
  },
  {
    operation: 'deleteUser',
    needs: ['createUser', 'deleteUser'],
    apply(adapter, { bob, removePerson }) {
      removePerson(bob)
      return adapter.deleteUser?.(bob.user.id)
    },
  },
]
