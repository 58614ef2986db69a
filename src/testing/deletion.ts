import { casesAbout } from './case.js'
import { isAccount, isNothing, isNull, isRowOrNothing, isToken, isUser } from './expect.js'
import { inDays, someAccount, someAuthenticator, someSession, someToken, unique } from './fixtures.js'
import { show } from './show.js'
import type { Subject } from './subject.js'
import { expectUser, expectWorld } from './views.js'
import type { Part, World } from './world.js'
import { furnish, idOf, keyOfAccount, keyOfToken, neighbourhood, newUser } from './world.js'

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
    async (adapter, { peer }) => {
      const [first, second] = await neighbourhood(adapter)
      const worlds = [first, second]
      for (const type of ['oidc', 'email', 'webauthn'] as const) {
        const account = someAccount(first.user.id, { type, provider: type })
        await adapter.linkAccount(account)
        worlds.push({ ...first, account })
      }
      await peer.deleteUser(first.user.id)
      await expectGone(adapter, worlds, 'account')
    },
  ),

  contractCase(
    'deleteUser leaves no session behind',
    ['deleteUser', 'createSession', ['getSessionAndUser', 'updateSession', 'deleteSession']],
    async (adapter, { peer }) => {
      const [first, second] = await neighbourhood(adapter)
      const session = someSession(first.user.id, { expires: inDays(-1) })
      await adapter.createSession(session)
      await peer.deleteUser(first.user.id)
      await expectGone(adapter, [first, second, { ...first, session }], 'session')
    },
  ),

  contractCase(
    'deleteUser leaves no authenticator behind',
    ['deleteUser', 'createAuthenticator', ['getAuthenticator', 'listAuthenticatorsByUserId']],
    async (adapter, { peer }) => {
      const [first, second] = await neighbourhood(adapter)
      const { linkAccount: _, ...others } = adapter
      const withoutAccount = await furnish(others)
      for (const { user } of [first, withoutAccount]) await peer.deleteUser(user.id)
      await expectGone(adapter, [first, second, withoutAccount], 'authenticator')
    },
  ),

  contractCase(
    'deleteUser leaves nothing behind, however much there is',
    ['createUser', 'deleteUser', ['createSession', 'linkAccount', 'createAuthenticator']],
    async (adapter) => {
      const { id } = await newUser(adapter)
      // More than databases delete in one go: some 100 rows, others 25.
      const sessions = adapter.createSession ? Array.from({ length: 101 }, () => someSession(id)) : []
      const accounts = adapter.linkAccount ? Array.from({ length: 26 }, () => someAccount(id)) : []
      const authenticators = adapter.createAuthenticator ? Array.from({ length: 26 }, () => someAuthenticator(id)) : []
      await Promise.all([
        ...sessions.map((session) => adapter.createSession?.(session)),
        ...accounts.map((account) => adapter.linkAccount?.(account)),
      ])
      for (const authenticator of authenticators) await adapter.createAuthenticator?.(authenticator)
      await adapter.deleteUser(id)
      for (const { sessionToken } of sessions) {
        if (adapter.deleteSession) isNothing(await adapter.deleteSession(sessionToken), 'deleteSession after deleteUser')
        else if (adapter.updateSession)
          isNothing(await adapter.updateSession({ sessionToken, expires: inDays(1) }), 'updateSession after deleteUser')
      }
      for (const account of accounts) {
        if (adapter.unlinkAccount) isNothing(await adapter.unlinkAccount(keyOfAccount(account)), 'unlinkAccount after deleteUser')
        else if (adapter.getAccount)
          isNull(await adapter.getAccount(account.providerAccountId, account.provider), 'getAccount after deleteUser')
      }
      for (const { credentialID } of authenticators)
        if (adapter.getAuthenticator) isNull(await adapter.getAuthenticator(credentialID), 'getAuthenticator after deleteUser')
    },
  ),

  contractCase('deleteUser leaves other users and all that is theirs alone', ['createUser', 'deleteUser'], async (adapter) => {
    const [first, , other] = await neighbourhood(adapter)
    isRowOrNothing(await adapter.deleteUser(first.user.id), first.user, 'deleteUser', isUser)
    await expectWorld(adapter, other, 'after deleteUser of another user')
  }),

  contractCase(
    'deleteUser takes nothing of others whose addresses are like the one of the user',
    ['createUser', 'deleteUser', ['useVerificationToken', 'getUserByAccount', 'getAccount']],
    async (adapter) => {
      const name = unique('ada')
      const user = await newUser(adapter, { email: `${name}_*%@example.co` })
      const bob = await newUser(adapter)
      // As LIKE, a glob, a prefix and a collation read that address.
      const addresses = [`${name}x*yz@example.co`, `${name}_xyz%@example.co`, `${user.email}m`, user.email.toUpperCase()]
      const accounts = addresses.map((providerAccountId) => someAccount(bob.id, { provider: 'email', providerAccountId }))
      accounts.push(someAccount(bob.id, { providerAccountId: user.email }))
      const tokens = adapter.createVerificationToken ? addresses.map((identifier) => someToken({ identifier })) : []
      for (const account of accounts) await adapter.linkAccount?.(account)
      for (const token of tokens) await adapter.createVerificationToken?.(token)
      await adapter.deleteUser(user.id)
      for (const account of adapter.linkAccount ? accounts : []) {
        const what = `of the account id ${show(account.providerAccountId)} after deleteUser of ${show(user.email)}`
        if (adapter.getUserByAccount) isUser(await adapter.getUserByAccount(keyOfAccount(account)), bob, `getUserByAccount ${what}`)
        if (adapter.getAccount)
          isAccount(await adapter.getAccount(account.providerAccountId, account.provider), account, `getAccount ${what}`)
      }
      for (const token of tokens)
        if (adapter.useVerificationToken)
          isToken(
            await adapter.useVerificationToken(keyOfToken(token)),
            token,
            `useVerificationToken of ${show(token.identifier)} after deleteUser of ${show(user.email)}`,
          )
    },
  ),

  contractCase('a user who was deleted can sign up again, as somebody new', ['createUser', 'deleteUser'], async (adapter) => {
    const { user, account, session, authenticator } = await furnish(adapter)
    await adapter.deleteUser(user.id)
    for (const time of ['second', 'third']) {
      const created = await adapter.createUser({ email: user.email })
      // Without the fields that the deleted user had.
      const unnamed = { id: idOf(created), email: user.email, emailVerified: null }
      isUser(created, unnamed, `createUser of one address the ${time} time`)
      await expectUser(adapter, unnamed, `after createUser of one address the ${time} time`)
      await adapter.deleteUser(unnamed.id)
    }
    const again = await newUser(adapter, { email: user.email, name: 'Ada again' })
    if (adapter.getUserByEmail) isUser(await adapter.getUserByEmail(user.email), again, 'getUserByEmail after signing up again')
    if (adapter.getUserByAccount) isNull(await adapter.getUserByAccount(keyOfAccount(account)), 'getUserByAccount after signing up again')
    if (adapter.getSessionAndUser) isNull(await adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser after signing up again')
    const over = { account: keyOfAccount(account), authenticator: { credentialID: authenticator.credentialID } }
    await expectWorld(adapter, await furnish(adapter, over, again), 'after signing up again')
  }),
]
