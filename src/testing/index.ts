/**
 * The contract suite: what every adapter must do, as cases for any test runner.
 *
 * @module
 */

import type { ContractCase, Group, RunOptions, Topic } from './case.js'
import { missingOperations } from './case.js'
import { accountCases } from './cases/accounts.js'
import { authenticatorCases } from './cases/authenticators.js'
import { errorCases } from './cases/errors.js'
import { exactnessCases } from './cases/exactness.js'
import { expiredCases } from './cases/expired.js'
import { extensionCases } from './cases/extensions.js'
import { freshnessCases } from './cases/freshness.js'
import { hostileCases } from './cases/hostile.js'
import { operationCases, reasonToReject } from './cases/operations.js'
import { raceCases } from './cases/races.js'
import { returnedCases } from './cases/returned.js'
import { secretCases } from './cases/secrets.js'
import { sessionCases } from './cases/sessions.js'
import { storageCases } from './cases/storage.js'
import { typeCases } from './cases/types.js'
import { unknownKeyCases } from './cases/unknown-keys.js'
import { userCases } from './cases/users.js'
import { tokenCases } from './cases/verification-tokens.js'
import { fail } from './expect.js'

export type { BetterAuthAdapter, BetterAuthCase } from './better-auth.js'
export { betterAuthCaseOptions, betterAuthCases } from './better-auth.js'
export type { ContractCase, Group, Needs, RunOptions, StoredRows, Topic } from './case.js'
export { ContractViolation } from './expect.js'
export type { OperationName } from './subject.js'

/**
 * The contract of an adapter, as cases for any test runner.
 *
 * @example
 * // contract.test.ts
 * import { adapterContract } from 'drizzle-auth-adapter/testing'
 * import { test } from 'vitest'
 * import { adapter } from './adapter.js'
 *
 * for (const { name, run } of adapterContract) test(name, () => run(adapter))
 */
export const adapterContract: readonly ContractCase[] = [
  ...operationCases,
  ...userCases,
  ...accountCases,
  ...sessionCases,
  ...tokenCases,
  ...authenticatorCases,
  ...unknownKeyCases,
  ...expiredCases,
  ...returnedCases,
  ...freshnessCases,
  ...raceCases,
  ...exactnessCases,
  ...storageCases,
  ...hostileCases,
  ...typeCases,
  ...errorCases,
]

/** Which cases to run, and how. */
export interface ContractOptions extends RunOptions {
  /** The groups of cases to run. Both by default. */
  groups?: readonly Group[]
  /** Topics and names of cases to skip, each with the reason. */
  leaveOut?: { readonly [name in Topic | (string & {})]?: string }
}

/**
 * The cases for the operations that an adapter has: one without sessions gets no cases about sessions.
 *
 * @param adapter The adapter to test.
 * @param options Which cases to leave out, and how to run the others.
 * @example
 * // contract.test.ts
 * import { casesFor } from 'drizzle-auth-adapter/testing'
 * import { test } from 'vitest'
 * import { adapter } from './adapter.js'
 *
 * const cases = casesFor(adapter, { leaveOut: { races: 'this database has one connection' } })
 * for (const { name, run } of cases) test(name, () => run(adapter))
 */
export function casesFor(
  adapter: object,
  { groups = ['contract', 'strict'], leaveOut = {}, ...options }: ContractOptions = {},
): readonly ContractCase[] {
  const reason = reasonToReject(adapter)
  if (reason)
    return [{ name: 'the argument is an adapter object', group: 'contract', topic: 'operations', needs: [], run: async () => fail(reason) }]
  const cases = [...adapterContract, ...extensionCases, ...(options.stored ? secretCases : [])]
  for (const [name, why] of Object.entries(leaveOut)) {
    if (!cases.some((each) => each.name === name || each.topic === name))
      throw new TypeError(`leaveOut: no topic or case is called ${name}`)
    if (!why?.trim()) throw new TypeError(`leaveOut: give a reason for leaving out ${name}`)
  }
  return cases
    .filter(({ group }) => groups.includes(group))
    .filter(({ name, topic, needs }) => !(name in leaveOut) && !(topic in leaveOut) && missingOperations(adapter, needs).length === 0)
    .map((each) => ({ ...each, run: (given, over) => each.run(given, { ...options, ...over }) }))
}
