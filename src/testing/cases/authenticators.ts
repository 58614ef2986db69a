import type { AdapterAuthenticator } from '../../models.js'
import { expectAuthenticator, expectError } from '../expect.js'
import { createUser, expectAuthenticators, fixtureCasesAbout } from '../fixture.js'
import { makeAuthenticator } from '../rows.js'

const fixtureCase = fixtureCasesAbout('operations')

export const authenticatorCases = [
  fixtureCase('createAuthenticator returns and stores every field', ['createAuthenticator'], async (adapter) => {
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
  }),

  fixtureCase('createAuthenticator rejects a credential that is already taken', ['createAuthenticator'], async (adapter, fixture) => {
    const { credentialID } = fixture.ada.authenticators[0]
    for (const { user } of [fixture.bob, fixture.ada]) {
      const duplicate = makeAuthenticator(user.id, { credentialID, counter: 99 })
      await expectError(adapter.createAuthenticator(duplicate), 'createAuthenticator with a taken credential')
    }
  }),

  fixtureCase(
    'listAuthenticatorsByUserId returns all authenticators of one user',
    ['createAuthenticator', 'listAuthenticatorsByUserId'],
    async (adapter) => {
      const { id } = await createUser(adapter)
      // More than most APIs return on a first page.
      const authenticators = Array.from({ length: 101 }, () => makeAuthenticator(id))
      for (const authenticator of authenticators) await adapter.createAuthenticator(authenticator)
      expectAuthenticators(await adapter.listAuthenticatorsByUserId(id), authenticators, 'listAuthenticatorsByUserId')
    },
  ),

  fixtureCase(
    'updateAuthenticatorCounter sets the counter of one authenticator',
    ['createAuthenticator', 'updateAuthenticatorCounter'],
    async (adapter, fixture) => {
      const [authenticator] = fixture.ada.authenticators
      for (const counter of [8, 8, 500, 3, 0]) {
        const what = `updateAuthenticatorCounter to ${counter}`
        authenticator.counter = counter
        expectAuthenticator(await adapter.updateAuthenticatorCounter(authenticator.credentialID, counter), authenticator, what)
        if (adapter.getAuthenticator)
          expectAuthenticator(await adapter.getAuthenticator(authenticator.credentialID), authenticator, `getAuthenticator after ${what}`)
      }
    },
  ),
]
