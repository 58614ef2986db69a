import type { OnError } from '../query/errors.js'
import type { SessionsTable, VerificationTokensTable } from '../types.js'
import type { BatchOptions } from './batches.js'

/** The tables of Auth.js with rows that expire. Pass at least one of them. Other tables are ignored. */
export interface ExpiringTables {
  sessionsTable?: SessionsTable | undefined
  verificationTokensTable?: VerificationTokensTable | undefined
}

/** The progress of `deleteExpired`, reported after each batch. */
export interface ExpiredProgress {
  /** The rows of the batch. */
  table: 'sessions' | 'verificationTokens' | 'verifications' | 'rateLimits'
  /** Number of these rows that this call has deleted so far. */
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

/** The result of `deleteExpired` for tables of Auth.js. */
export interface DeletedExpired {
  /** Number of sessions that were deleted. */
  sessions: number
  /** Number of verification tokens that were deleted. */
  verificationTokens: number
  /** `false` if `signal` stopped the call. */
  finished: boolean
}

/** The result of `deleteExpired` for tables of Better Auth. With tables of both libraries, all numbers are in one object. */
export interface DeletedExpiredRows {
  /** Number of sessions that were deleted, of both libraries if there are tables of both. */
  sessions: number
  /** Number of rows that were deleted from `verification`. */
  verifications: number
  /** Number of rate limits that were deleted. */
  rateLimits: number
  /** `false` if `signal` stopped the call. */
  finished: boolean
}

/** The result of `deleteExpired` for these tables. */
export type DeletedFrom<T> = [keyof T & keyof ExpiringTables] extends [never]
  ? DeletedExpiredRows
  : DeletedExpired & Partial<DeletedExpiredRows>
