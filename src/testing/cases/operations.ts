import { casesAbout } from '../case.js'
import { fail } from '../expect.js'
import { createFixture } from '../fixture.js'
import { daysFromNow } from '../rows.js'
import { show } from '../show.js'
import type { OperationName } from '../subject.js'
import { operationNames, operationOf } from '../subject.js'

const contractCase = casesAbout('operations')

/** Why a value is not an adapter object, or `undefined` if it is one. */
export function reasonToReject(adapter: unknown): string | undefined {
  if (typeof adapter === 'function') return `expected an adapter, got ${show(adapter)}: call it, and pass its result`
  if (typeof adapter !== 'object' || adapter === null) return `expected an adapter, got ${show(adapter)}`
  if (adapter instanceof Promise) return 'expected an adapter, got a promise: await it first'
  if (operationNames.some((name) => operationOf(adapter, name))) return undefined
  return `expected an adapter with some of the operations ${operationNames.join(', ')}, got ${show(adapter)}`
}

export const operationCases = [
  contractCase('operations have the names that the library calls', [], async (_, { original }) => {
    const missing = operationNames.filter((name) => !operationOf(original, name))
    for (const name of missing) if (name in original) fail(`${name}: expected a function, got ${show(Reflect.get(original, name))}`)
    for (const name of Object.keys(original)) {
      const meant = missing.find((operation) => operation.toLowerCase() === name.toLowerCase())
      if (meant && !operationNames.includes(name as OperationName))
        fail(`${name} is not an operation: expected ${meant}, which the adapter does not have`)
    }
  }),

  // The library reads them with Object.keys, which does not return the methods of a class.
  contractCase('operations are own enumerable properties of the adapter', [], async (_, { original }) => {
    for (const name of operationNames) {
      if (operationOf(original, name) && !Object.keys(original).includes(name))
        fail(`${name}: expected an own enumerable property of the adapter, got one that is inherited or not enumerable`)
    }
  }),

  contractCase('lookups return each row of each user, and change nothing', [], async (adapter) => {
    const fixture = await createFixture(adapter, { session: { expires: daysFromNow(0.01) } })
    const empty = await createFixture(adapter, {
      user: { name: null, image: '', emailVerified: null },
      account: { access_token: '', expires_at: 0, scope: undefined as never },
      authenticator: { counter: 0, credentialBackedUp: false, transports: '' },
    })
    for (const { verify } of [fixture, empty]) for (const time of ['first', 'second', 'third']) await verify(`the ${time} time`)
  }),
]
