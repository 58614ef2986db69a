import type { Column } from 'drizzle-orm'
import type { BatchOptions } from './batches.js'
import { checkBatches, rest } from './batches.js'
import { checkTables } from './checks.js'
import { models } from './contract.js'
import { isTransaction, primaryOf } from './query/detection.js'
import type { Dialect } from './query/dialect.js'
import { lt } from './query/drizzle.js'
import { configError } from './query/errors.js'
import { operationError } from './query/failures.js'
import { createRows } from './query/rows.js'
import type { SessionsTable, VerificationTokensTable } from './types.js'

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

const expiring = [
  { name: 'sessions', key: ['sessionToken'] },
  { name: 'verificationTokens', key: ['identifier', 'token'] },
] as const

/** Deletes expired rows in one dialect. `deleteExpired` of each entry point calls it. */
export async function sweepExpired(
  dialect: Dialect,
  db: unknown,
  tables: ExpiringTables,
  options: DeleteExpiredOptions = {},
): Promise<DeletedExpired> {
  const { batch, before, pause, signal, onProgress } = checkedOptions(options)
  const database = primaryOf(db, operation)
  const { sessionsTable, verificationTokensTable } = tables ?? {}
  if (!sessionsTable && !verificationTokensTable)
    fail('neither sessionsTable nor verificationTokensTable is given. Pass one of them, or both, in the second argument')
  const given = { sessionsTable, verificationTokensTable }
  checkTables(operation, dialect.name, database, given)
  const sql = dialect.forDriver?.(database, {}) ?? dialect.sql
  const connection = { db: database, sql, writes: dialect.writes, retry: isTransaction(database) ? (false as const) : {} }

  const counts: DeletedExpired = { sessions: 0, verificationTokens: 0, finished: false }
  for (const { name, key } of expiring) {
    const table = given[`${name}Table`]
    if (!table) continue
    const { statements } = createRows(connection, table, models[name], key).internals
    const expires = statements.columns.expires as Column
    for (let deleted = batch; deleted >= batch; ) {
      if (signal?.aborted) return counts
      deleted = await dialect.writes.deleteSome(statements, lt(expires, before), expires, batch).catch((error) => {
        throw operationError(operation, error, sql.failures)
      })
      counts[name] += deleted
      await onProgress?.({ table: name, deleted: counts[name] })
      if (deleted >= batch) await rest(pause, signal)
    }
  }
  counts.finished = true
  return counts
}

const optionNames = ['batch', 'before', 'pause', 'signal', 'onProgress']

// Clocks of several machines differ a little. A date further ahead is a mistake, and would sign people out.
const toleratedClockSkew = 60_000

function checkedOptions(options: DeleteExpiredOptions) {
  const batches = checkBatches(operation, options, optionNames)
  const { before = new Date(), onProgress } = options
  if (!(before instanceof Date) || Number.isNaN(before.getTime())) fail('before must be a valid Date')
  if (before.getTime() > Date.now() + toleratedClockSkew) fail('before is in the future; what expires then has not expired yet')
  return { ...batches, before, onProgress }
}

function fail(message: string): never {
  return configError(`${operation}: ${message}`)
}
