import type { AdapterSession } from '../models.js'
import { wait } from './atonce.js'
import { casesAbout } from './case.js'
import { isNull, isSessionAndUser, isToken } from './expect.js'
import { inDays, someAccount, someSession, someToken, someUser } from './fixtures.js'
import { expectUser } from './views.js'
import { keyOfToken, newUser } from './world.js'

const contractCase = casesAbout('operations')

/** What operations do not do beside what they are called for. */
export const effectCases = [
  contractCase(
    'verification tokens and users leave each other alone',
    ['createUser', 'createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      const { email } = someUser()
      const [first, second, third] = [someToken({ identifier: email }), someToken({ identifier: email }), someToken()]
      const expired = someToken({ identifier: email, expires: inDays(-1) })
      for (const token of [first, second, third, expired]) await adapter.createVerificationToken(token)
      if (adapter.getUserByEmail) isNull(await adapter.getUserByEmail(email), 'getUserByEmail after createVerificationToken alone')
      const user = await newUser(adapter, { email })
      isToken(await adapter.useVerificationToken(keyOfToken(first)), first, 'useVerificationToken of a token older than its user')
      await expectUser(adapter, user, 'after useVerificationToken')
      await adapter.linkAccount?.(someAccount(user.id, { type: 'oidc', provider: 'google' }))
      await adapter.createSession?.(someSession(user.id))
      await expectUser(adapter, user, 'after linkAccount and createSession')
      isToken(await adapter.useVerificationToken(keyOfToken(second)), second, 'useVerificationToken after linkAccount and createSession')
      if (!adapter.updateUser) return
      const changed = { ...user, emailVerified: inDays(-1) }
      await adapter.updateUser({ id: user.id, emailVerified: changed.emailVerified })
      // Whether an expired token is given is a case of its own.
      await adapter.useVerificationToken(keyOfToken(expired))
      await expectUser(adapter, changed, 'after useVerificationToken of an expired token')
      await adapter.updateUser({ id: user.id, email: third.identifier })
      isToken(await adapter.useVerificationToken(keyOfToken(third)), third, 'useVerificationToken after updateUser to its address')
    },
  ),

  contractCase(
    'a session lasts until it expires, also where that was put off',
    ['createUser', 'createSession', 'getSessionAndUser', 'updateSession'],
    async (adapter) => {
      const user = await newUser(adapter)
      const soon = () => new Date(Date.now() + 20)
      const sessions: AdapterSession[] = []
      for (const isShortened of [false, true]) {
        let session = someSession(user.id, isShortened ? {} : { expires: soon() })
        const { sessionToken } = session
        await adapter.createSession(session)
        if (isShortened) {
          session = { ...session, expires: soon() }
          await adapter.updateSession({ sessionToken, expires: session.expires })
        }
        const expires = inDays(isShortened ? 61 : 60)
        await adapter.updateSession({ sessionToken, expires })
        // A session that expired before it was prolonged is another topic.
        if (Date.now() < session.expires.getTime()) sessions.push({ ...session, expires })
      }
      await wait(25)
      for (const session of sessions) {
        const found = await adapter.getSessionAndUser(session.sessionToken)
        isSessionAndUser(found, session, user, 'getSessionAndUser of a session that was prolonged before it expired')
      }
    },
  ),
]
