import { checkTables } from '../checks.js'
import { keys, models } from '../models.js'
import { connect } from '../query/connection.js'
import { isDate } from '../query/dates.js'
import type { Dialect } from '../query/dialect.js'
import type { OnError } from '../query/errors.js'
import { configError } from '../query/errors.js'
import { operationError } from '../query/failures.js'
import { checkDatabase } from '../query/internals.js'
import { openTable } from '../query/table.js'
import type { SessionsTable, VerificationTokensTable } from '../types.js'
import type { BatchOptions } from './batches.js'
import { checkBatches, rest } from './batches.js'

/** The tables with rows that expire. Pass at least one of them. Other tables are ignored. */
export interface ExpiringTables {
  sessionsTable?: SessionsTable | undefined
  verificationTokensTable?: VerificationTokensTable | undefined
}

/** The progress of `deleteExpired`, reported after each batch. */
export interface ExpiredProgress {
  /** The table of the batch. */
  table: 'sessions' | 'verificationTokens'
  /** Number of rows of this table that this call has deleted so far. */
  deleted: number
}

/** The options of `deleteExpired`. */
export interface DeleteExpiredOptions extends BatchOptions {
  /**
   * Rows that expire before this date are deleted. The default is the time on the app's clock, not on that of the database.
   *
   * @default the time of the call
   */
  before?: Date
  /** Called and awaited after each batch. */
  onProgress?: (progress: ExpiredProgress) => unknown
  /** Called before an error is thrown, with that error and the original one of the driver. */
  onError?: OnError
}

/** The result of `deleteExpired`. */
export interface DeletedExpired {
  /** Number of sessions that were deleted. */
  sessions: number
  /** Number of verification tokens that were deleted. */
  verificationTokens: number
  /** `false` if `signal` stopped the call. */
  finished: boolean
}

const operation = 'deleteExpired'

export const noTables = 'neither sessionsTable nor verificationTokensTable is given. Pass one of them, or both, in the second argument'

const expiring = ['sessions', 'verificationTokens'] as const

/** Deletes expired rows in one dialect. `deleteExpired` of each entry point calls it. */
export async function sweepExpired(
  dialect: Dialect,
  db: unknown,
  tables: ExpiringTables,
  options: DeleteExpiredOptions = {},
): Promise<DeletedExpired> {
  const { batch, before, pause, signal, onProgress, onError } = checkedOptions(options)
  const { sessionsTable, verificationTokensTable } = tables ?? {}
  if (!sessionsTable && !verificationTokensTable) fail(noTables)
  const given = { sessionsTable, verificationTokensTable }
  checkDatabase(operation, db, dialect.name)
  checkTables(operation, dialect.name, given)
  const connection = connect(operation, dialect, db)

  const counts: DeletedExpired = { sessions: 0, verificationTokens: 0, finished: false }
  for (const name of expiring) {
    const table = given[`${name}Table`]
    if (!table) continue
    const opened = openTable(connection, table, models[name], keys[name])
    for (let deleted = batch; deleted >= batch; ) {
      if (signal?.aborted) return counts
      const isExpired = { column: 'expires', is: 'lt', value: before } as const
      deleted = await opened.deleteAll(isExpired, { orderBy: 'expires', limit: batch }).catch((error) => {
        throw operationError(operation, error, dialect.failures, onError)
      })
      counts[name] += deleted
      await onProgress?.({ table: name, deleted: counts[name] })
      if (deleted >= batch) await rest(pause, signal)
    }
  }
  counts.finished = true
  return counts
}

const optionNames = ['batch', 'before', 'pause', 'signal', 'onProgress', 'onError']

// The clocks of several machines differ a little. A date further in the future is a mistake that would sign users out.
const toleratedClockSkew = 60_000

function checkedOptions(options: DeleteExpiredOptions) {
  const batches = checkBatches(operation, options, optionNames)
  const { before = new Date(), onProgress, onError } = options
  if (!isDate(before)) fail('before must be a valid Date')
  if (before.getTime() > Date.now() + toleratedClockSkew) fail('before is in the future, so it would delete rows that have not expired')
  return { ...batches, before: new Date(before.getTime()), onProgress, onError }
}

function fail(message: string): never {
  return configError(`${operation}: ${message}`)
}
