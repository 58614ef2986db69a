import { casesFor } from 'drizzle-auth-adapter/testing'

/**
 * Runs only the contract cases of the group 'contract'. That is enough where a setting changes how statements are sent and not what they
 * say. The strict cases take most of the time, and test/integration/contract runs them.
 */
export async function runOperationCases(adapter: object): Promise<void> {
  for (const { name, run } of casesFor(adapter, { groups: ['contract'] })) {
    await run(adapter).catch((error) => Promise.reject(new Error(`${name}: ${error.message}`, { cause: error })))
  }
}
