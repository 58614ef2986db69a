const explanations = {
  duplicate: 'a row with this key already exists',
  'unknown-user': '`userId` refers to no user',
  'still-referenced': 'other rows reference it; delete those first, or let their foreign key cascade',
  'not-found': 'no row has this key',
  'missing-value': 'a column that must not be null received no value',
  'too-long': 'a value is longer than its column',
  invalid: 'a value does not fit its column',
  conflict: 'another transaction conflicted with this one; try again',
  timeout: 'the database took too long',
  unreachable: 'the database cannot be reached',
  tls: 'the connection could not be encrypted as required; check the TLS settings of the server and of the connection URL',
  login: 'the database refused the login; check the user and the password of the connection',
  denied: 'the database user lacks the permission; grant it',
  'read-only': 'the database is read-only; connect to the primary',
  full: 'the database is full',
  'no-database': 'the database does not exist; create it, or check its name in the connection URL',
  schema: 'the table or a column is not in the database; run your migrations',
  settings: 'a setting of the connection is not supported',
  definition: 'a function of the table definition threw an error; the option onError shows it',
  garbled: 'the driver changed this value',
  undecipherable: 'a stored token cannot be decrypted',
  unknown: 'the database or its driver failed; the option onError shows its error',
}

/** The kind of an error, the same on every database. */
export type FailureKind = keyof typeof explanations

/** Details of a failure, as `AdapterOperationError` shows them. They contain no value that was stored or looked up. */
export interface FailureDetails {
  code?: string | undefined
  table?: string | undefined
  column?: string | undefined
  constraint?: string | undefined
  /** What to change, if that is known. */
  hint?: string | undefined
  /** Whether the row was written although the operation failed. */
  isWritten?: true | undefined
}

function describe(kind: FailureKind, { code, table, column, constraint, hint, isWritten }: FailureDetails): string {
  const place = Object.entries({ table, column, constraint })
    .flatMap(([what, name]) => (name ? `${what} ${name}` : []))
    .join(', ')
  const written = isWritten ? '; the write itself happened' : ''
  return `${explanations[kind]}${place && ` (${place})`}${hint ? `; ${hint}` : ''}${written}${code ? ` [${code}]` : ''}`
}

/**
 * Thrown by every operation that fails. It says what failed and why, and contains no value that was stored or looked up. The driver's own
 * error is deliberately not its `cause`, because it may contain tokens. The option `onError` gets both.
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
  /** The column's name in the database, if it is known. */
  declare readonly column: string | undefined
  /** The name of the violated constraint, if the database reports it. */
  declare readonly constraint: string | undefined
  /** Whether the row was written although the operation failed. */
  declare readonly written: boolean

  constructor(operation: string, kind: FailureKind, details: FailureDetails = {}) {
    super(`${operation}: ${describe(kind, details)}`)
    const { code, table, column, constraint, isWritten: written = false } = details
    // Defined, not assigned: in Bun, errors have a `column` of their own, which is not enumerable.
    Object.defineProperties(this, Object.getOwnPropertyDescriptors({ operation, kind, code, table, column, constraint, written }))
  }
}

/** Thrown by `DrizzleAdapter`, `defineTables`, `deleteExpired` and `secretsAtRest` if their arguments are invalid. */
export class AdapterConfigError extends Error {
  override readonly name = 'AdapterConfigError'
}

export function configError(message: string): never {
  throw new AdapterConfigError(`${message}.`)
}

/** Called before an operation throws, with the error that it throws and the original one. It may be async; its own errors are ignored. */
export type OnError = (error: AdapterOperationError | AdapterConfigError, cause: unknown) => unknown

/** Thrown inside the query layer. `operationError` adds the name of the operation and turns it into an `AdapterOperationError`. */
export class Failure extends Error {
  constructor(
    readonly kind: FailureKind,
    readonly details: FailureDetails = {},
    options?: { cause?: unknown },
    /** Whether the statement may be run again. */
    readonly retry?: Retry,
  ) {
    super(describe(kind, details), options)
  }
}

/** A write violated a foreign key. */
export class ViolatedReference extends Failure {
  constructor(details: FailureDetails, options: { cause: unknown }) {
    super('invalid', { ...details, hint: 'the row that its foreign key refers to does not exist' }, options)
  }
}

/**
 * After which statements a failure allows another try. After `always`, the database surely did nothing. After `reads`, the connection was
 * lost while the statement ran, so its outcome is unknown; reads are run again. After `connected`, no connection was made:
 * that is part of a failover if this client had one before, and otherwise a mistake that is reported at once.
 */
export type Retry = 'always' | 'reads' | 'connected'

/** What a statement does. Only a read has the same effect when it runs twice. */
export type Purpose = 'read' | 'write' | 'delete'
