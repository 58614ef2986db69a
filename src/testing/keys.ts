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

/** The required outcomes for a key that no row has. */
const outcomes = {
  'returns null': async (call: Promise<unknown>, what: string) => expectNull(await call, what),
  'returns nothing': async (call: Promise<unknown>, what: string) => expectNothing(await call, what),
  'returns an empty list': async (call: Promise<unknown>, what: string) => {
    if (expectList(await call, what).length > 0) fail(`${what}: expected an empty list, got ${show(await call)}`)
  },
  throws: async (call: Promise<unknown>, what: string) => void (await expectError(call, what)),
}

type Outcome = keyof typeof outcomes

/** An operation that finds its row by a key. */
interface KeyedOperation {
  operation: OperationName
  fields: readonly KeyField[]
  parameters(key: Key): unknown[]
  outcome: Outcome
}

/** An operation whose parameters are the fields of the key, optionally followed by another one. */
const byValues = (operation: OperationName, fields: readonly KeyField[], outcome: Outcome, ...more: unknown[]): KeyedOperation => ({
  operation,
  fields,
  parameters: (key) => [...fields.map((field) => key[field]), ...more],
  outcome,
})

/** An operation that takes an object with the key, and optionally other fields. */
const byObject = (operation: OperationName, fields: readonly KeyField[], outcome: Outcome, more = {}): KeyedOperation => ({
  operation,
  fields,
  parameters: (key) => [{ ...key, ...more }],
  outcome,
})

// Writes come first: lookups notice if they create a row.
export const keyedOperations: readonly KeyedOperation[] = [
  byObject('useVerificationToken', ['identifier', 'token'], 'returns null'),
  byObject('updateUser', ['id'], 'throws', { name: 'Mallory' }),
  byValues('deleteUser', ['id'], 'returns nothing'),
  byObject('unlinkAccount', ['provider', 'providerAccountId'], 'returns nothing'),
  byObject('updateSession', ['sessionToken'], 'returns nothing', { expires: new Date('2099-12-31') }),
  byValues('deleteSession', ['sessionToken'], 'returns nothing'),
  byValues('updateAuthenticatorCounter', ['credentialID'], 'throws', 99),
  byValues('getUser', ['id'], 'returns null'),
  byValues('getUserByEmail', ['email'], 'returns null'),
  byObject('getUserByAccount', ['provider', 'providerAccountId'], 'returns null'),
  byValues('getAccount', ['providerAccountId', 'provider'], 'returns null'),
  byValues('getSessionAndUser', ['sessionToken'], 'returns null'),
  byValues('getAuthenticator', ['credentialID'], 'returns null'),
  byValues('listAuthenticatorsByUserId', ['id'], 'returns an empty list'),
]

/** Copies of a key, each with one of its fields replaced. */
export const replaceEach = (key: { [Field in KeyField]?: string }, replace: (value: string) => unknown): Key[] =>
  Object.entries(key).map(([field, value]) => ({ ...key, [field]: replace(value) }))

interface NoMatchOptions {
  /** Only these operations. */
  operations?: readonly OperationName[]
  /** Errors are accepted. */
  mayThrow?: boolean
  /** Receives the errors. */
  onError?(error: unknown, operation: string): void
}

/** Calls each operation with keys that no row has, and expects it to find and change nothing. */
export async function expectNoMatch(
  adapter: Subject,
  fixture: Fixture,
  keysFor: (key: { [Field in KeyField]?: string }) => readonly Key[],
  { operations, mayThrow, onError }: NoMatchOptions = {},
): Promise<void> {
  const called: string[] = []
  for (const { operation, fields, parameters, outcome } of keyedOperations) {
    const run = adapter[operation] as unknown as Operation | undefined
    if (!run || (operations && !operations.includes(operation))) continue
    const keys = keysFor(Object.fromEntries(fields.map((each) => [each, fieldsOf[each](fixture.ada)])))
    // Concurrently, to save round trips.
    await Promise.all(
      keys.map(async (key) => {
        const what = `${operation} by ${show(key)}`
        const call = run(...parameters(key))
        if (!mayThrow) return outcomes[outcome](call, what)
        const result = await settle(call)
        if ('thrown' in result) onError?.(result.thrown, operation)
        else if (Array.isArray(result.value) ? result.value.length > 0 : result.value != null)
          fail(`${what}: expected nothing or an error, got ${show(result.value)}`)
      }),
    )
    called.push(operation)
  }
  await fixture.verify(`after ${called.join(', ')} by keys that no row has`)
}
