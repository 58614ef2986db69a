import type { Adapter } from 'drizzle-auth-adapter'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { expect } from 'vitest'

const expires = new Date('2031-05-06T07:08:09.123Z')
const rejectionKinds = ['garbled', 'invalid', 'too-long']

/** Shows what is stored, independently of the adapter under test. */
export interface Witness {
  /** An adapter for the same tables, on a connection that transmits any text. */
  adapter: Adapter
  /** A value that changes whenever any row changes. */
  state(): Promise<unknown>
}

/**
 * Writes a text into every text field, keys included, expects it from every operation that reads it, and deletes it.
 * Returns `false` if the first write was rejected.
 */
export async function roundTripText(adapter: Adapter, witness: Witness, text: string): Promise<boolean> {
  const both = [adapter, witness.adapter]
  const user = { id: text, email: text, name: text, image: text, emailVerified: null }
  if (!(await isAccepted(witness, 'createUser', () => adapter.createUser(user)))) return false
  const changed = { ...user, name: `${text}.` }
  expect(await adapter.updateUser({ id: text, name: changed.name })).toEqual(changed)
  for (const each of both) {
    expect(await each.getUser(text), 'getUser').toEqual(changed)
    expect(await each.getUserByEmail(text), 'getUserByEmail').toEqual(changed)
  }

  const tokens = { access_token: text, refresh_token: text, id_token: text, scope: text, session_state: text }
  const key = { provider: text, providerAccountId: text }
  const account = { userId: text, type: 'oauth' as const, ...key, ...tokens }
  await adapter.linkAccount(account)
  for (const each of both) {
    expect(await each.getAccount(text, text), 'getAccount').toEqual(account)
    expect(await each.getUserByAccount(key), 'getUserByAccount').toEqual(changed)
  }

  const session = { sessionToken: text, userId: text, expires }
  expect(await adapter.createSession(session)).toEqual(session)
  const later = { ...session, expires: new Date(expires.getTime() + 1) }
  expect(await adapter.updateSession({ sessionToken: text, expires: later.expires })).toEqual(later)
  for (const each of both) expect(await each.getSessionAndUser(text), 'getSessionAndUser').toEqual({ session: later, user: changed })

  const token = { identifier: text, token: text, expires }
  expect(await adapter.createVerificationToken(token)).toEqual(token)
  expect(await adapter.useVerificationToken({ identifier: text, token: text })).toEqual(token)
  expect(await witness.adapter.useVerificationToken({ identifier: text, token: text })).toBeNull()

  const authenticator = {
    credentialID: text,
    userId: text,
    providerAccountId: text,
    credentialPublicKey: text,
    counter: 1,
    credentialDeviceType: text,
    credentialBackedUp: true,
    transports: text,
  }
  expect(await adapter.createAuthenticator(authenticator)).toEqual(authenticator)
  expect(await adapter.updateAuthenticatorCounter(text, 2)).toEqual({ ...authenticator, counter: 2 })
  for (const each of both) {
    expect(await each.getAuthenticator(text), 'getAuthenticator').toEqual({ ...authenticator, counter: 2 })
    expect(await each.listAuthenticatorsByUserId(text), 'listAuthenticatorsByUserId').toEqual([{ ...authenticator, counter: 2 }])
  }

  expect(await adapter.deleteSession(text)).toEqual(later)
  expect(await adapter.unlinkAccount(key)).toEqual(account)
  expect(await adapter.deleteUser(text)).toEqual(changed)
  for (const each of both) expect(await each.getUser(text)).toBeNull()
  return true
}

/** Whether a write was accepted. If not, expects that it was rejected because of its value and changed nothing. */
async function isAccepted(witness: Witness, operation: string, write: () => Promise<unknown>): Promise<boolean> {
  const before = await witness.state()
  const failure = await write().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure === undefined) return true
  expect(failure).toBeInstanceOf(AdapterOperationError)
  expect(rejectionKinds, `${operation} failed as ${String(failure)}`).toContain((failure as AdapterOperationError).kind)
  expect(await witness.state(), `${operation} was rejected, but changed a row`).toEqual(before)
  return false
}
