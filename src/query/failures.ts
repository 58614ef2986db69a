import type { Column, Table } from 'drizzle-orm'
import type { Awaitable } from './awaitable.js'
import { getTableColumns, getTableName } from './drizzle.js'
import type { FailureDetails, FailureKind, OnError, Purpose, Retry } from './errors.js'
import { AdapterConfigError, AdapterOperationError, Failure } from './errors.js'

/**
 * Error codes of one database, or its drivers' messages, with the kind of failure they mean. `reference` is a violated foreign key. The
 * first match counts.
 */
export type FailureCodes = readonly (readonly [
  pattern: RegExp,
  kind: FailureKind | 'reference',
  retry?: Retry | undefined,
  hint?: string | undefined,
])[]

/** How to read the errors of one database. */
export interface FailureRules {
  readonly codes: FailureCodes
  /** Where messages name tables, columns and constraints. */
  readonly names: readonly RegExp[]
  /** The column that the server itself names, which the table's definition may lack. */
  columnIn?(error: ErrorProperties): string | undefined
  /** What an error tells of a violated foreign key: the table and the columns that it belongs to, and its name. */
  referenceIn(error: ErrorProperties): Reference
}

interface Reference {
  table?: string | undefined
  constraint?: string | undefined
  columns?: readonly string[] | undefined
}

/** What drivers report about sockets and HTTP requests. */
export const connectionCodes: FailureCodes = [
  // No connection was made, so nothing was sent.
  [/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT|UND_ERR_CONNECT_TIMEOUT)$/, 'unreachable', 'connected'],
  [/^(ECONN(RESET|ABORTED)|EPIPE|E(HOST|NET)UNREACH|UND_ERR_SOCKET)$/, 'unreachable', 'reads'],
  // `AbortSignal.timeout` gives the last one.
  [/^(ETIMEDOUT|UND_ERR_(HEADERS|BODY)_TIMEOUT)$|aborted due to timeout$/, 'timeout'],
  // Certificates that Node.js does not trust.
  [/^(CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_(VERIFY|GET)\w+|ERR_(TLS|SSL)_\w+)$/, 'tls'],
]

// A code may be shown only if it looks like one: SQLSTATE, errno, a name in capitals.
const safeCode = /^(\d{1,6}|[\dA-Z]{5}|[A-Z]+(_[A-Z\d]+)*)$/

// Databases quote values in messages; Drizzle's own message is the statement with its parameters.
const valuesIn = /^Failed query: .*|(["']).*\1/s

export type ErrorProperties = Record<string, unknown>

/** Classifies an error of Drizzle or a driver. Of the error itself, only its code and names of the schema are shown. */
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
      const [pattern, kind, retry, hint] = match
      const details: FailureDetails = { code: codes.find((each) => pattern.test(each)) ?? code, hint: hint ?? addressOf(cause) }
      if (kind === 'reference') return violatedReference(rules.referenceIn(cause), details, table, purpose, error)
      return new Failure(kind, { ...details, ...(table && namesIn(cause, rules, table)) }, { cause: error, retry })
    }
  } catch {
    // The properties of this error cannot be read.
  }
  return new Failure('unknown', { code, table: table && getTableName(table) }, { cause: error })
}

/** On delete, other rows refer to this one. On write, the row that a column refers to does not exist. */
function violatedReference(
  reference: Reference,
  details: FailureDetails,
  table: Table | undefined,
  purpose: Purpose | undefined,
  cause: unknown,
): Failure {
  const { constraint } = reference
  const name = table && getTableName(table)
  if (purpose?.endsWith('delete')) {
    const hint = reference.table === undefined ? undefined : `the table ${reference.table} refers to it`
    return new Failure('still-referenced', { ...details, table: name, constraint, hint }, { cause })
  }
  const columns = Object.values(table ? (getTableColumns(table) as Record<string, Column>) : {})
  const column = columns.find((each) => reference.columns?.includes(each.name))?.name
  const hint = 'the row that its foreign key refers to does not exist'
  return new Failure('invalid', { ...details, table: name, column, constraint, hint }, { cause, isReference: true })
}

