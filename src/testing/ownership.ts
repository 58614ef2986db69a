import { casesAbout } from './case.js'
import { isAccount, isNothing, isNull, isSessionAndUser, isUser, rejection, settled } from './expect.js'
import { inDays, someAccount, someSession, someUser } from './fixtures.js'
import { expectUser } from './views.js'
import { keyOfAccount, newUser } from './world.js'

const contractCase = casesAbout('operations')

/** Who owns a row or an address now, and not who owned it first. */
export const ownershipCases = [
  contractCase(
    'a session that moved to another user stays when the first is deleted, and goes with the second',
    ['createUser', 'deleteUser', 'createSession', 'getSessionAndUser', 'updateSession'],
    async (adapter) => {
      const [ada, bob] = [await newUser(adapter), await newUser(adapter)]
      const session = someSession(ada.id)
      const { sessionToken } = session
      await adapter.createSession(session)
      // Whatever remembers the first owner has seen it.
      await adapter.getSessionAndUser(sessionToken)
      await adapter.updateSession({ sessionToken, userId: bob.id })
      const moved = { ...session, userId: bob.id }
      isSessionAndUser(await adapter.getSessionAndUser(sessionToken), moved, bob, 'getSessionAndUser after the session moved')
      await adapter.deleteUser(ada.id)
      isSessionAndUser(
        await adapter.getSessionAndUser(sessionToken),
        moved,
        bob,
        'getSessionAndUser after deleteUser of the first owner of the session',
      )
      await adapter.deleteUser(bob.id)
      isNull(await adapter.getSessionAndUser(sessionToken), 'getSessionAndUser after deleteUser of the second owner of the session')
      isNothing(await adapter.deleteSession?.(sessionToken), 'deleteSession after deleteUser of the second owner of the session')
    },
  ),

  contractCase(
    'an account that another user linked stays when the first is deleted, and goes with the second',
    ['createUser', 'deleteUser', 'linkAccount', 'unlinkAccount', ['getUserByAccount', 'getAccount']],
    async (adapter) => {
      const [ada, bob] = [await newUser(adapter), await newUser(adapter)]
      const first = someAccount(ada.id)
      const [key, second] = [keyOfAccount(first), { ...first, userId: bob.id }]
      const look = async () => ({
        user: await adapter.getUserByAccount?.(key),
        account: await adapter.getAccount?.(key.providerAccountId, key.provider),
      })
      await adapter.linkAccount(first)
      // Whatever remembers the first owner has seen it.
      await look()
      await adapter.unlinkAccount(key)
      // That an account which was unlinked is free is a case of its own.
      if ('thrown' in (await settled(adapter.linkAccount(second)))) return
      await adapter.deleteUser(ada.id)
      const { user, account } = await look()
      if (adapter.getUserByAccount) isUser(user, bob, 'getUserByAccount after deleteUser of the first owner of the account')
      if (adapter.getAccount) isAccount(account, second, 'getAccount after deleteUser of the first owner of the account')
      await adapter.deleteUser(bob.id)
      const left = await look()
      isNothing(left.user, 'getUserByAccount after deleteUser of the second owner of the account')
      isNothing(left.account, 'getAccount after deleteUser of the second owner of the account')
    },
  ),

  contractCase(
    'what is given to a user who was deleted signs nobody in',
    ['createUser', 'deleteUser', ['getSessionAndUser', 'getUserByAccount']],
    async (adapter) => {
      const [ada, bob] = [await newUser(adapter), await newUser(adapter)]
      const [session, moved, account] = [someSession(ada.id), someSession(bob.id), someAccount(ada.id)]
      await adapter.createSession?.(moved)
      await adapter.deleteUser(ada.id)
      // Whether these are refused or accepted, the contract does not say.
      const { sessionToken } = moved
      const calls = [
        () => adapter.createSession?.(session),
        () => adapter.linkAccount?.(account),
        () => adapter.createSession && adapter.updateSession?.({ sessionToken, userId: ada.id }),
      ]
      for (const call of calls) await settled<unknown>(Promise.resolve(call()))
      if (adapter.getSessionAndUser && adapter.createSession) {
        isNull(await adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser of a session of a user who was deleted')
        const found = await adapter.getSessionAndUser(sessionToken)
        if (found) isSessionAndUser(found, moved, bob, 'getSessionAndUser of a session that was to move to a user who was deleted')
      }
      if (adapter.getUserByAccount && adapter.linkAccount)
        isNull(await adapter.getUserByAccount(keyOfAccount(account)), 'getUserByAccount of an account of a user who was deleted')
    },
  ),

  contractCase('an address that a user changed to is taken until the user is deleted', ['createUser', 'updateUser'], async (adapter) => {
    const [ada, bob] = [await newUser(adapter, { emailVerified: inDays(-1) }), await newUser(adapter)]
    const { id } = ada
    const { email } = someUser()
    const expectTaken = (when: string) => rejection(adapter.createUser(someUser({ email })), `createUser with an address ${when}`)
    await adapter.updateUser({ id, email })
    await expectTaken('that another user changed to')
    await adapter.updateUser({ id, name: 'Grace' })
    await expectTaken('that another user changed to, and whose name was changed then')
    // That this is refused is a case of its own.
    if ('value' in (await settled(adapter.updateUser({ id, email: bob.email })))) return
    await expectTaken('whose user was refused another one')
    if (!adapter.deleteUser) return
    await adapter.deleteUser(id)
    if (adapter.getUserByEmail) isNull(await adapter.getUserByEmail(email), 'getUserByEmail of an address whose user was deleted')
    isUser(await adapter.updateUser({ id: bob.id, email }), { ...bob, email }, 'updateUser to an address whose user was deleted')
    await expectUser(adapter, { ...bob, email }, 'after updateUser to an address whose user was deleted')
  }),
]
