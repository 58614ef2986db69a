import { casesFor } from 'drizzle-auth-adapter/testing'

/**
 * Runs the contract's cases about what each operation does. That is enough where a setting changes how statements travel, and not what
 * they say: test/contract runs the other topics, which take most of the time.
 */
export async function runOperationCases(adapter: object): Promise<void> {
  for (const { name, topic, run } of casesFor(adapter)) {
    if (topic !== 'operations') continue
    await run(adapter).catch((error) => Promise.reject(new Error(`${name}: ${error.message}`, { cause: error })))
  }
}
