/** What went wrong, whatever the database. */
export type FailureKind =
  | 'duplicate'
  | 'unknown-user'
  | 'still-referenced'
  | 'not-found'
  | 'missing-value'
  | 'too-long'
  | 'invalid'
  | 'conflict'
  | 'timeout'
  | 'unreachable'
  | 'denied'
  | 'read-only'
  | 'full'
  | 'schema'
  | 'garbled'
  | 'undecipherable'
  | 'unknown'

const explanations: Record<FailureKind, string> = {
  duplicate: 'a row with this key exists already',
  'unknown-user': 'its user does not exist',
  'still-referenced': 'other rows refer to it; delete those first',
  'not-found': 'no row has this key',
  'missing-value': 'a column that must not be null got no value',
  'too-long': 'a value is longer than its column',
  invalid: 'a value does not fit its column',
  conflict: 'another transaction was in the way; try again',
  timeout: 'the database took too long',
  unreachable: 'the database cannot be reached',
  denied: 'the database user lacks the permission',
  'read-only': 'the database is read-only',
  full: 'the database is full',
  schema: 'the table or a column is not in the database; run your migrations',
  garbled: 'the driver does not return this value as the database holds it',
  undecipherable: 'a stored token cannot be decrypted',
  unknown: 'the database or its driver failed',
}

/** What is known of a failure. None of it is a value that was stored or looked up. */
export interface FailureDetails {
  /** The code of the database or the driver, such as `23505`, `1062` or `SQLITE_BUSY`. */
  code?: string | undefined
  /** The table's name in the database. */
  table?: string | undefined
  /** The column's name in the database. */
  column?: string | undefined
  /** The name of the unique constraint that was violated, if the table definition names it. */
  constraint?: string | undefined
  /** What to change, where that is known. */
  hint?: string | undefined
}

function describe(kind: FailureKind, { code, table, column, constraint, hint }: FailureDetails): string {
  const place = Object.entries({ table, column, constraint })
    .flatMap(([what, name]) => (name ? `${what} ${name}` : []))
    .join(', ')
  return `${explanations[kind]}${place && ` (${place})`}${hint ? `; ${hint}` : ''}${code ? ` [${code}]` : ''}`
}

/**
 * Thrown by every operation. It says what failed and why, and holds no value that was stored or looked up. The driver's own error is
 * deliberately not its `cause`: the message and the properties of that one may hold tokens.
 *
 * @example
 * // sign-up.ts
 * import { AdapterOperationError } from 'drizzle-auth-adapter'
 * import { adapter } from './adapter.js'
 *
 * export async function signUp(email: string) {
 *   try {
 *     return await adapter.createUser({ email })
 *   } catch (error) {
 *     if (error instanceof AdapterOperationError && error.kind === 'duplicate') return null
 *     throw error
 *   }
 * }
 */
export class AdapterOperationError extends Error {
  override readonly name = 'AdapterOperationError'
  /** The adapter's operation, such as `linkAccount`. */
  declare readonly operation: string
  declare readonly kind: FailureKind
  /** The code of the database or the driver, such as `23505`, `1062` or `SQLITE_BUSY`. */
  declare readonly code: string | undefined
  /** The table's name in the database. */
  declare readonly table: string | undefined
  /** The column's name in the database, where the database or the adapter can tell. */
  declare readonly column: string | undefined
  /** The name of the unique constraint that was violated, if the table definition names it. */
  declare readonly constraint: string | undefined

  constructor(operation: string, kind: FailureKind, details: FailureDetails = {}) {
    super(`${operation}: ${describe(kind, details)}`)
    const { code, table, column, constraint } = details
    // Not assigned: in Bun every error has a `column` of its own, which would not be shown.
    Object.defineProperties(this, Object.getOwnPropertyDescriptors({ operation, kind, code, table, column, constraint }))
  }
}

/** Thrown by `DrizzleAdapter`, `defineTables`, `deleteExpired` and `secretsAtRest` when they are given something that cannot work. */
export class AdapterConfigError extends Error {
  override readonly name = 'AdapterConfigError'
}

export function configError(message: string): never {
  throw new AdapterConfigError(`${message}.`)
}

/**
 * Thrown inside the query layer, which does not know which operation it serves. `DrizzleAdapter` turns it into an
 * `AdapterOperationError`.
 */
export class Failure extends Error {
  declare readonly kind: FailureKind
  declare readonly details: FailureDetails
  /** Whether the statement may be run again. */
  declare readonly retry: Retry | undefined

  constructor(kind: FailureKind, details: FailureDetails = {}, retry?: Retry) {
    super(describe(kind, details))
    Object.assign(this, { kind, details, retry })
  }
}

/**
 * After which statements a failure allows another try: after `always`, the database surely did nothing. After `reads`, the connection was
 * lost while the statement ran, so nobody knows; statements that may run twice are run again.
 */
export type Retry = 'always' | 'reads'

/** What a statement does. A read and a repeatable delete have the same effect when they run twice. */
export type Purpose = 'read' | 'write' | 'write-for-user' | 'delete' | 'repeatable-delete'
