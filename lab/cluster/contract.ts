import type { ContractCase } from 'drizzle-auth-adapter/testing'

/** Runs the cases one after another, and returns those that failed with the reason. */
export async function runContract(cases: readonly ContractCase[], adapterFor: (index: number) => object) {
  const failures: { failed: ContractCase; reason: string }[] = []
  for (const [index, contractCase] of cases.entries()) {
    await contractCase
      .run(adapterFor(index))
      .catch((error: Error) => failures.push({ failed: contractCase, reason: `${contractCase.name}: ${error.message}` }))
  }
  return failures
}
