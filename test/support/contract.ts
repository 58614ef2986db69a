import { casesFor } from 'drizzle-auth-adapter/testing'

/**
 * Runs only the contract cases of the topic 'operations'. That is enough where a setting changes how statements are sent and not what they
 * say. The other topics take most of the time, and test/contract runs them.
 */
export async function runOperationCases(adapter: object): Promise<void> {
  for (const { name, topic, run } of casesFor(adapter)) {
    if (topic !== 'operations') continue
    await run(adapter).catch((error) => Promise.reject(new Error(`${name}: ${error.message}`, { cause: error })))
  }
}
