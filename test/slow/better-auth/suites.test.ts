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
import { inject } from 'vitest'
import { openStore } from '../../auth/better-auth/store.js'

// Better Auth's own suites for adapters.
for (const dialect of inject('dialects')) {
  // better-sqlite3 answers at once, and cannot wait inside a transaction.
  const transaction = dialect !== 'sqlite'
  const store = await openStore(dialect, { transaction })
  const { execute } = await testAdapter({
    adapter: (options) => store.adapterFor(options),
    runMigrations: (options) => store.migrate(options),
    prefixTests: dialect,
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
