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
  duplicate: 'a row has this key already',
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
  garbled: 'the driver does not give this value back as the database holds it',
  unknown: 'the database or its driver failed',
}

/**
 * What an operation throws. It says what failed and why, and holds no value that was stored or asked for:
 * the driver's own error, whose message and properties may hold tokens, is deliberately not its `cause`.
 */
export class AdapterOperationError extends Error {
  override readonly name = 'AdapterOperationError'
  /** The adapter's operation, such as `linkAccount`. */
  declare readonly operation: string
  declare readonly kind: FailureKind
  /** The database's or the driver's own code, such as `23505`, `1062` or `SQLITE_BUSY`. */
  declare readonly code: string | undefined
  /** The column that refused a value, where the adapter itself saw it. */
  declare readonly column: string | undefined

  constructor(operation: string, kind: FailureKind, { code, column }: { code?: string | undefined; column?: string | undefined } = {}) {
    super(`${operation}: ${explanations[kind]}${column ? ` (column ${column})` : ''}${code ? ` [${code}]` : ''}`)
    Object.assign(this, { operation, kind, code, column })
  }
}

/** What `DrizzleAdapter`, `defineTables` and `deleteExpired` throw at once when they were given something that cannot work. */
export class AdapterConfigError extends Error {
  override readonly name = 'AdapterConfigError'
}

export function misconfigured(message: string): never {
  throw new AdapterConfigError(`${message}.`)
}

/** Thrown inside the query layer, which does not know the operation it serves, and by columns of ours in an app's own queries. */
export class Refusal extends Error {
  declare readonly kind: FailureKind
  declare readonly column: string | undefined

  constructor(kind: FailureKind, column?: string) {
    super(explanations[kind])
    Object.assign(this, { kind, column })
  }
}

/** What a failed statement left behind: surely nothing, or nobody knows, because the connection was lost after it was sent. */
type Aftermath = 'nothing' | 'unclear'

/**
 * Codes of one database, or its driver's words, each with the failure that it means; tried in order.
 * After one that says nothing of what it left behind, a statement is never run again.
 */
export type FailureCodes = readonly (readonly [RegExp, FailureKind, Aftermath?])[]

/** What drivers say of their sockets, and those that fetch of their requests. */
export const connectionCodes: FailureCodes = [
  // No connection was made, so nothing was sent.
  [/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT|UND_ERR_CONNECT_TIMEOUT)$/, 'unreachable', 'nothing'],
  [/^(ECONN(RESET|ABORTED)|EPIPE|E(HOST|NET)UNREACH|UND_ERR_SOCKET)$/, 'unreachable', 'unclear'],
  // The last is what `AbortSignal.timeout` ends a request with.
  [/^(ETIMEDOUT|UND_ERR_(HEADERS|BODY)_TIMEOUT)$|aborted due to timeout$/, 'timeout'],
]

interface Failure {
  kind: FailureKind
  aftermath?: Aftermath | undefined
  code?: string | undefined
  column?: string | undefined
}

// A code is safe to show only where it looks like one of a database's or a driver's: SQLSTATE, errno, a name in capitals.
const safeCode = /^(\d{1,6}|[\dA-Z]{5}|[A-Z]+(_[A-Z\d]+)*)$/

// Values may say anything. A database puts them in quotes; Drizzle's own message is the statement and its parameters.
const valuesIn = /^Failed query: .*|(["']).*\1/s

/** The failure that an error of Drizzle's or a driver's stands for. Reads the error, keeps nothing of it but its code. */
export function classify(error: unknown, codes: FailureCodes): Failure {
  if (error instanceof Refusal) return error
  let code: string | undefined
  try {
    // The driver's own error stands at the end of the chain; Drizzle's wrapper in front of it has no code.
    let cause = error as Record<string, unknown>
    for (let depth = 0; depth < 8 && Object(cause) === cause; depth++) {
      const { extendedCode, code: own, errno, message } = cause
      const words = String(message).replace(valuesIn, '')
      const signs = [extendedCode, own, errno, /\(errno (\d+)\)/.exec(words)?.[1]].map(String).filter((sign) => safeCode.test(sign))
      code ??= signs[0]
      // Drivers without codes (D1, sql.js) say in words what happened: the words are read, and never shown.
      for (const sign of [...signs, words]) {
        const found = codes.find(([pattern]) => pattern.test(sign))
        if (found) return { kind: found[1], aftermath: found[2], code: sign === words ? code : sign }
      }
      cause = cause.cause as Record<string, unknown>
    }
  } catch {
    // An error whose properties cannot be read says nothing.
  }
  return { kind: 'unknown', code }
}
