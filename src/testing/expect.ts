import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, Model, VerificationToken } from '../models.js'
import { models } from '../models.js'
import { show, timeOf } from './show.js'

/** Thrown by a case if the adapter does not keep the contract. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation'
}

/** An error that an operation threw. Cases either expect it, or it becomes a violation. */
export class OperationFailure extends Error {
  constructor(
    readonly operation: string,
    readonly thrown: unknown,
  ) {
    super(`${operation}: expected a result, but it threw ${show(thrown)}`, { cause: thrown })
  }
}

export function fail(message: string): never {
  throw new ContractViolation(message)
}

/** Expects the same text, number, boolean or date. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (Object.is(actual, expected)) return
  const time = timeOf(expected)
  if (time !== undefined && timeOf(actual) === time) return
  fail(`${what}: expected ${show(expected)}, got ${show(actual)}`)
}

export type ExpectRow<Row> = (actual: unknown, expected: Row, what: string) => void

/**
 * Compares the fields of the contract. An adapter may add others. For an optional field, `null`, `undefined` and absence are the same here:
 * the topic `absent fields` tells them apart.
 */
const rowExpectation =
  <Row extends object>(name: string, model: Model): ExpectRow<Row> =>
  (actual, expected, what) => {
    if (typeof actual !== 'object' || actual === null) fail(`${what}: expected a row (${name}), got ${show(actual)}`)
    for (const field of Object.keys(model)) {
      const [value, wanted] = [Reflect.get(actual, field) as unknown, Reflect.get(expected, field) as unknown]
      if ((value ?? null) !== null || (wanted ?? null) !== null) expectEqual(value, wanted, `${what}, field ${field}`)
    }
  }

export const expectUser = rowExpectation<AdapterUser>('user', models.users)
export const expectAccount = rowExpectation<AdapterAccount>('account', models.accounts)
export const expectSession = rowExpectation<AdapterSession>('session', models.sessions)
export const expectToken = rowExpectation<VerificationToken>('verification token', models.verificationTokens)
export const expectAuthenticator = rowExpectation<AdapterAuthenticator>('authenticator', models.authenticators)

/** Expects the result of `getSessionAndUser`. */
export const expectSessionAndUser: ExpectRow<{ session: AdapterSession; user: AdapterUser }> = (actual, { session, user }, what) => {
  if (typeof actual !== 'object' || actual === null) fail(`${what}: expected a session and its user, got ${show(actual)}`)
  expectSession(Reflect.get(actual, 'session'), session, `${what}, session`)
  expectUser(Reflect.get(actual, 'user'), user, `${what}, user`)
}

/** Expects exactly `null`, as the contract asks of a lookup that finds nothing. */
export function expectNull(actual: unknown, what: string): void {
  expectEqual(actual, null, what)
}

/** Expects `null` or `undefined`, where the contract allows both. */
export function expectNothing(actual: unknown, what: string): void {
  if ((actual ?? null) !== null) fail(`${what}: expected null or undefined, got ${show(actual)}`)
}

/** Expects the row, or nothing where the contract allows an operation to return nothing. */
export function expectRowOrNothing<Row>(actual: unknown, expected: Row, what: string, expectRow: ExpectRow<Row>): void {
  if ((actual ?? null) !== null) expectRow(actual, expected, what)
}

export function expectList(actual: unknown, what: string): unknown[] {
  if (!Array.isArray(actual)) fail(`${what}: expected an array, got ${show(actual)}`)
  return actual
}

/** Expects the call to throw, and returns the error. */
export async function expectError(call: PromiseLike<unknown>, what: string): Promise<unknown> {
  const result = await settle(call)
  if ('value' in result) fail(`${what}: expected an error, got ${show(result.value)}`)
  return result.thrown
}

export type Settled<T> = { value: T } | { thrown: unknown }

/** The result of an operation, or the error that it threw. Violations pass through. */
export async function settle<T>(call: PromiseLike<T>): Promise<Settled<T>> {
  try {
    return { value: await call }
  } catch (error) {
    if (error instanceof OperationFailure) return { thrown: error.thrown }
    throw error
  }
}

/** The results of the calls that did not throw. */
export async function successes<T>(calls: readonly PromiseLike<T>[]): Promise<T[]> {
  const results = await Promise.all(calls.map(settle))
  return results.flatMap((result) => ('value' in result ? [result.value] : []))
}
