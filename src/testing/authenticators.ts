import type { AdapterAuthenticator } from '../models.js'
import { casesAbout } from './case.js'
import { equal, fieldOf, isAuthenticator, isNull, isObject, rejection, successes } from './expect.js'
import { someAuthenticator, unique } from './fixtures.js'
import { show } from './show.js'
import { expectAuthenticator, isList } from './views.js'
import { furnish, newUser } from './world.js'

const contractCase = casesAbout('operations')

/** The credentials of a list, in order. */
function credentialsOf(listed: unknown, what: string): string[] {
  return isList(listed, what)
    .map((row) => {
      isObject(row, `${what}: expected a list of authenticators`)
      const id = fieldOf(row, 'credentialID', what)
      return typeof id === 'string' ? id : show(id)
    })
    .sort()
}

export const authenticatorCases = [
  contractCase('createAuthenticator returns the authenticator that is then found', ['createAuthenticator'], async (adapter) => {
    const { id } = await newUser(adapter)
    const [first, second] = [
      someAuthenticator(id),
      someAuthenticator(id, { credentialDeviceType: 'singleDevice', counter: 41, credentialPublicKey: 'b3RoZXI=', transports: 'usb' }),
    ]
    for (const authenticator of [first, second])
      isAuthenticator(await adapter.createAuthenticator(authenticator), authenticator, 'createAuthenticator')
    for (const authenticator of [first, second]) {
      await expectAuthenticator(adapter, authenticator, 'after createAuthenticator')
      // The library links the account itself.
      for (const provider of ['passkey', 'webauthn'])
        isNull(
          (await adapter.getAccount?.(authenticator.providerAccountId, provider)) ?? null,
          'getAccount after createAuthenticator alone',
        )
    }
  }),

  contractCase('an authenticator may have no transports', ['createAuthenticator'], async (adapter) => {
    const { id } = await newUser(adapter)
    const { transports: _, ...absent } = someAuthenticator(id)
    const undefinedOnes = { ...someAuthenticator(id), transports: undefined } as unknown as AdapterAuthenticator
    for (const authenticator of [absent, undefinedOnes]) {
      isAuthenticator(await adapter.createAuthenticator(authenticator), authenticator, 'createAuthenticator without transports')
      await expectAuthenticator(adapter, authenticator, 'after createAuthenticator without transports')
    }
  }),

  contractCase('createAuthenticator takes properties that it does not know', ['createAuthenticator'], async (adapter) => {
    const { id } = await newUser(adapter)
    const authenticator = someAuthenticator(id)
    const given = { ...authenticator, 'no such column': 1, name: 'key' }
    isAuthenticator(await adapter.createAuthenticator(given), authenticator, 'createAuthenticator with unknown properties')
  }),

  contractCase('createAuthenticator throws where the credential is known already', ['createAuthenticator'], async (adapter) => {
    const [ada, bob] = [await newUser(adapter), await newUser(adapter)]
    const first = someAuthenticator(ada.id)
    await adapter.createAuthenticator(first)
    for (const { id } of [bob, ada]) {
      const again = someAuthenticator(id, { credentialID: first.credentialID, counter: 99 })
      await rejection(adapter.createAuthenticator(again), 'createAuthenticator with a credential that is taken')
    }
    await expectAuthenticator(adapter, first, 'after createAuthenticator with its credential')
  }),

  contractCase(
    'one credential makes one authenticator, also when many are created at once',
    ['createAuthenticator'],
    async (adapter, { peer }) => {
      const users = await Promise.all(Array.from({ length: 5 }, () => newUser(adapter)))
      const credentialID = unique('credential')
      const create = (by: typeof adapter, userId: string) => by.createAuthenticator(someAuthenticator(userId, { credentialID }))
      const created = await successes(users.map(({ id }, index) => create(index % 2 ? peer : adapter, id)))
      equal(created.length, 1, 'createAuthenticator: how many of five authenticators with one credential were created')
    },
  ),

  contractCase('getAuthenticator gives null for an unknown credential', ['getAuthenticator'], async (adapter) => {
    const { authenticator } = await furnish(adapter)
    const { userId, providerAccountId, credentialPublicKey } = authenticator
    for (const id of [unique('credential'), '', 'null', userId, providerAccountId, credentialPublicKey])
      isNull(await adapter.getAuthenticator(id), `getAuthenticator(${show(id)})`)
  }),

  contractCase(
    "listAuthenticatorsByUserId gives the user's authenticators, all of them and no others",
    ['createAuthenticator', 'listAuthenticatorsByUserId'],
    async (adapter) => {
      const [ada, bob] = [await newUser(adapter), await newUser(adapter)]
      // More than fit on the first page of most interfaces.
      const providerAccountId = unique('account')
      const mine = Array.from({ length: 101 }, (_, index) => someAuthenticator(ada.id, index % 2 ? { providerAccountId } : {}))
      for (const authenticator of mine) await adapter.createAuthenticator(authenticator)
      const theirs = someAuthenticator(bob.id)
      await adapter.createAuthenticator(theirs)
      for (const [{ id }, expected] of [
        [ada, mine],
        [bob, [theirs]],
      ] as const) {
        const found = credentialsOf(await adapter.listAuthenticatorsByUserId(id), 'listAuthenticatorsByUserId')
        const wanted = expected.map(({ credentialID }) => credentialID).sort()
        equal(found.length, wanted.length, 'listAuthenticatorsByUserId: how many')
        for (const [index, credentialID] of wanted.entries())
          equal(found[index], credentialID, 'listAuthenticatorsByUserId, field credentialID')
      }
    },
  ),

  contractCase('listAuthenticatorsByUserId gives an empty list for an unknown user', ['listAuthenticatorsByUserId'], async (adapter) => {
    const { id } = await newUser(adapter)
    for (const userId of [id, crypto.randomUUID(), 'invalid-user-id', '']) {
      const what = `listAuthenticatorsByUserId(${show(userId)})`
      equal(isList(await adapter.listAuthenticatorsByUserId(userId), what).length, 0, `${what}: how many`)
    }
  }),

  contractCase(
    'updateAuthenticatorCounter sets the counter, up and down, and nothing else',
    ['createAuthenticator', 'updateAuthenticatorCounter'],
    async (adapter) => {
      const { id } = await newUser(adapter)
      const authenticator = someAuthenticator(id)
      await adapter.createAuthenticator(authenticator)
      for (const counter of [8, 8, 500, 3, 0]) {
        const what = `updateAuthenticatorCounter to ${counter}`
        const updated = { ...authenticator, counter }
        isAuthenticator(await adapter.updateAuthenticatorCounter(authenticator.credentialID, counter), updated, what)
        await expectAuthenticator(adapter, updated, `after ${what}`)
      }
    },
  ),

  contractCase(
    'updateAuthenticatorCounter of an unknown credential throws, and creates none',
    ['updateAuthenticatorCounter'],
    async (adapter) => {
      const credentialID = unique('credential')
      await rejection(adapter.updateAuthenticatorCounter(credentialID, 1), 'updateAuthenticatorCounter of an unknown credential')
      if (adapter.getAuthenticator)
        isNull(await adapter.getAuthenticator(credentialID), 'getAuthenticator after updateAuthenticatorCounter of an unknown credential')
    },
  ),
]
