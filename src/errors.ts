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

/** Codes of one database, or its driver's words, each with what it means; tried in order. */
export type Codes<Meaning> = readonly (readonly [RegExp, Meaning])[]
export type FailureCodes = Codes<FailureKind>

/** What a failed statement left behind: surely nothing, or nobody knows, because the connection was lost after it was sent. */
export type Aftermath = 'nothing' | 'unclear'

/** What every driver built on sockets says when it has no connection. */
export const connectionCodes: FailureCodes = [
  [
    /^(ECONN\w+|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|CONNECTION_\w+|CONNECT_TIMEOUT|PROTOCOL_CONNECTION_LOST|POOL_\w+)$/,
    'unreachable',
  ],
  [/^UND_ERR_(CONNECT_TIMEOUT|SOCKET)$/, 'unreachable'],
  [/^(ETIMEDOUT|PROTOCOL_SEQUENCE_TIMEOUT|UND_ERR_(HEADERS|BODY)_TIMEOUT)$/, 'timeout'],
  // What `AbortSignal.timeout` ends a request with, in drivers that fetch.
  [/^The operation was aborted due to timeout$/, 'timeout'],
  [/pool after calling end|pool is closed|connection is (not open|closed|in closed state)|database is not open/i, 'unreachable'],
]

/** What is known of a statement when there is no connection. A pool that the application closed is no reason to try again. */
export const connectionAftermath: Codes<Aftermath> = [
  // No connection was made, so nothing was sent.
  [/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT|CONNECT_TIMEOUT|UND_ERR_CONNECT_TIMEOUT|POOL_NONEONLINE)$/, 'nothing'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|EHOSTUNREACH|ENETUNREACH|CONNECTION_CLOSED|PROTOCOL_CONNECTION_LOST|UND_ERR_SOCKET)$/, 'unclear'],
]

// A code is safe to show only where it looks like one of a database's or a driver's: SQLSTATE, errno, a name in capitals.
const safeCode = /^(\d{1,6}|[\dA-Z]{5}|[A-Z]+(_[A-Z\d]+)*)$/

/** The failure that an error of Drizzle's or a driver's stands for, and its code. Reads the error, keeps nothing of it. */
export function classify(error: unknown, codes: FailureCodes): { kind: FailureKind; code?: string } {
  if (error instanceof Refusal) return { kind: error.kind }
  const { meaning, code } = interpret(error, codes)
  return { kind: meaning ?? 'unknown', ...(code && { code }) }
}

/** What an error of Drizzle's or a driver's means by these codes, and the code that says so or else the first there is. */
export function interpret<Meaning>(error: unknown, codes: Codes<Meaning>): { meaning?: Meaning; code?: string | undefined } {
  const find = (sign: string) => codes.find(([pattern]) => pattern.test(sign))
  let first: string | undefined
  try {
    for (const { extendedCode, code, errno, message } of causesOf(error)) {
      for (const sign of [extendedCode, code, errno].map(String).filter((sign) => safeCode.test(sign))) {
        const found = find(sign)
        if (found) return { meaning: found[1], code: sign }
        first ??= sign
      }
      // Drivers without codes (D1, sql.js, PlanetScale) say in words what happened: the words are read, and never shown.
      const found = find(wordsOf(String(message)))
      if (found) return { meaning: found[1], code: first }
    }
  } catch {
    // An error whose properties cannot be read says nothing.
  }
  return { code: first }
}

// Values may say anything. A database puts them in quotes; Drizzle's own message is the statement and its parameters.
function wordsOf(message: string): string {
  return message.startsWith('Failed query: ') ? '' : message.replace(/(["']).*\1/s, '')
}

// The driver's own error stands at the end of the chain; Drizzle's wrapper in front of it has no code.
function* causesOf(error: unknown): Generator<Record<string, unknown>> {
  for (let depth = 0; depth < 8 && typeof error === 'object' && error !== null; depth++) {
    yield error as Record<string, unknown>
    error = (error as { cause?: unknown }).cause
  }
}
