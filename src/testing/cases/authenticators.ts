import type { AdapterAuthenticator } from '../../models.js'
import { casesAbout } from '../case.js'
import { expectAuthenticator, expectError, expectNothing, expectNull } from '../expect.js'
import { createFixture, createUser, expectAuthenticators } from '../fixture.js'
import { makeAuthenticator, unique } from '../rows.js'
import { show } from '../show.js'

const contractCase = casesAbout('operations')

export const authenticatorCases = [
  contractCase('createAuthenticator returns and stores every field', ['createAuthenticator'], async (adapter) => {
    const fixture = await createFixture(adapter)
    const { id } = await createUser(adapter)
    const { transports: _, ...withoutTransports } = makeAuthenticator(id)
    for (const authenticator of [
      makeAuthenticator(id),
      makeAuthenticator(id, { counter: 0, credentialBackedUp: false, credentialDeviceType: 'singleDevice', transports: '' }),
      withoutTransports,
      { ...makeAuthenticator(id), transports: undefined } as unknown as AdapterAuthenticator,
    ]) {
      const given = { ...authenticator, 'no such column': 1 }
      expectAuthenticator(await adapter.createAuthenticator(given), authenticator, 'createAuthenticator')
      if (adapter.getAuthenticator)
        expectAuthenticator(await adapter.getAuthenticator(authenticator.credentialID), authenticator, 'getAuthenticator')
    }
    await fixture.verify('after createAuthenticator of other authenticators')
  }),

  contractCase('createAuthenticator rejects a credential that is already taken', ['createAuthenticator'], async (adapter) => {
    const fixture = await createFixture(adapter)
    const { credentialID } = fixture.ada.authenticators[0]
    for (const { user } of [fixture.bob, fixture.ada]) {
      const duplicate = makeAuthenticator(user.id, { credentialID, counter: 99 })
      await expectError(adapter.createAuthenticator(duplicate), 'createAuthenticator with a taken credential')
    }
    await fixture.verify('after createAuthenticator with a taken credential')
  }),

  contractCase('getAuthenticator returns null for an unknown credential', ['getAuthenticator'], async (adapter) => {
    const { userId, providerAccountId, credentialPublicKey } = (await createFixture(adapter)).ada.authenticators[0]
    for (const id of [unique('credential'), '', 'null', userId, providerAccountId, credentialPublicKey])
      expectNull(await adapter.getAuthenticator(id), `getAuthenticator(${show(id)})`)
  }),

  contractCase(
    'listAuthenticatorsByUserId returns all authenticators of one user',
    ['createAuthenticator', 'listAuthenticatorsByUserId'],
    async (adapter) => {
      const fixture = await createFixture(adapter)
      const { user, authenticators } = fixture.ada
      // More than the first page of most interfaces.
      const others = Array.from({ length: 101 }, () => makeAuthenticator(user.id))
      for (const authenticator of others) await adapter.createAuthenticator(authenticator)
      const listed = await adapter.listAuthenticatorsByUserId(user.id)
      expectAuthenticators(listed, [...authenticators, ...others], 'listAuthenticatorsByUserId')
      const { bob } = fixture
      expectAuthenticators(await adapter.listAuthenticatorsByUserId(bob.user.id), bob.authenticators, 'listAuthenticatorsByUserId')
    },
  ),

  contractCase('listAuthenticatorsByUserId returns an empty list for an unknown user', ['listAuthenticatorsByUserId'], async (adapter) => {
    await createFixture(adapter)
    const { id } = await createUser(adapter)
    for (const userId of [id, crypto.randomUUID(), 'invalid-user-id', ''])
      expectAuthenticators(await adapter.listAuthenticatorsByUserId(userId), [], `listAuthenticatorsByUserId(${show(userId)})`)
  }),

  contractCase(
    'updateAuthenticatorCounter sets the counter of one authenticator',
    ['createAuthenticator', 'updateAuthenticatorCounter'],
    async (adapter) => {
      const fixture = await createFixture(adapter)
      const [authenticator] = fixture.ada.authenticators
      for (const counter of [8, 8, 500, 3, 0]) {
        const what = `updateAuthenticatorCounter to ${counter}`
        authenticator.counter = counter
        expectAuthenticator(await adapter.updateAuthenticatorCounter(authenticator.credentialID, counter), authenticator, what)
        if (adapter.getAuthenticator)
          expectAuthenticator(await adapter.getAuthenticator(authenticator.credentialID), authenticator, `getAuthenticator after ${what}`)
      }
      await fixture.verify('after updateAuthenticatorCounter')
    },
  ),

  contractCase(
    'updateAuthenticatorCounter throws for an unknown credential and creates none',
    ['updateAuthenticatorCounter'],
    async (adapter) => {
      const fixture = await createFixture(adapter)
      const credentialID = unique('credential')
      await expectError(adapter.updateAuthenticatorCounter(credentialID, 1), 'updateAuthenticatorCounter of an unknown credential')
      expectNothing(await adapter.getAuthenticator?.(credentialID), 'getAuthenticator of an unknown credential')
      await fixture.verify('after updateAuthenticatorCounter of an unknown credential')
    },
  ),
]
