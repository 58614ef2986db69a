import { casesAbout } from './case.js'
import { equal, isAuthenticator, isSession, isSessionAndUser, isToken, ok } from './expect.js'
import { random, someAuthenticator, someTexts, someToken, someUser } from './fixtures.js'
import { expectAuthenticator, expectUser, expectWorld } from './views.js'
import type { World } from './world.js'
import { furnish, idOf, keyOfToken, newUser } from './world.js'
import { asGiven, expectWrite, writes } from './writes.js'

const contractCase = casesAbout('storage')
const stored = { stored: asGiven, refused: false }

// Among them the hours that a change to or from summer time skips or repeats somewhere.
const instants = [
  '1970-01-01T00:00:00.000Z',
  '1970-01-01T00:00:00.001Z',
  '2026-03-29T01:30:00.123Z',
  '2026-03-08T07:30:00.500Z',
  '2026-10-25T00:30:00.999Z',
  '2026-10-25T01:30:00.999Z',
  '2026-11-01T05:30:00.999Z',
  '2026-11-01T06:30:00.999Z',
  '2038-01-19T03:14:08.000Z',
  '2040-02-29T12:00:00.007Z',
  '9999-12-31T23:59:59.999Z',
].map((text) => new Date(text))

/** A key of 255 characters of four bytes, but for what makes it unique. */
const longKey = () => `${crypto.randomUUID()}${'\u{1F600}'.repeat(219)}`

export const storageCases = [
  contractCase('an account keeps tokens and scopes of any length', ['linkAccount'], async (adapter) => {
    const over = { ...someTexts(() => random(20_000)), scope: random(12_000), session_state: random(2_000), token_type: 'x'.repeat(300) }
    await expectWrite(adapter, writes.linkAccount, over, stored)
  }),

  contractCase('a user keeps a long image, a long name, and any character', ['createUser'], async (adapter) => {
    const over = { image: `data:image/png;base64,${random(100_000)}`, name: `${'\u{1F600}\u4E2D\u00E9'.repeat(300)} '"\\` }
    await expectWrite(adapter, writes.createUser, over, stored)
    if (adapter.updateUser) await expectWrite(adapter, writes.updateUser, over, stored)
  }),

  contractCase('an account id may have 1,364 characters, as a credential id can', ['linkAccount'], async (adapter) => {
    await expectWrite(adapter, writes.linkAccount, { providerAccountId: random(1364) }, stored)
  }),

  contractCase('a credential id may have 1,364 characters, and a public key 6,000', ['createAuthenticator'], async (adapter) => {
    const { id } = await newUser(adapter)
    const credentialID = random(1364)
    const authenticator = someAuthenticator(id, { credentialID, providerAccountId: credentialID, credentialPublicKey: random(6_000) })
    isAuthenticator(await adapter.createAuthenticator(authenticator), authenticator, 'createAuthenticator')
    await expectAuthenticator(adapter, authenticator, 'of 1,364 characters')
    if (!adapter.updateAuthenticatorCounter) return
    const updated = await adapter.updateAuthenticatorCounter(credentialID, 8)
    isAuthenticator(updated, { ...authenticator, counter: 8 }, 'updateAuthenticatorCounter')
  }),

  contractCase('a counter goes up to 4,294,967,295', ['createAuthenticator'], async (adapter) => {
    for (const counter of [2 ** 31, 2 ** 32 - 1]) {
      await expectWrite(adapter, writes.createAuthenticator, { counter }, stored)
      if (!adapter.updateAuthenticatorCounter) continue
      const { authenticator } = await furnish(adapter)
      const updated = await adapter.updateAuthenticatorCounter(authenticator.credentialID, counter)
      isAuthenticator(updated, { ...authenticator, counter }, 'updateAuthenticatorCounter')
      await expectAuthenticator(adapter, { ...authenticator, counter }, 'after updateAuthenticatorCounter')
    }
  }),

  contractCase('an access token may expire after 2038', ['linkAccount'], async (adapter) => {
    await expectWrite(adapter, writes.linkAccount, { expires_at: 253_402_300_799, expires_in: 2 ** 40 }, stored)
  }),

  contractCase('dates keep their milliseconds, from 1970 to 9999: emailVerified', ['createUser'], async (adapter) => {
    for (const emailVerified of instants) {
      await expectWrite(adapter, writes.createUser, { emailVerified }, stored)
      if (adapter.updateUser) await expectWrite(adapter, writes.updateUser, { emailVerified }, stored)
    }
  }),

  contractCase('dates keep their milliseconds, from 1970 to 9999: sessions', ['createSession'], async (adapter) => {
    for (const expires of instants) {
      const { user, session } = await furnish(adapter)
      const { sessionToken } = session
      await expectWrite(adapter, writes.createSession, { expires }, stored)
      const updated = await adapter.updateSession?.({ sessionToken, expires })
      if (updated) isSession(updated, { ...session, expires }, `updateSession to ${expires.toISOString()}`)
      if (adapter.updateSession && adapter.getSessionAndUser && adapter.createUser)
        isSessionAndUser(
          await adapter.getSessionAndUser(sessionToken),
          { ...session, expires },
          user,
          'getSessionAndUser after updateSession',
        )
    }
  }),

  contractCase('dates keep their milliseconds, from 1970 to 9999: verification tokens', ['createVerificationToken'], async (adapter) => {
    for (const expires of instants) await expectWrite(adapter, writes.createVerificationToken, { expires }, stored)
  }),

  contractCase('keys may have 255 characters of any kind: addresses', ['createUser'], async (adapter) => {
    await expectUser(adapter, await newUser(adapter, { email: longKey() }), 'of 255 characters')
  }),

  contractCase('keys may have 255 characters of any kind: verification tokens', ['createVerificationToken'], async (adapter) => {
    const token = someToken({ identifier: longKey(), token: longKey() })
    await adapter.createVerificationToken(token)
    if (adapter.useVerificationToken) isToken(await adapter.useVerificationToken(keyOfToken(token)), token, 'useVerificationToken')
  }),

  contractCase('the id of a deleted user is not given to another', ['createUser', 'deleteUser'], async (adapter) => {
    const ids = new Set<string>()
    const { email } = someUser()
    // Not even to one who comes with the address of the deleted user.
    for (const address of [someUser().email, email, email]) {
      const id = idOf(await adapter.createUser({ email: address }))
      ok(!ids.has(id), `createUser, field id: expected a new one, got ${id}, which a deleted user had`)
      ids.add(id)
      await adapter.deleteUser(id)
    }
    equal(ids.size, 3, 'createUser: how many ids for three users')
  }),

  // Interfaces that give one page at a time are easily asked for the first one only.
  contractCase('rows are found among more than a hundred', ['createUser'], async (adapter) => {
    const { createUser, linkAccount, createSession } = adapter
    const parts = { createUser, ...(linkAccount && { linkAccount }), ...(createSession && { createSession }) }
    const worlds = await Promise.all(Array.from({ length: 101 }, () => furnish(parts)))
    for (const world of [worlds[0], worlds[50], worlds[100]])
      await expectWorld(adapter, world as World, 'among many others', { ignored: ['authenticator', 'token'] })
  }),
]
