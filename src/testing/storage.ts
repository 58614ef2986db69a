import { equal, includes } from './expect.js'
import { casesAbout, someAccount, someAuthenticator, someSession, someToken, someUser } from './fixtures.js'

const contractCase = casesAbout('storage')

/** Text as secrets are: without repetition, so that no compression makes it short. */
function random(length: number): string {
  let text = ''
  while (text.length < length) text += crypto.randomUUID().replaceAll('-', '')
  return text.slice(0, length)
}

export const storageCases = [
  contractCase('an account keeps tokens and scopes of any length', ['createUser', 'linkAccount', 'getAccount'], async (adapter) => {
    const { id } = await adapter.createUser(someUser())
    const account = someAccount(id, {
      access_token: random(20_000),
      refresh_token: random(20_000),
      id_token: random(20_000),
      scope: random(12_000),
      session_state: random(2_000),
      token_type: 'x'.repeat(300) as 'bearer',
    })
    equal(await adapter.linkAccount(account), account, 'linkAccount')
    equal(await adapter.getAccount(account.providerAccountId, account.provider), account, 'getAccount')
  }),

  contractCase('a user keeps a long image, a long name, and any character', ['createUser', 'getUser'], async (adapter) => {
    const user = await adapter.createUser(
      someUser({ image: `data:image/png;base64,${random(100_000)}`, name: `${'\u{1F600}\u4E2D\u00E9'.repeat(300)} '"\\` }),
    )
    equal(await adapter.getUser(user.id), user, 'getUser')
    includes(user, { name: `${'\u{1F600}\u4E2D\u00E9'.repeat(300)} '"\\` }, 'createUser')
  }),

  contractCase(
    'a credential id may have 1,364 characters, also as an account id',
    ['createUser', 'linkAccount', 'getAccount', 'createAuthenticator', 'getAuthenticator', 'updateAuthenticatorCounter'],
    async (adapter) => {
      const { id } = await adapter.createUser(someUser())
      const credentialID = random(1364)
      const account = someAccount(id, { type: 'webauthn', provider: 'passkey', providerAccountId: credentialID })
      await adapter.linkAccount(account)
      equal(await adapter.getAccount(credentialID, 'passkey'), account, 'getAccount')
      const authenticator = someAuthenticator(id, { credentialID, providerAccountId: credentialID, credentialPublicKey: random(6_000) })
      await adapter.createAuthenticator(authenticator)
      equal(await adapter.getAuthenticator(credentialID), authenticator, 'getAuthenticator')
      includes(await adapter.updateAuthenticatorCounter(credentialID, 2), { credentialID, counter: 2 }, 'updateAuthenticatorCounter')
    },
  ),

  contractCase(
    'a counter goes up to 4,294,967,295',
    ['createUser', 'createAuthenticator', 'updateAuthenticatorCounter', 'getAuthenticator'],
    async (adapter) => {
      const { id } = await adapter.createUser(someUser())
      const { credentialID } = await adapter.createAuthenticator(someAuthenticator(id, { counter: 2 ** 31 }))
      includes(await adapter.getAuthenticator(credentialID), { counter: 2 ** 31 }, 'getAuthenticator')
      includes(await adapter.updateAuthenticatorCounter(credentialID, 2 ** 32 - 1), { counter: 2 ** 32 - 1 }, 'updateAuthenticatorCounter')
    },
  ),

  contractCase('an access token may expire after 2038', ['createUser', 'linkAccount', 'getAccount'], async (adapter) => {
    const { id } = await adapter.createUser(someUser())
    const account = someAccount(id, { expires_at: 253_402_300_799, expires_in: 2 ** 40 })
    await adapter.linkAccount(account)
    equal(await adapter.getAccount(account.providerAccountId, account.provider), account, 'getAccount')
  }),

  contractCase(
    'dates keep their milliseconds, from 1970 to 9999',
    ['createUser', 'getUser', 'createSession', 'getSessionAndUser', 'createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      // Among them the hours that a change to or from summer time skips or repeats somewhere.
      for (const time of [
        '1970-01-01T00:00:00.001Z',
        '2026-03-29T01:30:00.123Z',
        '2026-03-08T07:30:00.500Z',
        '2026-10-25T00:30:00.999Z',
        '2038-01-19T03:14:08.000Z',
        '2040-02-29T12:00:00.007Z',
        '9999-12-31T23:59:59.999Z',
      ]) {
        const date = new Date(time)
        const user = await adapter.createUser(someUser({ emailVerified: date }))
        equal((await adapter.getUser(user.id))?.emailVerified, date, `emailVerified ${time}`)
        const session = someSession(user.id, { expires: date })
        equal((await adapter.createSession(session)).expires, date, `createSession, expires ${time}`)
        equal((await adapter.getSessionAndUser(session.sessionToken))?.session.expires, date, `getSessionAndUser, expires ${time}`)
        const token = someToken({ expires: date })
        await adapter.createVerificationToken(token)
        equal(await adapter.useVerificationToken(token), token, `a token that expires ${time}`)
      }
    },
  ),

  contractCase(
    'keys may have 255 characters of any kind',
    ['createUser', 'getUserByEmail', 'createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      const key = `${crypto.randomUUID()}${'\u{1F600}'.repeat(219)}`
      const user = await adapter.createUser(someUser({ email: key }))
      equal(await adapter.getUserByEmail(key), user, 'getUserByEmail')
      const token = someToken({ identifier: key, token: key })
      await adapter.createVerificationToken(token)
      equal(await adapter.useVerificationToken(token), token, 'useVerificationToken')
    },
  ),
]
