import type { Connection } from '../query/connection.js'
import { attempt } from '../query/connection.js'
import type { Dialect } from '../query/dialect.js'
import type { Database } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import type { AdapterOperationError, OnError } from '../query/errors.js'
import { configError, Failure } from '../query/errors.js'
import { operationError } from '../query/failures.js'
import { hasTransactions } from '../query/internals.js'

/**
 * Runs a callback in a transaction. `current` returns the database to use, or throws if the database has rolled back the transaction. The
 * callback must report the failures of its operations to the `onError` that it gets.
 */
export async function inTransaction<T>(
  connection: Connection<Dialect>,
  onError: OnError | undefined,
  run: (current: () => Database, onError: OnError) => Promise<T>,
): Promise<T> {
  const { dialect } = connection
  const db = connection.current()
  if (!hasTransactions(db))
    configError('transaction: true needs a driver with interactive transactions, which this driver does not support. Remove the option')
  let thrown: unknown
  let hasBegun = false
  const runInside = async (inner: Database): Promise<T> => {
    hasBegun = true
    let hasFailed = false
    let hasEnded = false
    const noteFailure: OnError = (error, cause) => {
      hasFailed = true
      hasEnded ||= dialect.failures.endTransaction?.test(String((error as AdapterOperationError).code)) === true
      onError?.(error, cause)
    }
    const current = () => {
      if (hasEnded) throw new Failure('conflict', { hint: 'the database has rolled back this transaction' })
      return inner
    }
    const result = await run(current, noteFailure).catch((error: unknown) => {
      thrown = error
      throw error
    })
    // After a failed statement, PostgreSQL rolls back at COMMIT, and not every driver reports that. This statement fails then.
    if (hasFailed) await current().select({ one: sql`1` }).from(sql`(select 1) as one`).execute()
    return result
  }
  type Outcome = { result: T } | { error: unknown }
  const tryOnce = async (): Promise<Outcome> => {
    try {
      return { result: (await db.transaction(runInside)) as T }
    } catch (error) {
      if (!hasBegun) throw error
      return { error }
    }
  }
  // Before the transaction has begun, no statement has run, so it can be retried like a read.
  const begun = Promise.resolve(attempt(connection, { purpose: 'read', run: tryOnce }, undefined))
  const outcome = await begun.catch((error: unknown): Outcome => ({ error }))
  if ('result' in outcome) return outcome.result
  // Errors of the callback are rethrown. Other errors come from the statements that begin and end the transaction.
  throw hasBegun && outcome.error === thrown ? thrown : operationError('transaction', outcome.error, dialect.failures, onError)
}
