import { accountCases } from './accounts.js'
import { authenticatorCases } from './authenticators.js'
import { callCases } from './calls.js'
import type { ContractCase, RunOptions, Topic } from './case.js'
import { missingIn } from './case.js'
import { choiceCases } from './choices.js'
import { contentionCases } from './contention.js'
import { crossingCases } from './crossing.js'
import { deletionCases } from './deletion.js'
import { effectCases } from './effects.js'
import { errorCases } from './errors.js'
import { exactnessCases } from './exactness.js'
import { fail } from './expect.js'
import { extensionCases } from './extensions.js'
import { freshnessCases } from './freshness.js'
import { hostileCases } from './hostile.js'
import { lookalikeCases } from './lookalikes.js'
import { lookupCases } from './lookups.js'
import { nameCases, reasonNoAdapter } from './names.js'
import { neighbourCases } from './neighbours.js'
import { ownershipCases } from './ownership.js'
import { parallelCases } from './parallel.js'
import { raceCases } from './races.js'
import { refusalCases } from './refusals.js'
import { repetitionCases } from './repetition.js'
import { secretCases } from './secrets.js'
import { sessionCases } from './sessions.js'
import { storageCases } from './storage.js'
import { textCases } from './texts.js'
import { tokenCases } from './tokens.js'
import { typeCases } from './types.js'
import { updateCases } from './updates.js'
import { userCases } from './users.js'

export type { BetterAuthAdapter, BetterAuthCase } from './better-auth.js'
export { betterAuthCaseOptions, betterAuthCases } from './better-auth.js'
export type { ContractCase, Needs, RunOptions, StoredRows, Topic } from './case.js'
export { ContractViolation } from './expect.js'
export type { OperationName } from './subject.js'

/**
 * All that an adapter must do, as cases for any test runner.
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
  ...nameCases,
  ...userCases,
  ...lookupCases,
  ...updateCases,
  ...accountCases,
  ...sessionCases,
  ...tokenCases,
  ...authenticatorCases,
  ...neighbourCases,
  ...deletionCases,
  ...ownershipCases,
  ...effectCases,
  ...callCases,
  ...choiceCases,
  ...freshnessCases,
  ...repetitionCases,
  ...raceCases,
  ...crossingCases,
  ...contentionCases,
  ...parallelCases,
  ...lookalikeCases,
  ...exactnessCases,
  ...storageCases,
  ...hostileCases,
  ...textCases,
  ...typeCases,
  ...refusalCases,
  ...errorCases,
]

/** Which cases are run, and how. */
export interface ContractOptions extends RunOptions {
  /** What the adapter is not asked, and why: topics, or single cases by their names. */
  leaveOut?: { readonly [name in Topic | (string & {})]?: string }
}

/**
 * The cases that an adapter with these operations can be asked: one without sessions is not asked about them.
 *
 * @example
 * // contract.test.ts
 * import { casesFor } from 'drizzle-auth-adapter/testing'
 * import { test } from 'vitest'
 * import { adapter } from './adapter.js'
 *
 * const cases = casesFor(adapter, { leaveOut: { races: 'this database has one connection' } })
 * for (const { name, run } of cases) test(name, () => run(adapter))
 */
export function casesFor(adapter: object, { leaveOut = {}, ...options }: ContractOptions = {}): readonly ContractCase[] {
  const reason = reasonNoAdapter(adapter)
  if (reason) return [{ name: 'the adapter is one', topic: 'operations', needs: [], run: async () => fail(reason) }]
  const cases = [...adapterContract, ...extensionCases, ...(options.stored ? secretCases : [])]
  for (const [name, why] of Object.entries(leaveOut)) {
    if (!cases.some((each) => each.name === name || each.topic === name))
      throw new TypeError(`leaveOut: no topic or case is called ${name}`)
    if (!why?.trim()) throw new TypeError(`leaveOut: say why ${name} is left out`)
  }
  return cases
    .filter(({ name, topic, needs }) => !(name in leaveOut) && !(topic in leaveOut) && missingIn(adapter, needs).length === 0)
    .map((each) => ({ ...each, run: (given, over) => each.run(given, { ...options, ...over }) }))
}
