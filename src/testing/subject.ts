import type { Adapter } from '../types.js'
import { fail, isError, OperationFailure } from './expect.js'
import { show, timeOf } from './show.js'

// Complete, or it does not compile.
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

/**
 * An adapter as the cases call it: each operation that it has gives a promise, whatever the adapter's own gives.
 * The operations that a case needs are there; any other must be looked for before it is called.
 */
export type Subject<Needed extends OperationName = never> = Partial<Adapter> & Pick<Adapter, Needed>

type Operation = (...parameters: unknown[]) => unknown

export function operationOf(adapter: object, name: OperationName): Operation | undefined {
  const operation: unknown = Reflect.get(adapter, name)
  return typeof operation === 'function' ? (operation as Operation) : undefined
}

/** The operations of an adapter, watched: they must answer in time, and must not change what they are given. */
export function subjectOf(adapter: object, timeout: number): Subject {
  const subject: Partial<Record<OperationName, Operation>> = {}
  for (const name of operationNames) {
    if (operationOf(adapter, name)) subject[name] = (...parameters) => watched(adapter, name, parameters, timeout)
  }
  return subject as Subject
}

async function watched(adapter: object, name: OperationName, parameters: unknown[], timeout: number): Promise<unknown> {
  const before = parameters.map(contentOf)
  // Called as a method: that the library calls operations without `this` is a case of its own.
  const settled = await inTime(() => operationOf(adapter, name)?.apply(adapter, parameters), timeout).then(
    (value) => ({ value }),
    (thrown: unknown) => ({ thrown }),
  )
  for (const [index, content] of before.entries()) expectUnchanged(name, content, contentOf(parameters[index]))
  if ('thrown' in settled) {
    // To say nothing is wrong, also where an error is expected.
    if (settled.thrown === late) fail(`${name}: expected an answer or an error within ${timeout} ms, got neither`)
    if (!isError(settled.thrown)) fail(`${name}: expected an Error to be thrown, got ${show(settled.thrown)}`)
    throw new OperationFailure(name, settled.thrown)
  }
  if (Array.isArray(settled.value)) expectReadable(name, settled.value)
  return settled.value
}

/** A list of rows that can be read, as the rows themselves must be: a revoked proxy, for one, cannot. */
function expectReadable(operation: string, rows: readonly unknown[]): void {
  for (const row of rows) {
    try {
      if (typeof row === 'object' && row !== null) Reflect.get(row, 'then')
    } catch (error) {
      fail(`${operation}: expected rows that can be read, but reading one threw ${show(error)}`)
    }
  }
}

const late = Symbol('no answer in time')

function inTime<T>(run: () => T, timeout: number): Promise<Awaited<T>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late), timeout)
    const finish =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer)
        settle(value)
      }
    new Promise<T>((answer) => answer(run())).then(finish(resolve as (value: T) => void), finish(reject))
  })
}

type Content = Map<PropertyKey, unknown>

// Dates are compared by their time: they can be changed in place, too.
function contentOf(parameter: unknown): Content {
  const content: Content = new Map()
  if (typeof parameter !== 'object' || parameter === null) return content
  for (const name of Reflect.ownKeys(parameter)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(parameter, name)
    content.set(name, timeOf(descriptor?.value) ?? descriptor?.value)
  }
  content.set('(can be extended)', Object.isExtensible(parameter))
  const time = timeOf(parameter)
  return time === undefined ? content : content.set('(time)', time)
}

function expectUnchanged(operation: string, before: Content, after: Content): void {
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    if (Object.is(before.get(name), after.get(name)) && before.has(name) === after.has(name)) continue
    const was = before.has(name) ? show(before.get(name)) : 'absent'
    const is = after.has(name) ? show(after.get(name)) : 'absent'
    fail(`${operation} changed its argument: field ${String(name)}: expected ${was}, got ${is}`)
  }
}
