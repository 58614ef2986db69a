import { deepStrictEqual } from 'node:assert'
import type { Adapter } from 'drizzle-auth-adapter'

const expires = new Date('2031-05-06T07:08:09.123Z')
const later = new Date('2031-06-05T07:08:09.456Z')

/**
 * Writes and reads a row of each table, and compares values and types: a number that comes back as text or as a bigint is an error. `added`
 * are values for columns that the app added to the users table. Runs on any runtime.
 */
export async function expectRoundTrip(adapter: Adapter, added: object): Promise<void> {
  const created = await adapter.createUser({ email: 'ada@example.com', emailVerified: expires, name: null, image: null, ...added } as never)
  const { id } = created
  const user = { id, email: 'ada@example.com', emailVerified: expires, name: null, image: null, ...added }
  deepStrictEqual(typeof id, 'string')
  deepStrictEqual(created, user)
  deepStrictEqual(await adapter.getUser(id), user)
  deepStrictEqual(await adapter.getUserByEmail(user.email), user)
  const changed = { ...user, emailVerified: later }
  deepStrictEqual(await adapter.updateUser({ id, emailVerified: later }), changed)

  const key = { provider: 'github', providerAccountId: '4711' }
  const account = { userId: id, type: 'oauth' as const, ...key, expires_at: 2_147_483_647, token_type: 'bearer' as const }
  deepStrictEqual(await adapter.linkAccount(account), account)
  deepStrictEqual(await adapter.getAccount('4711', 'github'), account)
  deepStrictEqual(await adapter.getUserByAccount(key), changed)

  const session = { sessionToken: 'token', userId: id, expires }
  deepStrictEqual(await adapter.createSession(session), session)
  deepStrictEqual(await adapter.getSessionAndUser('token'), { session, user: changed })
  deepStrictEqual(await adapter.updateSession({ sessionToken: 'token', expires: later }), { ...session, expires: later })

  for (const isBackedUp of [true, false]) {
    const passkey = { credentialID: `${isBackedUp}`, userId: id, providerAccountId: '4711', credentialPublicKey: 'key', counter: 0 }
    const authenticator = { ...passkey, credentialDeviceType: 'singleDevice', credentialBackedUp: isBackedUp }
    deepStrictEqual(await adapter.createAuthenticator(authenticator), authenticator)
    const used = { ...authenticator, counter: 4_294_967_295 }
    deepStrictEqual(await adapter.updateAuthenticatorCounter(`${isBackedUp}`, used.counter), used)
    deepStrictEqual(await adapter.getAuthenticator(`${isBackedUp}`), used)
  }
  const passkeys = await adapter.listAuthenticatorsByUserId(id)
  deepStrictEqual(passkeys.map(({ counter, credentialBackedUp }) => `${typeof counter} ${credentialBackedUp}`).sort(), [
    'number false',
    'number true',
  ])

  const token = { identifier: 'ada@example.com', token: 'secret', expires }
  deepStrictEqual(await adapter.createVerificationToken(token), token)
  deepStrictEqual(await adapter.useVerificationToken({ identifier: token.identifier, token: token.token }), token)
  deepStrictEqual(await adapter.useVerificationToken({ identifier: token.identifier, token: token.token }), null)

  deepStrictEqual(await adapter.deleteSession('token'), { ...session, expires: later })
  deepStrictEqual(await adapter.unlinkAccount(key), account)
  deepStrictEqual(await adapter.deleteUser(id), changed)
}
