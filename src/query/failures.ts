import type { Column, Table } from 'drizzle-orm'
import { getTableColumns, getTableName } from './drizzle.js'
import type { FailureDetails, FailureKind, Purpose, Retry } from './errors.js'
import { AdapterOperationError, Failure } from './errors.js'

/** Error codes of one database, or its drivers' messages, with the kind of failure they mean. The first match counts. */
export type FailureCodes = readonly (readonly [pattern: RegExp, kind: FailureKind, retry?: Retry | undefined, hint?: string])[]

/** How to read the errors of one database. */
export interface FailureRules {
  readonly codes: FailureCodes
  /** Where messages name tables, columns and constraints. */
  readonly names: readonly RegExp[]
  /** What to change where a driver rounds integers. */
  readonly integerHint: string
}

/** What drivers report about sockets and HTTP requests. */
export const connectionCodes: FailureCodes = [
  // No connection was made, so nothing was sent.
  [/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT|UND_ERR_CONNECT_TIMEOUT)$/, 'unreachable', 'always'],
  [/^(ECONN(RESET|ABORTED)|EPIPE|E(HOST|NET)UNREACH|UND_ERR_SOCKET)$/, 'unreachable', 'reads'],
  // `AbortSignal.timeout` gives the last one.
  [/^(ETIMEDOUT|UND_ERR_(HEADERS|BODY)_TIMEOUT)$|aborted due to timeout$/, 'timeout'],
]

// A code may be shown only if it looks like one: SQLSTATE, errno, a name in capitals.
const safeCode = /^(\d{1,6}|[\dA-Z]{5}|[A-Z]+(_[A-Z\d]+)*)$/

// Databases quote values in messages; Drizzle's own message is the statement with its parameters.
const valuesIn = /^Failed query: .*|(["']).*\1/s

type ErrorProperties = Record<string, unknown>

/** Classifies an error of Drizzle or a driver. The result keeps nothing of it but its code and names from the table definition. */
export function toFailure(error: unknown, rules: FailureRules, table?: Table, purpose?: Purpose): Failure {
  let code: string | undefined
  try {
    for (const cause of causesOf(error)) {
      if (cause instanceof Failure) return cause
      const { extendedCode, code: own, errno, message } = cause
      const words = String(message).replace(valuesIn, '')
      const codes = [extendedCode, errno, own, /\(errno (\d+)\)/.exec(words)?.[1]].map(String).filter((each) => safeCode.test(each))
      code ??= codes[0]
      // Drivers without codes (D1, sql.js) describe the failure in words. These are matched, and never shown.
      const match = rules.codes.find(([pattern]) => [...codes, words].some((sign) => pattern.test(sign)))
      if (!match) continue
      const [pattern, found, retry, hint] = match
      const kind = found === 'unknown-user' ? violatedReference(purpose) : found
      const names = table && namesIn(cause, rules.names, table, kind === 'unknown-user' ? 'userId' : undefined)
      return new Failure(kind, { code: codes.find((each) => pattern.test(each)) ?? code, hint, ...names }, retry)
    }
  } catch {
    // The properties of this error cannot be read.
  }
  return new Failure('unknown', { code, table: table && getTableName(table) })
}

/** What a foreign key violation is about: an unknown user, rows that still refer to the deleted one, or a column of the app. */
function violatedReference(purpose: Purpose | undefined): FailureKind {
  return purpose === 'write-for-user' ? 'unknown-user' : purpose?.endsWith('delete') ? 'still-referenced' : 'invalid'
}

/** What an operation throws in place of an error. */
export function operationError(operation: string, error: unknown, rules: FailureRules): AdapterOperationError {
  const { kind, details } = toFailure(error, rules)
  return new AdapterOperationError(operation, kind, details)
}

// Drizzle wraps the driver's error, and some drivers wrap the server's.
function* causesOf(error: unknown): Generator<ErrorProperties> {
  let cause = error as ErrorProperties
  for (let depth = 0; depth < 8 && Object(cause) === cause; depth++) {
    yield cause
    cause = cause.cause as ErrorProperties
  }
}

/**
 * The column that an error is about. Only names of the table's own definition are shown: whatever else stands in an error may come from
 * a value.
 */
function namesIn(error: ErrorProperties, patterns: readonly RegExp[], table: Table, known?: string): FailureDetails {
  const message = String(error.message)
  const inMessage = patterns.flatMap((each) => each.exec(message)?.slice(1) ?? [])
  const named = [error.column_name, error.column, error.constraint_name, error.constraint, ...inMessage]
  const names = named.filter((name) => typeof name === 'string').map((name) => name.slice(name.lastIndexOf('.') + 1))
  const columns = getTableColumns(table) as Record<string, Column>
  const unique = Object.values(columns).find(({ isUnique, uniqueName }) => isUnique && names.includes(uniqueName as string))
  const column = known === undefined ? (unique ?? Object.values(columns).find(({ name }) => names.includes(name))) : columns[known]
  return { table: getTableName(table), column: column?.name, constraint: unique?.uniqueName }
}
