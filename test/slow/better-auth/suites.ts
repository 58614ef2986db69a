import {
  authFlowTestSuite,
  caseInsensitiveTestSuite,
  joinsTestSuite,
  normalTestSuite,
  numberIdTestSuite,
  testAdapter,
  transactionsTestSuite,
  uuidTestSuite,
} from '@better-auth/test-utils/adapter'
import type { createStore } from '../../auth/better-auth/store.js'

/** Runs Better Auth's own suites for adapters. */
export async function runSuites(name: string, store: ReturnType<typeof createStore>, transaction: boolean): Promise<void> {
  const { execute } = await testAdapter({
    adapter: (options) => store.adapterFor(options),
    runMigrations: (options) => store.migrate(options),
    prefixTests: name,
    tests: [
      normalTestSuite(),
      joinsTestSuite(),
      numberIdTestSuite(),
      uuidTestSuite(),
      caseInsensitiveTestSuite(),
      authFlowTestSuite(),
      ...(transaction ? [transactionsTestSuite()] : []),
    ],
    onFinish: async () => void (await store.close()),
  })
  execute()
}
