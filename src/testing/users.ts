import type { AdapterUser } from '../contract.js'
import { equal, includes, isNull, ok, rejection, successes } from './expect.js'
import { contractCase, inDays, someAccount, someAuthenticator, someSession, someUser, unique } from './fixtures.js'

export const userCases = [
  contractCase('createUser returns the user that getUser then finds', ['createUser', 'getUser'], async (adapter) => {
    const user = someUser({ emailVerified: inDays(-1) })
    const created = await adapter.createUser(user)
    const { id: _, ...fields } = user
    includes(created, fields, 'createUser')
    ok(typeof created.id === 'string' && created.id !== '', 'createUser: the id must be a string')
    equal(await adapter.getUser(created.id), created, 'getUser')
  }),

  contractCase('createUser makes an id where it is given none', ['createUser', 'getUser'], async (adapter) => {
    const created = await adapter.createUser({ email: someUser().email })
    ok(typeof created.id === 'string' && created.id !== '', 'createUser: the id must be a string')
    isNull(created.emailVerified, 'createUser without emailVerified')
    includes(await adapter.getUser(created.id), { email: created.email }, 'getUser')
  }),

  contractCase('createUser ignores what its table does not have', ['createUser', 'getUser'], async (adapter) => {
    const created = await adapter.createUser({ ...someUser(), 'no such column': 1, constructor: 'x', toString: 'y' } as AdapterUser)
    ok(!Object.hasOwn(created, 'no such column'), 'createUser: an unknown key must not come back')
    equal(await adapter.getUser(created.id), created, 'getUser')
  }),

  contractCase('createUser takes an email address once, also from many at once', ['createUser', 'getUserByEmail'], async (adapter) => {
    const { email } = someUser()
    const [winner, ...others] = await successes(Array.from({ length: 10 }, () => adapter.createUser(someUser({ email }))))
    ok(winner && others.length === 0, `createUser: of ten users with one email, ${others.length + (winner ? 1 : 0)} were created`)
    equal(await adapter.getUserByEmail(email), winner, 'getUserByEmail')
  }),

  contractCase('getUser finds nobody by an unknown or malformed id', ['getUser'], async (adapter) => {
    for (const id of [
      crypto.randomUUID(),
      'invalid-user-id',
      '',
      '0',
      '-1',
      '1.0',
      '1e3',
      '99999999999999999999999',
      ' 1',
      'null',
      'NaN',
    ]) {
      isNull(await adapter.getUser(id), `getUser(${JSON.stringify(id)})`)
    }
  }),

  contractCase('getUserByEmail finds the user, and nobody by an unknown address', ['createUser', 'getUserByEmail'], async (adapter) => {
    const user = await adapter.createUser(someUser())
    equal(await adapter.getUserByEmail(user.email), user, 'getUserByEmail')
    isNull(await adapter.getUserByEmail(`${unique('nobody')}@example.com`), 'getUserByEmail of an unknown address')
  }),

  contractCase(
    'getUserByAccount finds the owner by provider and id together',
    ['createUser', 'linkAccount', 'getUserByAccount'],
    async (adapter) => {
      const [ada, bob] = await Promise.all([adapter.createUser(someUser()), adapter.createUser(someUser())])
      const providerAccountId = unique('account')
      await adapter.linkAccount(someAccount(ada.id, { provider: 'github', providerAccountId }))
      await adapter.linkAccount(someAccount(bob.id, { provider: 'gitlab', providerAccountId }))
      equal(await adapter.getUserByAccount({ provider: 'github', providerAccountId }), ada, 'the account at github')
      equal(await adapter.getUserByAccount({ provider: 'gitlab', providerAccountId }), bob, 'the account at gitlab')
      isNull(await adapter.getUserByAccount({ provider: 'google', providerAccountId }), 'an unknown provider')
      isNull(await adapter.getUserByAccount({ provider: 'github', providerAccountId: unique('account') }), 'an unknown id')
    },
  ),

  contractCase('updateUser changes what it is given, and nothing else', ['createUser', 'updateUser', 'getUser'], async (adapter) => {
    const [user, bystander] = await Promise.all([adapter.createUser(someUser()), adapter.createUser(someUser())])
    const emailVerified = inDays(0)
    const updated = await adapter.updateUser({ id: user.id, emailVerified })
    equal(updated, { ...user, emailVerified }, 'updateUser')
    equal(await adapter.getUser(user.id), updated, 'getUser')
    equal(await adapter.getUser(bystander.id), bystander, 'another user')
  }),

  contractCase('updateUser leaves a field alone for undefined, and clears it for null', ['createUser', 'updateUser'], async (adapter) => {
    const user = await adapter.createUser(someUser())
    const updated = await adapter.updateUser({ id: user.id, name: null, image: undefined } as unknown as AdapterUser)
    equal(updated, { ...user, name: null }, 'updateUser')
  }),

  contractCase('updateUser that changes nothing returns the user', ['createUser', 'updateUser'], async (adapter) => {
    const user = await adapter.createUser(someUser())
    equal(await adapter.updateUser({ id: user.id }), user, 'no field')
    equal(await adapter.updateUser(user), user, 'every field as it was')
    equal(await adapter.updateUser({ id: user.id, 'no such column': 1 } as { id: string }), user, 'an unknown field')
  }),

  contractCase('updateUser of an unknown user throws', ['updateUser'], async (adapter) => {
    await rejection(adapter.updateUser({ id: crypto.randomUUID(), name: 'Nobody' }), 'updateUser of an unknown id')
    await rejection(adapter.updateUser({ id: 'invalid-user-id', name: 'Nobody' }), 'updateUser of a malformed id')
    await rejection(adapter.updateUser({ id: crypto.randomUUID() }), 'updateUser of an unknown id with no field')
  }),

  contractCase(
    'deleteUser returns the deleted user, and null for an unknown one',
    ['createUser', 'deleteUser', 'getUser', 'getUserByEmail'],
    async (adapter) => {
      const [user, bystander] = await Promise.all([adapter.createUser(someUser()), adapter.createUser(someUser())])
      equal(await adapter.deleteUser(user.id), user, 'deleteUser')
      isNull(await adapter.getUser(user.id), 'getUser of a deleted user')
      isNull(await adapter.getUserByEmail(user.email), 'getUserByEmail of a deleted user')
      isNull(await adapter.deleteUser(user.id), 'deleteUser, a second time')
      isNull(await adapter.deleteUser('invalid-user-id'), 'deleteUser of a malformed id')
      equal(await adapter.getUser(bystander.id), bystander, 'another user')
    },
  ),

  contractCase('deleteUser leaves no account behind', ['createUser', 'linkAccount', 'deleteUser', 'getAccount'], async (adapter) => {
    const [user, bystander] = await Promise.all([adapter.createUser(someUser()), adapter.createUser(someUser())])
    const account = someAccount(user.id)
    const other = someAccount(bystander.id)
    await adapter.linkAccount(account)
    await adapter.linkAccount(other)
    await adapter.deleteUser(user.id)
    isNull(await adapter.getAccount(account.providerAccountId, account.provider), 'getAccount')
    ok(await adapter.getAccount(other.providerAccountId, other.provider), 'the account of another user must stay')
  }),

  contractCase(
    'deleteUser leaves no session behind',
    ['createUser', 'createSession', 'deleteUser', 'updateSession', 'getSessionAndUser'],
    async (adapter) => {
      const [user, bystander] = await Promise.all([adapter.createUser(someUser()), adapter.createUser(someUser())])
      const sessions = [someSession(user.id), someSession(user.id)]
      const other = someSession(bystander.id)
      for (const session of [...sessions, other]) await adapter.createSession(session)
      await adapter.deleteUser(user.id)
      for (const { sessionToken } of sessions)
        isNull((await adapter.updateSession({ sessionToken, expires: inDays(1) })) ?? null, 'updateSession')
      ok(await adapter.getSessionAndUser(other.sessionToken), 'the session of another user must stay')
    },
  ),

  contractCase(
    'deleteUser leaves no authenticator behind',
    ['createUser', 'createAuthenticator', 'deleteUser', 'getAuthenticator'],
    async (adapter) => {
      const user = await adapter.createUser(someUser())
      const { credentialID } = await adapter.createAuthenticator(someAuthenticator(user.id))
      await adapter.deleteUser(user.id)
      isNull(await adapter.getAuthenticator(credentialID), 'getAuthenticator')
    },
  ),
]
