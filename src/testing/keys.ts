import { allEnded } from './atonce.js'
import type { What } from './expect.js'
import { equal, isNothing, isNull, rejection, said } from './expect.js'
import { inDays } from './fixtures.js'
import { show } from './show.js'
import type { OperationName, Subject } from './subject.js'
import { isList } from './views.js'
import type { World } from './world.js'

const valueIn = {
  id: ({ user }: World) => user.id,
  email: ({ user }: World) => user.email,
  provider: ({ account }: World) => account.provider,
  providerAccountId: ({ account }: World) => account.providerAccountId,
  sessionToken: ({ session }: World) => session.sessionToken,
  identifier: ({ token }: World) => token.identifier,
  token: ({ token }: World) => token.token,
  credentialID: ({ authenticator }: World) => authenticator.credentialID,
}

export type KeyField = keyof typeof valueIn
export type Key = Partial<Record<KeyField, unknown>>

/** An operation that finds its row by a key. */
export interface KeyedOperation {
  operation: OperationName
  fields: readonly KeyField[]
  /** The parameters for a key, whatever its values are. */
  parameters(key: Key): unknown[]
  /** Expects that a call with a text as key found nothing. */
  expectNothing(call: Promise<unknown>, what: What): Promise<void>
}

const asNull = async (call: Promise<unknown>, what: What) => isNull(await call, what)
const asNothing = async (call: Promise<unknown>, what: What) => isNothing(await call, what)
const asError = async (call: Promise<unknown>, what: What) => void (await rejection(call, what))
const asEmptyList = async (call: Promise<unknown>, what: What) => equal(isList(await call, what).length, 0, () => `${said(what)}: how many`)

const account = ['provider', 'providerAccountId'] as const
const verificationToken = ['identifier', 'token'] as const
const expires = inDays(99)

export const keyedOperations: readonly KeyedOperation[] = [
  { operation: 'getUser', fields: ['id'], parameters: ({ id }) => [id], expectNothing: asNull },
  { operation: 'getUserByEmail', fields: ['email'], parameters: ({ email }) => [email], expectNothing: asNull },
  { operation: 'getUserByAccount', fields: account, parameters: (key) => [key], expectNothing: asNull },
  { operation: 'updateUser', fields: ['id'], parameters: (key) => [{ ...key, name: 'Mallory' }], expectNothing: asError },
  { operation: 'deleteUser', fields: ['id'], parameters: ({ id }) => [id], expectNothing: asNothing },
  { operation: 'unlinkAccount', fields: account, parameters: (key) => [key], expectNothing: asNothing },
  { operation: 'getAccount', fields: account, parameters: (key) => [key.providerAccountId, key.provider], expectNothing: asNull },
  { operation: 'getSessionAndUser', fields: ['sessionToken'], parameters: ({ sessionToken }) => [sessionToken], expectNothing: asNull },
  { operation: 'updateSession', fields: ['sessionToken'], parameters: (key) => [{ ...key, expires }], expectNothing: asNothing },
  { operation: 'deleteSession', fields: ['sessionToken'], parameters: ({ sessionToken }) => [sessionToken], expectNothing: asNothing },
  { operation: 'useVerificationToken', fields: verificationToken, parameters: (key) => [key], expectNothing: asNull },
  { operation: 'getAuthenticator', fields: ['credentialID'], parameters: ({ credentialID }) => [credentialID], expectNothing: asNull },
  { operation: 'listAuthenticatorsByUserId', fields: ['id'], parameters: ({ id }) => [id], expectNothing: asEmptyList },
  {
    operation: 'updateAuthenticatorCounter',
    fields: ['credentialID'],
    parameters: ({ credentialID }) => [credentialID, 99],
    expectNothing: asError,
  },
]

/** The key of a world's own row. */
export function keyOf(world: World, fields: readonly KeyField[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field, valueIn[field](world)]))
}

/** A key, once for each of its fields, with that field replaced. */
export function replacedIn(key: Record<string, string>, replace: (value: string) => unknown): Key[] {
  return Object.entries(key).map(([field, value]) => ({ ...key, [field]: replace(value) }))
}

/** Calls an operation with whatever it is given: that the types are other than the contract's may be the point. */
export function call(adapter: Subject, operation: OperationName, parameters: unknown[]): Promise<unknown> {
  return (adapter[operation] as unknown as (...parameters: unknown[]) => Promise<unknown>)(...parameters)
}

/** Expects that the operation finds nothing by each of these keys. It is asked for all of them at once, which saves time on a server. */
export async function expectNothingBy(adapter: Subject, { operation, parameters, expectNothing }: KeyedOperation, keys: readonly Key[]) {
  await allEnded(keys.map((key) => expectNothing(call(adapter, operation, parameters(key)), () => `${operation} by ${show(key)}`)))
}