/** Returns the error that an operation throws in place of the original one. Calls `onError` with both. */
export function operationError(operation: string, error: unknown, rules: FailureRules, onError?: OnError): AdapterOperationError {
  const failure = toFailure(error, rules)
  const thrown = new AdapterOperationError(operation, failure.kind, failure.details)
  report(onError, thrown, withoutDrizzle(failure.cause ?? failure))
  return thrown
}

/** Calls the app's own hook, which may be async. An error in it must not hide the original failure. */
async function report(onError: OnError | undefined, thrown: Parameters<OnError>[0], cause: unknown): Promise<void> {
  try {
    await onError?.(thrown, cause)
  } catch {
    // Ignored, as the documentation of the option says.
  }
}

type Operation = (...parameters: never[]) => Awaitable<unknown>

/** The operations, with errors that hold no value. */
export function redactErrors<Operations extends Record<string, Operation>>(
  operations: Operations,
  { failures }: { failures: FailureRules },
  onError?: OnError,
): Operations {
  const redacted: Record<string, Operation> = {}
  for (const [name, operation] of Object.entries(operations))
    redacted[name] = async (...parameters) => {
      try {
        return await operation(...parameters)
      } catch (error) {
        if (!(error instanceof AdapterConfigError)) throw operationError(name, error, failures, onError)
        // It contains no values.
        report(onError, error, error)
        throw error
      }
    }
  return redacted as Operations
}

/** The driver's error, out of the one that Drizzle wraps it in. */
function withoutDrizzle(error: unknown): unknown {
  return error instanceof Error && error.message.startsWith('Failed query:') && error.cause ? error.cause : error
}

// Drizzle wraps the driver's error, and some drivers wrap the server's. Node.js collects those of all addresses of a host.
function* causesOf(error: unknown): Generator<ErrorProperties> {
  let cause = error as ErrorProperties
  for (let depth = 0; depth < 8 && Object(cause) === cause; depth++) {
    yield cause
    cause = (cause.cause ?? (Array.isArray(cause.errors) ? cause.errors[0] : undefined)) as ErrorProperties
  }
}

/** What to check about a connection that was not made, with its host and port. */
function addressOf(error: ErrorProperties): string | undefined {
  const { address, hostname, port } = (Array.isArray(error.errors) ? error.errors[0] : error) as ErrorProperties
  const host = address ?? hostname
  if (typeof host !== 'string' || !/^[\w.:/-]+$/.test(host)) return undefined
  return `no server answers at ${host}${Number.isInteger(port) ? ` port ${port}` : ''}. Is it running, and are host and port right?`
}

/**
 * The column that an error is about. Only names of the table's own definition are shown, or of the server's: whatever else stands in an
 * error may come from a value.
 */
function namesIn(error: ErrorProperties, { names: patterns, columnIn }: FailureRules, table: Table): FailureDetails {
  const message = String(error.message)
  const inMessage = patterns.flatMap((each) => each.exec(message)?.slice(1) ?? [])
  const named = [error.column_name, error.column, error.constraint_name, error.constraint, ...inMessage]
  const names = named.filter((name) => typeof name === 'string').map((name) => name.slice(name.lastIndexOf('.') + 1))
  const tableName = getTableName(table)
  const columns = Object.values(getTableColumns(table) as Record<string, Column>)
  // Drizzle 1.0 leaves the name of a constraint to drizzle-kit, which gives it one of these.
  const constraintOf = ({ name, uniqueName }: Column) =>
    [uniqueName, `${tableName}_${name}_unique`, `${tableName}_${name}_key`, `${name}_unique`].find((each) => each && names.includes(each))
  const unique = columns.find((column) => column.isUnique && constraintOf(column))
  const column = unique ?? columns.find(({ name }) => names.includes(name))
  return { table: tableName, column: column?.name ?? columnIn?.(error), constraint: unique && constraintOf(unique) }
}
