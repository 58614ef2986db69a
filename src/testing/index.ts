import { accountCases } from './accounts.js'
import { authenticatorCases } from './authenticators.js'
import { errorCases } from './errors.js'
import { exactnessCases } from './exactness.js'
import type { ContractCase } from './fixtures.js'
import { hostileCases } from './hostile.js'
import { sessionCases } from './sessions.js'
import { storageCases } from './storage.js'
import { tokenCases } from './tokens.js'
import { userCases } from './users.js'

export { ContractViolation } from './expect.js'
export type { ContractCase, OperationName, Topic } from './fixtures.js'

/**
 * All that an adapter must do, as cases for any test runner.
 *
 * @example
 * for (const c of adapterContract) test(c.name, () => c.run(adapter))
 */
export const adapterContract: readonly ContractCase[] = [
  ...userCases,
  ...accountCases,
  ...sessionCases,
  ...tokenCases,
  ...authenticatorCases,
  ...exactnessCases,
  ...storageCases,
  ...hostileCases,
  ...errorCases,
]

/** The cases that an adapter with these operations can be asked: one without sessions is not asked about them. */
export function casesFor(adapter: object): readonly ContractCase[] {
  return adapterContract.filter(({ needs }) => needs.every((operation) => operation in adapter))
}
