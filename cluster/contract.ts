import type { ContractCase } from 'drizzle-auth-adapter/testing'

/** Runs the cases one after the other; gives those that did not hold, and why. */
export async function runContract(cases: readonly ContractCase[], adapterFor: (index: number) => object) {
  const failures: { failed: ContractCase; why: string }[] = []
  for (const [index, one] of cases.entries()) {
    await one.run(adapterFor(index)).catch((error: Error) => failures.push({ failed: one, why: `${one.name}: ${error.message}` }))
  }
  return failures
}
