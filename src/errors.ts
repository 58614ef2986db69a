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
  | 'unknown'

const explanations: Record<FailureKind, string> = {
  duplicate: 'a row with this key exists already',
  'unknown-user': 'the user it refers to does not exist',
  'still-referenced': 'rows of another table still refer to it; delete those first or let their foreign key cascade',
  'not-found': 'no row has this key',
  'missing-value': 'a column that must not be null was given no value',
  'too-long': 'a value is longer than its column',
  invalid: 'a value is not one that its column can hold',
  conflict: 'another transaction was in the way; try again',
  timeout: 'the database took too long',
  unreachable: 'the database cannot be reached',
  denied: 'the database user lacks the permission',
  'read-only': 'the database is read-only',
  full: 'the database has no space left',
  schema: 'the table or a column of it is not in the database; run your migrations',
  garbled: 'the driver does not give this value back as the database holds it; docs/databases.md says what each driver needs',
  unknown: 'the database or its driver failed',
}

/**
 * What an operation throws. It says what failed and why, and holds no value that was stored or asked for:
 * the driver's own error, whose message and properties may hold tokens, is deliberately not its `cause`.
 */
export class AdapterOperationError extends Error {
  override readonly name = 'AdapterOperationError'
  /** The adapter's operation, such as `linkAccount`. */
  readonly operation: string
  readonly kind: FailureKind
  /** The database's or the driver's own code, such as `23505`, `1062` or `SQLITE_BUSY`. */
  readonly code: string | undefined
  /** The column that refused a value, where the adapter itself saw it. */
  readonly column: string | undefined

  constructor(operation: string, kind: FailureKind, details: { code?: string | undefined; column?: string | undefined } = {}) {
    const { code, column } = details
    super(`${operation}: ${explanations[kind]}${column ? ` (column ${column})` : ''}${code ? ` [${code}]` : ''}`)
    this.operation = operation
    this.kind = kind
    this.code = code
    this.column = column
  }
}

/** What `DrizzleAdapter` and `defineTables` throw at once when they were given something that cannot work. */
export class AdapterConfigError extends Error {
  override readonly name = 'AdapterConfigError'
}

/** Thrown inside the query layer, which does not know the operation it serves. */
export class Refusal extends Error {
  readonly kind: FailureKind
  readonly column: string | undefined

  constructor(kind: FailureKind, column?: string) {
    super(kind)
    this.kind = kind
    this.column = column
  }
}

/** Codes of one database, each with the failure that it means; tried in order. */
export type FailureCodes = readonly (readonly [RegExp, FailureKind])[]

/** What every driver built on sockets says when it has no connection. */
export const connectionCodes: FailureCodes = [
  [
    /^(ECONN\w+|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|CONNECTION_\w+|CONNECT_TIMEOUT|PROTOCOL_CONNECTION_LOST|POOL_\w+)$/,
    'unreachable',
  ],
  [/^(ETIMEDOUT|PROTOCOL_SEQUENCE_TIMEOUT)$/, 'timeout'],
  [/pool after calling end|pool is closed|connection is (not open|closed)|database is not open/i, 'unreachable'],
]

// A code is safe to show only where it looks like one of a database's or a driver's: SQLSTATE, errno, a name in capitals.
const safeCode = /^(\d{1,6}|[\dA-Z]{5}|[A-Z]+(_[A-Z\d]+)*)$/

/** The failure that an error of Drizzle's or a driver's stands for, and its code. Reads the error, keeps nothing of it. */
export function classify(error: unknown, codes: FailureCodes): { kind: FailureKind; code?: string } {
  const kindOf = (sign: string) => codes.find(([pattern]) => pattern.test(sign))?.[1]
  let first: string | undefined
  try {
    for (const cause of causesOf(error)) {
      if (cause instanceof Refusal) return { kind: cause.kind }
      const { extendedCode, code, errno, message } = cause
      for (const sign of [extendedCode, code, errno].map(String).filter((sign) => safeCode.test(sign))) {
        const kind = kindOf(sign)
        if (kind) return { kind, code: sign }
        first ??= sign
      }
      // Drivers without codes (D1, sql.js, PlanetScale) say in words what happened: the words are read, and never shown.
      const kind = kindOf(String(message))
      if (kind) return { kind, ...(first && { code: first }) }
    }
  } catch {
    // An error whose properties cannot be read says nothing.
  }
  return { kind: 'unknown', ...(first && { code: first }) }
}

// The driver's own error stands at the end of the chain; Drizzle's wrapper in front of it has no code.
function* causesOf(error: unknown): Generator<Record<string, unknown>> {
  for (let depth = 0; depth < 8 && typeof error === 'object' && error !== null; depth++) {
    yield error as Record<string, unknown>
    error = (error as { cause?: unknown }).cause
  }
}
