import type { Table } from 'drizzle-orm'
import { checkTables } from '../checks.js'
import type { LibraryTables } from '../library.js'
import { keyOf, libraryTables, lookedFor } from '../library.js'
import type { Model } from '../models.js'
import { keys, models } from '../models.js'
import { connect } from '../query/connection.js'
import type { Dialect } from '../query/dialect.js'
import { getTableColumns, getTableName } from '../query/drizzle.js'
import { configError } from '../query/errors.js'
import { operationError } from '../query/failures.js'
import { checkDatabase } from '../query/internals.js'
import { isDate } from '../query/kinds.js'
import { openTable } from '../query/table.js'
import { checkBatches, rest } from './batches.js'
import type { DeletedExpired, DeletedExpiredRows, DeletedFrom, DeleteExpiredOptions, ExpiredProgress } from './expired-types.js'

const operation = 'deleteExpired'

export const noTables = `neither sessionsTable nor verificationTokensTable is given, nor a table of Better Auth whose rows expire. Pass them in the second argument. ${lookedFor}`

/** How long after the last request a rate limit is deleted. */
const rateLimitAge = 24 * 60 * 60 * 1000

const noModel: Model = {}

/** A table whose rows expire. */
export interface Expiring {
  readonly counted: ExpiredProgress['table']
  readonly table: Table
  readonly model: Model
  readonly key: readonly string[]
  /** The column with the expiry, or with the time of the last request. */
  readonly column: string
  /** Rows with a smaller value in the column have expired. */
  bound(before: Date): Date | number
}

/** The tables of both libraries with rows that expire. */
export function expiringIn({ authjs, betterAuth }: LibraryTables): Expiring[] {
  const expiring: Expiring[] = []
  const bound = (before: Date) => before
  for (const counted of ['sessions', 'verificationTokens'] as const) {
    const table = authjs?.[`${counted}Table`]
    if (table) expiring.push({ counted, table, model: models[counted], key: keys[counted], column: 'expires', bound })
  }
  // An app of Auth.js can have other tables with names of Better Auth's tables.
  if (!betterAuth || (authjs && !betterAuth.session && !betterAuth.account)) return expiring
  const add = (table: Table | undefined, name: string, columns: string[], how: Pick<Expiring, 'counted' | 'column' | 'bound'>) => {
    if (!table) return
    const lacked = columns.find((column) => !Object.hasOwn(getTableColumns(table), column))
    if (lacked) fail(`the table ${getTableName(table)} has no column ${lacked}. ${lookedFor}`)
    expiring.push({ ...how, table, model: noModel, key: keyOf(table, `${operation}: the table ${name}`) })
  }
  const { session, verification, rateLimit } = betterAuth
  add(session, 'session', ['token', 'expiresAt'], { counted: 'sessions', column: 'expiresAt', bound })
  add(verification, 'verification', ['identifier', 'value', 'expiresAt'], { counted: 'verifications', column: 'expiresAt', bound })
  const dayBefore = (before: Date) => before.getTime() - rateLimitAge
  add(rateLimit, 'rateLimit', ['key', 'count', 'lastRequest'], { counted: 'rateLimits', column: 'lastRequest', bound: dayBefore })
  return expiring
}

/** Deletes expired rows in one dialect. `deleteExpired` of each entry point calls it. */
export async function sweepExpired<T>(dialect: Dialect, db: unknown, tables: T, options?: DeleteExpiredOptions): Promise<DeletedFrom<T>> {
  // The type computes the properties of the result from the tables, as this function does.
  return sweepTables(dialect, db, expiringIn(libraryTables(Object(tables), operation)), options) as Promise<unknown> as Promise<
    DeletedFrom<T>
  >
}

/** Deletes the expired rows of some tables. */
export async function sweepTables(
  dialect: Dialect,
  db: unknown,
  expiring: readonly Expiring[],
  options: DeleteExpiredOptions = {},
): Promise<DeletedExpired & DeletedExpiredRows> {
  const { batch, before, pause, signal, onProgress, onError } = checkedOptions(options)
  if (expiring.length === 0) fail(noTables)
  checkDatabase(operation, db, dialect.name)
  const authjs = expiring.filter(({ model }) => model !== noModel)
  checkTables(operation, dialect.name, Object.fromEntries(authjs.map(({ counted, table }) => [`${counted}Table`, table])))
  const connection = connect(operation, dialect, db)

  const counts = {
    sessions: 0,
    ...(authjs.length > 0 && { verificationTokens: 0 }),
    ...(authjs.length < expiring.length && { verifications: 0, rateLimits: 0 }),
    finished: false,
  } as DeletedExpired & DeletedExpiredRows
  for (const { counted, table, model, key, column, bound } of expiring) {
    const opened = openTable(connection, table, model, key)
    for (let deleted = batch; deleted >= batch; ) {
      if (signal?.aborted) return counts
      const isExpired = { column, is: 'lt', value: bound(before) } as const
      deleted = await opened.deleteAll(isExpired, { orderBy: column, limit: batch }).catch((error) => {
        throw operationError(operation, error, dialect.failures, onError)
      })
      counts[counted] = (counts[counted] ?? 0) + deleted
      await onProgress?.({ table: counted, deleted: counts[counted] })
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
