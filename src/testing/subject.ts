import type { Adapter } from '../types.js'
import { fail, OperationFailure } from './expect.js'
import { inspect, show } from './show.js'

// A record, so that a missing operation is a compile error.
const all: Record<keyof Adapter, true> = {
  createUser: true,
  getUser: true,
  getUserByEmail: true,
  getUserByAccount: true,
  updateUser: true,
  deleteUser: true,
  linkAccount: true,
  unlinkAccount: true,
  getAccount: true,
  createSession: true,
  getSessionAndUser: true,
  updateSession: true,
  deleteSession: true,
  createVerificationToken: true,
  useVerificationToken: true,
  createAuthenticator: true,
  getAuthenticator: true,
  listAuthenticatorsByUserId: true,
  updateAuthenticatorCounter: true,
  listAccounts: true,
  updateAccount: true,
  listSessions: true,
  revokeSession: true,
  revokeSessions: true,
}

/** The name of an operation, of the contract or beyond it. */
export type OperationName = keyof Adapter
export const operationNames = Object.keys(all) as OperationName[]

/** An adapter as the cases call it: operations return promises, and only the needed ones are certain to exist. */
export type Subject<Needed extends OperationName = never> = Partial<Adapter> & Pick<Adapter, Needed>

export type Operation = (...parameters: unknown[]) => Promise<unknown>

export function operationOf(adapter: object, name: OperationName): ((...parameters: unknown[]) => unknown) | undefined {
  const operation: unknown = Reflect.get(adapter, name)
  return typeof operation === 'function' ? (operation as Operation) : undefined
}

/** The operations of an adapter. Each call must end in time, throw only errors, and leave its arguments unchanged. */
export function subjectOf(adapter: object, timeout: number): Subject {
  const subject: Partial<Record<OperationName, Operation>> = {}
  for (const name of operationNames) {
    // Detached from the adapter, because the library calls operations without `this`.
    const operation = operationOf(adapter, name)
    if (operation) subject[name] = (...parameters) => observe(name, operation, parameters, timeout)
  }
  return subject as Subject
}

async function observe(name: OperationName, operation: (...parameters: unknown[]) => unknown, parameters: unknown[], timeout: number) {
  // Only objects can be changed.
  const objects = parameters.filter((parameter) => typeof parameter === 'object')
  const before = inspect(objects)
  let timer: ReturnType<typeof setTimeout> | undefined
  const timedOut = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, timeout, null)
  })
  const call = (async () => operation(...parameters))().then(
    (value) => ({ value }),
    (thrown: unknown) => ({ thrown }),
  )
  const outcome = await Promise.race([call, timedOut])
  clearTimeout(timer)
  // A timeout is a violation even if an error is expected.
  if (!outcome) fail(`${name}: expected a result or an error within ${timeout} ms, got neither`)
  const after = inspect(objects)
  if (after !== before) fail(`${name} changed its arguments: expected ${show(before)}, got ${show(after)}`)
  if ('value' in outcome) return outcome.value
  if (!isError(outcome.thrown)) fail(`${name}: expected an Error to be thrown, got ${show(outcome.thrown)}`)
  throw new OperationFailure(name, outcome.thrown)
}

// An error of another realm is not an instance of this realm's Error.
const isError = (value: unknown): boolean => value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
