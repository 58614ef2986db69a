import { inject } from 'vitest'
import { openStore } from '../../auth/better-auth/store.js'
import { runSuites } from './suites.js'

for (const dialect of inject('dialects')) {
  // better-sqlite3 answers at once, and cannot wait inside a transaction.
  const transaction = dialect !== 'sqlite'
  await runSuites(dialect, await openStore(dialect, { transaction }), transaction)
}
