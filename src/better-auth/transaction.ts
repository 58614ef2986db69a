import type { Dialect } from '../query/dialect.js'
import type { Database } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import type { OnError } from '../query/errors.js'
import { configError } from '../query/errors.js'
import { operationError } from '../query/failures.js'
import { hasTransactions } from '../query/internals.js'

/** Runs a callback in a transaction. The callback reports the failures of its operations to the `onError` that it gets. */
export async function inTransaction<T>(
  db: Database,
  { failures }: Dialect,
  onError: OnError | undefined,
  run: (inner: Database, onError: OnError) => Promise<T>,
): Promise<T> {
  if (!hasTransactions(db))
    configError('transaction: true needs a driver with interactive transactions, and this one has none. Leave the option out')
  let thrown: unknown
  const runInside = async (inner: Database): Promise<T> => {
    let hasFailed = false
    const noteFailure: OnError = (error, cause) => {
      hasFailed = true
      onError?.(error, cause)
    }
    const result = await run(inner, noteFailure).catch((error: unknown) => {
      thrown = error
      throw error
    })
    // After a failed statement, PostgreSQL rolls back at COMMIT, and not every driver reports that. This statement fails then.
    if (hasFailed) await inner.select({ one: sql`1` }).from(sql`(select 1) as one`).execute()
    return result
  }
  try {
    return (await db.transaction(runInside)) as T
  } catch (error) {
    // Errors of the callback are passed on. Other errors come from the statements that begin and end the transaction.
    throw error === thrown ? error : operationError('transaction', error, failures, onError)
  }
}
