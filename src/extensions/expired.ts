import { checkTables } from '../checks.js'
import { keys, models } from '../models.js'
import { operationError } from '../query/classify.js'
import type { Dialect } from '../query/dialect.js'
import type { OnError } from '../query/errors.js'
import { configError } from '../query/errors.js'
import { primaryOf } from '../query/internals.js'
import { openTable } from '../query/rows.js'
import { connect } from '../query/statements.js'
import type { SessionsTable, VerificationTokensTable } from '../types.js'
import type { BatchOptions } from './batches.js'
import { checkBatches, rest } from './batches.js'

/** The tables whose rows expire; at least one of them. Other tables are ignored. */
export interface ExpiringTables {
  sessionsTable?: SessionsTable | undefined
  verificationTokensTable?: VerificationTokensTable | undefined
}

/** What `deleteExpired` has done so far, reported after each batch. */
export interface ExpiredProgress {
  table: 'sessions' | 'verificationTokens'
  /** The rows of this table that this call has deleted. */
  deleted: number
}

/** What `deleteExpired` deletes, how fast, and when it stops. */
export interface DeleteExpiredOptions extends BatchOptions {
  /**
   * Deletes rows that expire before this instant. The app's clock decides, not the database's.
   *
   * @default the time of the call
   */
  before?: Date
  /** Called and awaited after each batch. */
  onProgress?: (progress: ExpiredProgress) => unknown
  /** Called with the error before it is thrown, and with the original one of the driver. */
  onError?: OnError
}

/** What `deleteExpired` has deleted. */
export interface DeletedExpired {
  /** How many sessions this call deleted. */
  sessions: number
  verificationTokens: number
  /** `false` if the signal stopped it. */
  finished: boolean
}

const operation = 'deleteExpired'

const expiring = ['sessions', 'verificationTokens'] as const

/** Deletes expired rows in one dialect. `deleteExpired` of each entry point calls it. */
export async function sweepExpired(
  dialect: Dialect,
  db: unknown,
  tables: ExpiringTables,
  options: DeleteExpiredOptions = {},
): Promise<DeletedExpired> {
  const { batch, before, pause, signal, onProgress, onError } = checkedOptions(options)
  const database = primaryOf(db, operation)
  const { sessionsTable, verificationTokensTable } = tables ?? {}
  if (!sessionsTable && !verificationTokensTable)
    fail('neither sessionsTable nor verificationTokensTable is given. Pass one of them, or both, in the second argument')
  const given = { sessionsTable, verificationTokensTable }
  checkTables(operation, dialect.name, database, given)
  const connection = connect(dialect, database)

  const counts: DeletedExpired = { sessions: 0, verificationTokens: 0, finished: false }
  for (const name of expiring) {
    const table = given[`${name}Table`]
    if (!table) continue
    const rows = openTable(connection, table, models[name], keys[name])
    for (let deleted = batch; deleted >= batch; ) {
      if (signal?.aborted) return counts
      deleted = await rows.removeSome({ column: 'expires', is: 'lt', value: before }, 'expires', batch).catch((error) => {
        throw operationError(operation, error, dialect.sql.failures, onError)
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

// Clocks of several machines differ a little. A date further ahead is a mistake, and would sign people out.
const toleratedClockSkew = 60_000

function checkedOptions(options: DeleteExpiredOptions) {
  const batches = checkBatches(operation, options, optionNames)
  const { before = new Date(), onProgress, onError } = options
  if (!(before instanceof Date) || Number.isNaN(before.getTime())) fail('before must be a valid Date')
  if (before.getTime() > Date.now() + toleratedClockSkew) fail('before is in the future; what expires then has not expired yet')
  return { ...batches, before, onProgress, onError }
}

function fail(message: string): never {
  return configError(`${operation}: ${message}`)
}
