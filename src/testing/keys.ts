import { expectError, expectList, expectNothing, expectNull, fail, settle } from './expect.js'
import type { Fixture, Person } from './fixture.js'
import { show } from './show.js'
import type { Operation, OperationName, Subject } from './subject.js'

/** How to read each field of a key from a person. */
const fieldsOf = {
  id: ({ user }: Person) => user.id,
  email: ({ user }: Person) => user.email,
  provider: ({ accounts }: Person) => accounts[0].provider,
  providerAccountId: ({ accounts }: Person) => accounts[0].providerAccountId,
  sessionToken: ({ sessions }: Person) => sessions[0].sessionToken,
  identifier: ({ tokens }: Person) => tokens[0].identifier,
  token: ({ tokens }: Person) => tokens[0].token,
  credentialID: ({ authenticators }: Person) => authenticators[0].credentialID,
}

export type KeyField = keyof typeof fieldsOf
export type Key = { [Field in KeyField]?: unknown }

/** Expects what an operation must do for a key that no row has. */
type Expectation = (call: Promise<unknown>, what: string) => Promise<void>

/** An operation that finds its row by a key. */
interface KeyedOperation {
  operation: OperationName
  fields: readonly KeyField[]
  parameters(key: Key): unknown[]
  expectNoMatch: Expectation
}

const returnsNull: Expectation = async (call, what) => expectNull(await call, what)
const returnsNothing: Expectation = async (call, what) => expectNothing(await call, what)
const throwsError: Expectation = async (call, what) => void (await expectError(call, what))
const returnsEmptyList: Expectation = async (call, what) => {
  const list = expectList(await call, what)
  if (list.length > 0) fail(`${what}: expected an empty list, got ${show(list)}`)
}

/** An operation with the fields of the key as parameters, and perhaps another one. */
const byValues = (
  operation: OperationName,
  fields: readonly KeyField[],
  expectNoMatch: Expectation,
  ...more: unknown[]
): KeyedOperation => ({
  operation,
  fields,
  parameters: (key) => [...fields.map((field) => key[field]), ...more],
  expectNoMatch,
})

/** An operation with an object that contains the key, and perhaps other fields. */
const byObject = (operation: OperationName, fields: readonly KeyField[], expectNoMatch: Expectation, more = {}): KeyedOperation => ({
  operation,
  fields,
  parameters: (key) => [{ ...key, ...more }],
  expectNoMatch,
})

// `useVerificationToken` comes first, because `verify` uses up the tokens.
const keyedOperations: readonly KeyedOperation[] = [
  byObject('useVerificationToken', ['identifier', 'token'], returnsNull),
  byValues('getUser', ['id'], returnsNull),
  byValues('getUserByEmail', ['email'], returnsNull),
  byObject('getUserByAccount', ['provider', 'providerAccountId'], returnsNull),
  byObject('updateUser', ['id'], throwsError, { name: 'Mallory' }),
  byValues('deleteUser', ['id'], returnsNothing),
  byObject('unlinkAccount', ['provider', 'providerAccountId'], returnsNothing),
  byValues('getAccount', ['providerAccountId', 'provider'], returnsNull),
  byValues('getSessionAndUser', ['sessionToken'], returnsNull),
  byObject('updateSession', ['sessionToken'], returnsNothing, { expires: new Date('2099-12-31') }),
  byValues('deleteSession', ['sessionToken'], returnsNothing),
  byValues('getAuthenticator', ['credentialID'], returnsNull),
  byValues('listAuthenticatorsByUserId', ['id'], returnsEmptyList),
  byValues('updateAuthenticatorCounter', ['credentialID'], throwsError, 99),
]

/** The operations that find their row by this field. */
export const operationsBy = (field: KeyField) =>
  keyedOperations.filter(({ fields }) => fields.includes(field)).map(({ operation }) => operation)

/** Copies of a key, each with one of its fields replaced. */
export const replaceEach = (key: { [Field in KeyField]?: string }, replace: (value: string) => unknown): Key[] =>
  Object.entries(key).map(([field, value]) => ({ ...key, [field]: replace(value) }))

interface NoMatchOptions {
  /** Only operations that find their row by this field. */
  field?: KeyField
  /** Errors are accepted. */
  mayThrow?: boolean
  /** Receives the errors. */
  onError?(error: unknown, operation: string): void
}

/** Calls each operation with keys that no row has, and expects it to find and to change nothing. */
export async function expectNoMatch(
  adapter: Subject,
  fixture: Fixture,
  keysFor: (key: { [Field in KeyField]?: string }) => readonly Key[],
  { field, mayThrow, onError }: NoMatchOptions = {},
): Promise<void> {
  for (const { operation, fields, parameters, expectNoMatch } of keyedOperations) {
    const run = adapter[operation] as unknown as Operation | undefined
    if (!run || (field && !fields.includes(field))) continue
    const keys = keysFor(Object.fromEntries(fields.map((each) => [each, fieldsOf[each](fixture.ada)])))
    // At once, which saves time on a server.
    await Promise.all(
      keys.map(async (key) => {
        const what = `${operation} by ${show(key)}`
        const call = run(...parameters(key))
        if (!mayThrow) return expectNoMatch(call, what)
        const result = await settle(call)
        if ('thrown' in result) onError?.(result.thrown, operation)
        else if (Array.isArray(result.value) ? result.value.length > 0 : result.value != null)
          fail(`${what}: expected nothing or an error, got ${show(result.value)}`)
      }),
    )
    if (!/^(get|list)/.test(operation)) await fixture.verify(`after ${operation} by keys that no row has`)
  }
}
