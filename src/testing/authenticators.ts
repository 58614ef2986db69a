import { equal, isNull, rejection } from './expect.js'
import { contractCase, someAuthenticator, someUser, unique } from './fixtures.js'

export const authenticatorCases = [
  contractCase(
    'createAuthenticator returns the authenticator that getAuthenticator then finds',
    ['createUser', 'createAuthenticator', 'getAuthenticator'],
    async (adapter) => {
      const { id } = await adapter.createUser(someUser())
      for (const authenticator of [someAuthenticator(id), someAuthenticator(id, { credentialBackedUp: false })]) {
        equal(await adapter.createAuthenticator(authenticator), authenticator, 'createAuthenticator')
        equal(await adapter.getAuthenticator(authenticator.credentialID), authenticator, 'getAuthenticator')
      }
    },
  ),

  contractCase('an authenticator may have no transports', ['createUser', 'createAuthenticator', 'getAuthenticator'], async (adapter) => {
    const { id } = await adapter.createUser(someUser())
    const { transports: _, ...authenticator } = someAuthenticator(id)
    equal(await adapter.createAuthenticator(authenticator), authenticator, 'createAuthenticator')
    equal(await adapter.getAuthenticator(authenticator.credentialID), authenticator, 'getAuthenticator')
  }),

  contractCase(
    'createAuthenticator throws where the credential is known already',
    ['createUser', 'createAuthenticator', 'getAuthenticator'],
    async (adapter) => {
      const [ada, bob] = await Promise.all([adapter.createUser(someUser()), adapter.createUser(someUser())])
      const first = await adapter.createAuthenticator(someAuthenticator(ada.id))
      await rejection(adapter.createAuthenticator(someAuthenticator(bob.id, { credentialID: first.credentialID })), 'createAuthenticator')
      equal(await adapter.getAuthenticator(first.credentialID), first, 'getAuthenticator')
    },
  ),

  contractCase('getAuthenticator gives null for an unknown credential', ['getAuthenticator'], async (adapter) => {
    isNull(await adapter.getAuthenticator(unique('credential')), 'getAuthenticator')
  }),

  contractCase(
    "listAuthenticatorsByUserId gives the user's authenticators, and no others",
    ['createUser', 'createAuthenticator', 'listAuthenticatorsByUserId'],
    async (adapter) => {
      const [ada, bob] = await Promise.all([adapter.createUser(someUser()), adapter.createUser(someUser())])
      const created = [
        await adapter.createAuthenticator(someAuthenticator(ada.id)),
        await adapter.createAuthenticator(someAuthenticator(ada.id)),
      ]
      await adapter.createAuthenticator(someAuthenticator(bob.id))
      const byId = (a: { credentialID: string }, b: { credentialID: string }) => (a.credentialID < b.credentialID ? -1 : 1)
      equal((await adapter.listAuthenticatorsByUserId(ada.id)).sort(byId), created.sort(byId), 'listAuthenticatorsByUserId')
    },
  ),

  contractCase(
    'listAuthenticatorsByUserId gives an empty list for an unknown user',
    ['createUser', 'listAuthenticatorsByUserId'],
    async (adapter) => {
      const { id } = await adapter.createUser(someUser())
      for (const userId of [id, crypto.randomUUID(), 'invalid-user-id', ''])
        equal(await adapter.listAuthenticatorsByUserId(userId), [], JSON.stringify(userId))
    },
  ),

  contractCase(
    'updateAuthenticatorCounter changes the counter, and nothing else',
    ['createUser', 'createAuthenticator', 'updateAuthenticatorCounter', 'getAuthenticator'],
    async (adapter) => {
      const { id } = await adapter.createUser(someUser())
      const [first, other] = [
        await adapter.createAuthenticator(someAuthenticator(id)),
        await adapter.createAuthenticator(someAuthenticator(id)),
      ]
      const updated = await adapter.updateAuthenticatorCounter(first.credentialID, 7)
      equal(updated, { ...first, counter: 7 }, 'updateAuthenticatorCounter')
      equal(await adapter.updateAuthenticatorCounter(first.credentialID, 7), updated, 'the same counter again')
      equal(await adapter.getAuthenticator(first.credentialID), updated, 'getAuthenticator')
      equal(await adapter.getAuthenticator(other.credentialID), other, 'another authenticator')
    },
  ),

  contractCase('updateAuthenticatorCounter of an unknown credential throws', ['updateAuthenticatorCounter'], async (adapter) => {
    await rejection(adapter.updateAuthenticatorCounter(unique('credential'), 1), 'updateAuthenticatorCounter')
  }),
]
