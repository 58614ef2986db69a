import type { Column, SQL, Table } from 'drizzle-orm'
import { dialectFor } from '#dialects'
import { primaryOf } from './detection.js'
import type { Dialect } from './dialect.js'
import { getTableColumns, lt, sql } from './drizzle.js'
import { misconfigured } from './errors.js'
import { operationError } from './guard.js'
import { retrying } from './retry.js'
import type { Database } from './statements.js'
import type { DatabaseOf, SessionsTable, VerificationTokensTable } from './types.js'

/** The tables whose rows expire; at least one of them. Others beside them are left alone. */
export interface ExpiringTables {
  sessionsTable?: SessionsTable | undefined
  verificationTokensTable?: VerificationTokensTable | undefined
}

/** What `deleteExpired` has done so far, told after each batch. */
export interface ExpiredProgress {
  table: 'sessions' | 'verificationTokens'
  /** The rows of this table that this call has deleted. */
  deleted: number
}

export interface DeleteExpiredOptions {
  /**
   * The most rows that one statement deletes.
   *
   * @default 200
   */
  batch?: number
  /**
   * Rows that expire before this instant go. The app's clock decides, not the database's.
   *
   * @default the time of the call
   */
  before?: Date
  /**
   * Milliseconds between two batches, in which the app's own queries get their turn.
   *
   * @default 100
   */
  pause?: number
  /** Stops after the batch that is running; a later call goes on where this one stopped. */
  signal?: AbortSignal
  /** Called after each batch, and waited for. */
  onProgress?: (progress: ExpiredProgress) => unknown
  /** As for `DrizzleAdapter`. */
  dialect?: Dialect
}

export interface DeletedExpired {
  /** How many sessions this call deleted. */
  sessions: number
  verificationTokens: number
  /** `false` where the signal stopped it. */
  finished: boolean
}

const operation = 'deleteExpired'

// Each table by the name of its count, with the key of its rows.
const expiring = [
  ['sessionsTable', 'sessions', ['sessionToken']],
  ['verificationTokensTable', 'verificationTokens', ['identifier', 'token']],
] as const

/**
 * Deletes the sessions and verification tokens that have expired, in small batches by the index on `expires`.
 *
 * Each batch is one statement, so it needs no transaction, may be stopped at any time, and may run on several machines at once.
 */
export async function deleteExpired<const T extends ExpiringTables>(
  db: DatabaseOf<T>,
  tables: T,
  options: DeleteExpiredOptions = {},
): Promise<DeletedExpired> {
  const { batch, before, pause, signal, onProgress } = checkedOptions(options)
  const database = primaryOf(db, operation)
  const { sessionsTable, verificationTokensTable }: ExpiringTables = tables ?? {}
  if (!sessionsTable && !verificationTokensTable)
    fail('neither sessionsTable nor verificationTokensTable is given. Pass one of them, or both, in the second argument')
  const given = { sessionsTable, verificationTokensTable }
  const found = dialectFor(database, given, options.dialect, operation)
  found.check?.(operation, database, given)
  const dialect = retrying(found, database, undefined)

  const counts: DeletedExpired = { sessions: 0, verificationTokens: 0, finished: false }
  for (const [name, table, key] of expiring) {
    if (!given[name]) continue
    const deleteBatch = batchOf(database, dialect, given[name], key, before, batch)
    for (let deleted = batch; deleted >= batch; ) {
      if (signal?.aborted) return counts
      deleted = await deleteBatch()
      counts[table] += deleted
      await onProgress?.({ table, deleted: counts[table] })
      if (deleted >= batch) await rest(pause, signal)
    }
  }
  counts.finished = true
  return counts
}

/** A function that deletes the next batch and says how many rows it was; fewer than asked for are the last. */
function batchOf(db: Database, dialect: Dialect, table: Table, key: readonly string[], before: Date, limit: number) {
  const columns = getTableColumns(table) as Record<string, Column>
  const expires = columns.expires as Column
  const keys = key.map((name) => columns[name] as Column)
  return async (): Promise<number> => {
    try {
      const isExpired = lt(expires, before)
      const query = dialect.picking
        ? db
            .delete(table)
            .where(isPicked(table, keys, expires, isExpired, limit, dialect.picking))
            .returning({ one: sql`1` })
        : db.delete(table).where(isExpired).orderBy(expires).limit(limit)
      return dialect.deletedBy(await dialect.once(query, true)({}))
    } catch (error) {
      throw operationError(operation, error, dialect)
    }
  }
}

/**
 * That a row is one of the first, by its key, which a sub-select picks. The condition is asked again of the row that goes: it may have
 * changed meanwhile. The sub-select is a common table expression, because PostgreSQL may run a plain one more than once, and then delete
 * more than it picked.
 */
function isPicked(table: Table, key: Column[], by: Column, condition: SQL, limit: number, picking: SQL): SQL {
  const keys = sql.join(key, sql`, `)
  const picked = sql`select ${keys} from ${table} where ${condition} order by ${by} limit ${sql.raw(`${limit}`)}${picking}`
  return sql`(${keys}) in (with picked as (${picked}) select * from picked) and ${condition}`
}

// It rests for a turn of the event loop at least: drivers that answer at once would keep everything else from running.
function rest(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
}

const optionNames = ['batch', 'before', 'pause', 'signal', 'onProgress', 'dialect']

// Clocks of several machines differ a little; a date further ahead is a mistake, and would sign people out.
const tolerated = 60_000

function checkedOptions(options: DeleteExpiredOptions) {
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name))
  if (unknown !== undefined) fail(`there is no option ${unknown}. There are ${optionNames.join(', ')}`)
  const { batch = 200, before = new Date(), pause = 100, signal, onProgress } = options
  if (!Number.isSafeInteger(batch) || batch < 1) fail('batch must be a whole number of rows, 1 or more')
  if (!(before instanceof Date) || Number.isNaN(before.getTime())) fail('before must be a valid Date')
  if (before.getTime() > Date.now() + tolerated) fail('before lies in the future; what expires then has not expired yet')
  if (!(pause >= 0 && pause < 2 ** 31)) fail('pause must be a number of milliseconds, 0 or more')
  if (signal !== undefined && typeof signal?.aborted !== 'boolean') fail('signal must be an AbortSignal')
  if (onProgress !== undefined && typeof onProgress !== 'function') fail('onProgress must be a function')
  return { batch, before, pause, signal, onProgress }
}

function fail(message: string): never {
  return misconfigured(`${operation}: ${message}`)
}
