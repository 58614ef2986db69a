import type { AdapterUser } from '../../models.js'
import { casesAbout } from '../case.js'
import { expectNull, expectSessionAndUser, expectToken } from '../expect.js'
import { createFixture, createUser } from '../fixture.js'
import { daysFromNow, makeSession, makeToken, tokenKey } from '../rows.js'
import type { Subject } from '../subject.js'

const contractCase = casesAbout('expired rows')

/** Creates, uses and deletes another session and another token of the user, and another user. */
async function signInAndOut(adapter: Subject, user: AdapterUser): Promise<void> {
  const [session, token] = [makeSession(user.id), makeToken({ identifier: user.email })]
  const { sessionToken } = session
  await adapter.createVerificationToken?.(token)
  await adapter.useVerificationToken?.(tokenKey(token))
  await adapter.createSession?.(session)
  await adapter.getSessionAndUser?.(sessionToken)
  await adapter.updateSession?.({ sessionToken, expires: daysFromNow(60) })
  await adapter.deleteSession?.(sessionToken)
  if (adapter.createUser) await adapter.deleteUser?.((await createUser(adapter)).id)
}

export const expiredCases = [
  // The library deletes expired sessions itself, so it must get them.
  contractCase('getSessionAndUser returns an expired session', ['createUser', 'createSession', 'getSessionAndUser'], async (adapter) => {
    const fixture = await createFixture(adapter, { session: { expires: daysFromNow(-1) } })
    const { user, sessions } = fixture.ada
    const [session] = sessions
    await signInAndOut(adapter, user)
    await fixture.verify('after the session expired')
    for (const expires of adapter.updateSession ? [daysFromNow(2), daysFromNow(-2)] : []) {
      session.expires = expires
      await adapter.updateSession?.({ sessionToken: session.sessionToken, expires })
      const found = await adapter.getSessionAndUser(session.sessionToken)
      expectSessionAndUser(found, { session, user }, 'getSessionAndUser after updateSession of an expired session')
    }
    if (!adapter.deleteSession) return
    await adapter.deleteSession(session.sessionToken)
    expectNull(await adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser after deleteSession of an expired session')
  }),

  contractCase(
    'useVerificationToken returns an expired token once',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      const token = makeToken({ expires: daysFromNow(-1) })
      await adapter.createVerificationToken(token)
      await signInAndOut(adapter, await createUser(adapter, { email: token.identifier }))
      expectToken(await adapter.useVerificationToken(tokenKey(token)), token, 'useVerificationToken')
      expectNull(await adapter.useVerificationToken(tokenKey(token)), 'useVerificationToken, the second time')
    },
  ),
]
