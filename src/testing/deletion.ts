import { casesAbout } from './case.js'
import { isNothing, isNull, isRowOrNothing, isUser } from './expect.js'
import { inDays, someAccount, someSession } from './fixtures.js'
import type { Subject } from './subject.js'
import { expectWorld } from './views.js'
import type { Part, World } from './world.js'
import { furnish, keyOfAccount, neighbourhood, newUser } from './world.js'

const contractCase = casesAbout('operations')

/** Nothing of this kind is left of the worlds. Verification tokens of a deleted user are the contract's choice. */
async function expectGone(adapter: Subject, worlds: readonly World[], part: 'account' | 'session' | 'authenticator'): Promise<void> {
  const ignored = (['account', 'session', 'authenticator', 'token'] as const).filter(
    (other): other is Exclude<Part, 'user'> => other !== part,
  )
  for (const world of worlds) {
    await expectWorld(adapter, world, 'after deleteUser', { gone: ['user', part], ignored })
    const { account, session } = world
    // What is hidden while the user is gone must not be there either.
    if (part === 'account') isNothing(await adapter.unlinkAccount?.(keyOfAccount(account)), 'unlinkAccount after deleteUser')
    if (part !== 'session') continue
    const { sessionToken } = session
    isNothing(await adapter.updateSession?.({ sessionToken, expires: inDays(1) }), 'updateSession after deleteUser')
    isNothing(await adapter.deleteSession?.(sessionToken), 'deleteSession after deleteUser')
  }
}

export const deletionCases = [
  contractCase(
    'deleteUser leaves no account behind',
    ['deleteUser', 'linkAccount', ['getAccount', 'getUserByAccount', 'unlinkAccount']],
    async (adapter) => {
      const [first, second] = await neighbourhood(adapter)
      const worlds = [first, second]
      for (const type of ['oidc', 'email', 'webauthn'] as const) {
        const account = someAccount(first.user.id, { type, provider: type })
        await adapter.linkAccount(account)
        worlds.push({ ...first, account })
      }
      await adapter.deleteUser(first.user.id)
      await expectGone(adapter, worlds, 'account')
    },
  ),

  contractCase(
    'deleteUser leaves no session behind',
    ['deleteUser', 'createSession', ['getSessionAndUser', 'updateSession', 'deleteSession']],
    async (adapter) => {
      const [first, second] = await neighbourhood(adapter)
      const session = someSession(first.user.id, { expires: inDays(-1) })
      await adapter.createSession(session)
      await adapter.deleteUser(first.user.id)
      await expectGone(adapter, [first, second, { ...first, session }], 'session')
    },
  ),

  contractCase(
    'deleteUser leaves no authenticator behind',
    ['deleteUser', 'createAuthenticator', ['getAuthenticator', 'listAuthenticatorsByUserId']],
    async (adapter) => {
      const [first, second] = await neighbourhood(adapter)
      const { linkAccount: _, ...others } = adapter
      const withoutAccount = await furnish(others)
      for (const { user } of [first, withoutAccount]) await adapter.deleteUser(user.id)
      await expectGone(adapter, [first, second, withoutAccount], 'authenticator')
    },
  ),

  contractCase(
    'deleteUser leaves nothing behind, however much there is',
    ['createUser', 'deleteUser', 'createSession'],
    async (adapter) => {
      const { id } = await newUser(adapter)
      // More than databases delete in one go.
      const sessions = Array.from({ length: 101 }, () => someSession(id))
      await Promise.all(sessions.map((session) => adapter.createSession(session)))
      await adapter.deleteUser(id)
      for (const { sessionToken } of sessions) {
        if (adapter.deleteSession) isNothing(await adapter.deleteSession(sessionToken), 'deleteSession after deleteUser')
        else if (adapter.updateSession)
          isNothing(await adapter.updateSession({ sessionToken, expires: inDays(1) }), 'updateSession after deleteUser')
      }
    },
  ),

  contractCase('deleteUser leaves other users and all that is theirs alone', ['createUser', 'deleteUser'], async (adapter) => {
    const [first, , other] = await neighbourhood(adapter)
    isRowOrNothing(await adapter.deleteUser(first.user.id), first.user, 'deleteUser', isUser)
    await expectWorld(adapter, other, 'after deleteUser of another user')
  }),

  contractCase('a user who was deleted can sign up again, as somebody new', ['createUser', 'deleteUser'], async (adapter) => {
    const { user, account, session, authenticator } = await furnish(adapter)
    await adapter.deleteUser(user.id)
    const again = await newUser(adapter, { email: user.email, name: 'Ada again' })
    if (adapter.getUserByEmail) isUser(await adapter.getUserByEmail(user.email), again, 'getUserByEmail after signing up again')
    if (adapter.getUserByAccount) isNull(await adapter.getUserByAccount(keyOfAccount(account)), 'getUserByAccount after signing up again')
    if (adapter.getSessionAndUser) isNull(await adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser after signing up again')
    const over = { account: keyOfAccount(account), authenticator: { credentialID: authenticator.credentialID } }
    await expectWorld(adapter, await furnish(adapter, over, again), 'after signing up again')
  }),
]
