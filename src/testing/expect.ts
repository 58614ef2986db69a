import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '../models.js'
import { models } from '../models.js'
import { show, timeOf } from './show.js'

/** Thrown by a case that found the adapter wrong. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation'
}

/** What an operation threw, on its way to a case that expects it or to the reader. */
export class OperationFailure extends Error {
  constructor(
    readonly operation: string,
    readonly thrown: unknown,
  ) {
    super(`${operation}: expected an answer, but it threw ${show(thrown)}`, { cause: thrown })
  }
}

/** What an expectation is about: a text, or a function that makes it where it is needed. */
export type What = string | (() => string)
export const said = (what: What): string => (typeof what === 'string' ? what : what())

export function fail(message: string): never {
  throw new ContractViolation(message)
}

export function ok(condition: unknown, message: What): asserts condition {
  if (!condition) fail(said(message))
}

/** The same text, number, boolean or date. */
export function equal(actual: unknown, expected: unknown, about: What): void {
  if (isSame(actual, expected)) return
  const what = said(about)
  if (typeof actual === 'string' && typeof expected === 'string' && expected.length > 100) {
    let at = 0
    while (actual[at] === expected[at]) at++
    fail(`${what}: differs from character ${at} on: expected ${shownFrom(expected, at)}, got ${shownFrom(actual, at)}`)
  }
  fail(`${what}: expected ${show(expected)}, got ${show(actual)}`)
}

const shownFrom = (text: string, at: number) => `${show(text.slice(at, at + 40))} (${text.length} characters in all)`

function isSame(a: unknown, b: unknown): boolean {
  if (a === b || Object.is(a, b)) return true
  const [time, other] = [timeOf(a), timeOf(b)]
  return time !== undefined && time === other
}

const isAbsent = (value: unknown) => value === null || value === undefined

/** The fields of the contract's models. An adapter may add others; the suite does not look at them. */
export const fieldsOf = {
  user: Object.keys(models.users),
  account: Object.keys(models.accounts),
  session: Object.keys(models.sessions),
  token: Object.keys(models.verificationTokens),
  authenticator: Object.keys(models.authenticators),
}

// Absent, `undefined` and `null` are the same here: whether an optional field is left out is asked by a case of its own.
const isRow =
  <Row extends object>(model: keyof typeof fieldsOf) =>
  (actual: unknown, expected: Row, what: string): void => {
    isObject(actual, () => `${what}: expected a row (${model})`)
    for (const name of fieldsOf[model]) {
      const [value, wanted] = [fieldOf(actual, name, what), (expected as Record<string, unknown>)[name]]
      if (!(isAbsent(wanted) && isAbsent(value))) equal(value, wanted, () => `${what}, field ${name}`)
    }
  }

export const isUser = isRow<AdapterUser>('user')
export const isAccount = isRow<AdapterAccount>('account')
export const isSession = isRow<AdapterSession>('session')
export const isToken = isRow<VerificationToken>('token')
export const isAuthenticator = isRow<AdapterAuthenticator>('authenticator')

export function isObject(actual: unknown, what: What): asserts actual is object {
  ok(typeof actual === 'object' && actual !== null, () => `${said(what)}, got ${show(actual)}`)
}

/** A field of a row that came from an adapter, whose getters may throw. */
export function fieldOf(row: object, name: string, what: string): unknown {
  try {
    return Reflect.get(row, name)
  } catch (error) {
    return fail(`${what}, field ${name}: expected a value, but reading it threw ${show(error)}`)
  }
}

/** What `getSessionAndUser` gives. */
export function isSessionAndUser(actual: unknown, session: AdapterSession, user: AdapterUser, what: string): void {
  isObject(actual, `${what}: expected a session and its user`)
  isSession(fieldOf(actual, 'session', what), session, `${what}, session`)
  isUser(fieldOf(actual, 'user', what), user, `${what}, user`)
}

/** Exactly `null`, as the contract asks of lookups that find nothing. */
export function isNull(actual: unknown, what: What): void {
  equal(actual, null, what)
}

/** `null` or nothing at all, where the contract allows both. */
export function isNothing(actual: unknown, what: What): void {
  if (!isAbsent(actual)) fail(`${said(what)}: expected null or undefined, got ${show(actual)}`)
}

/** The row, or nothing where the contract allows an operation to return nothing. */
export function isRowOrNothing<Row>(
  actual: unknown,
  expected: Row,
  what: string,
  compare: (actual: unknown, expected: Row, what: string) => void,
): void {
  if (!isAbsent(actual)) compare(actual, expected, what)
}

/** The error that an operation throws. */
export async function rejection(call: PromiseLike<unknown>, what: What): Promise<unknown> {
  const result = await settled(call)
  if ('value' in result) fail(`${said(what)}: expected an error, got ${show(result.value)}`)
  return result.thrown
}

// An error of another realm is none of ours by `instanceof`.
export function isError(value: unknown): boolean {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
  } catch {
    return false
  }
}

export type Settled<T> = { value: T } | { thrown: unknown }

/** What an operation gave or threw. Anything else that is thrown passes. */
export async function settled<T>(call: PromiseLike<T>): Promise<Settled<T>> {
  try {
    return { value: await call }
  } catch (error) {
    if (error instanceof OperationFailure) return { thrown: error.thrown }
    throw error
  }
}

/** What the calls gave that did not throw. */
export async function successes<T>(calls: PromiseLike<T>[]): Promise<T[]> {
  const results = await Promise.all(calls.map(settled))
  return results.flatMap((result) => ('value' in result ? [result.value] : []))
}
