import { casesAbout } from './case.js'
import { fail } from './expect.js'
import { show } from './show.js'
import type { OperationName } from './subject.js'
import { operationNames, operationOf } from './subject.js'

const contractCase = casesAbout('operations')

// What operations were called before next-auth 4.
const formerNames: Record<string, OperationName> = {
  getUserByProviderAccountId: 'getUserByAccount',
  getSession: 'getSessionAndUser',
  createVerificationRequest: 'createVerificationToken',
  getVerificationRequest: 'useVerificationToken',
  deleteVerificationRequest: 'useVerificationToken',
}

/** Why this is no adapter at all, or `undefined` if it is one. */
export function reasonNoAdapter(adapter: unknown): string | undefined {
  if (typeof adapter === 'function') return `expected an adapter, got ${show(adapter)}: call it, and give what it returns`
  if (typeof adapter !== 'object' || adapter === null) return `expected an adapter, got ${show(adapter)}`
  try {
    if (typeof Reflect.get(adapter, 'then') === 'function') return 'expected an adapter, got a promise: await it first'
    // Each of them is read, because any may be a getter that throws.
    if (operationNames.filter((name) => operationOf(adapter, name)).length > 0) return undefined
  } catch (error) {
    return `expected an adapter, got one whose operations cannot be read: ${show(error)}`
  }
  return `expected an adapter with some of the operations ${operationNames.join(', ')}, got ${show(adapter)}`
}

/** How many letters must be changed, added or left out to make one text of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [i, a] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, b] of [...other].entries())
      next.push(Math.min((row[j] as number) + (a === b ? 0 : 1), (row[j + 1] as number) + 1, (next[j] as number) + 1))
    row = next
  }
  return row[other.length] as number
}

/** The operation that a name was likely meant for. */
function meantBy(name: string, missing: readonly OperationName[]): OperationName | undefined {
  const former = formerNames[name]
  if (former && missing.includes(former)) return former
  const lower = name.toLowerCase()
  return missing.find((operation) => distance(lower, operation.toLowerCase()) <= Math.max(2, operation.length / 5))
}

export const nameCases = [
  contractCase('the operations have the names that the library calls', [], async (_, { original }) => {
    const reason = reasonNoAdapter(original)
    if (reason) fail(reason)
    const missing = operationNames.filter((name) => !operationOf(original, name))
    for (const name of missing) {
      // The library looks for an operation with `in`.
      if (name in original) fail(`${name}: expected a function, got ${show(Reflect.get(original, name))}`)
    }
    for (const name of Object.keys(original)) {
      const meant = operationNames.includes(name as OperationName) ? undefined : meantBy(name, missing)
      if (meant) fail(`${name} is no operation of the contract: expected ${meant}, which the adapter does not have`)
    }
  }),

  // It takes the operations with `Object.keys`, so it does not see the methods of a class.
  contractCase('the operations are properties of the adapter itself', [], async (_, { original }) => {
    const own = Object.keys(original)
    for (const name of operationNames) {
      if (operationOf(original, name) && !own.includes(name))
        fail(`${name}: expected it among the adapter's own enumerable properties, got it from a prototype or hidden`)
    }
  }),
]
