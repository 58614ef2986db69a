import type { Column, Table } from 'drizzle-orm'
import { getTableColumns, getTableName } from './drizzle.js'
import type { FailureDetails, FailureKind, OnError, Purpose, Retry } from './errors.js'
import { AdapterConfigError, AdapterOperationError, Failure, ViolatedReference } from './errors.js'

/** The meaning of error codes and of drivers' messages. The first match counts. `reference` is a violated foreign key. */
export type FailureCodes = readonly (readonly [
  pattern: RegExp,
  kind: FailureKind | 'reference',
  more?: { readonly retry?: Retry; readonly hint?: string },
])[]

/** How to read the errors of one database. */
export interface FailureRules {
  readonly codes: FailureCodes
  /** The codes of errors after which the database has rolled back the transaction, and would run later statements outside of it. */
  readonly endTransaction?: RegExp
  /** Finds the names of columns and constraints in an error. */
  namesIn(error: ErrorProperties): Names
}

type ErrorProperties = Readonly<Record<string, unknown>>

/** The names of the schema in an error. */
interface Names {
  /** Columns, constraints or values. Only names that occur in the definition of the table are shown. */
  readonly possible: readonly unknown[]
  /** A name that is certainly a column, even if the definition of the table lacks it. */
  readonly column?: unknown
  /** A name that is certainly a foreign key, and the table that it belongs to. */
  readonly constraint?: unknown
  readonly table?: unknown
}

/** What drivers report about sockets and HTTP requests, on every database. */
const connectionCodes: FailureCodes = [
  // No connection was made, so nothing was sent.
  [/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT|UND_ERR_CONNECT_TIMEOUT)$/, 'unreachable', { retry: 'connected' }],
  [/^(ECONN(RESET|ABORTED)|EPIPE|E(HOST|NET)UNREACH|UND_ERR_SOCKET)$/, 'unreachable', { retry: 'reads' }],
  [/^(ETIMEDOUT|UND_ERR_(HEADERS|BODY)_TIMEOUT)$|aborted due to timeout$/, 'timeout'], // The message is that of `AbortSignal.timeout`.
  [/^(CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_(VERIFY|GET)\w+|ERR_(TLS|SSL)_\w+)$/, 'tls'], // Untrusted certificates.
]

// A code may be shown only if it looks like one: SQLSTATE, errno, a name in capitals.
const safeCode = /^(\d{1,6}|[\dA-Z]{5}|[A-Z]+(_[A-Z\d]+)*)$/

// Databases quote values in messages; Drizzle's own message is the statement with its parameters.
const valuesIn = /^Failed query: .*|(["']).*\1/s

/** Classifies an error of Drizzle or a driver. Of the error itself, only its code and names of the schema are shown. */
export function toFailure(error: unknown, rules: FailureRules, table?: Table, purpose?: Purpose): Failure {
  let firstCode: string | undefined
  for (const cause of causesOf(error)) {
    if (cause instanceof Failure) return cause
    const { extendedCode, errcode, errno, code, message } = cause
    const words = String(message).replace(valuesIn, '')
    const codes = [extendedCode, errcode, errno, code, /\(errno (\d+)\)/.exec(words)?.[1]].map(String).filter((each) => safeCode.test(each))
    firstCode ??= codes[0]
    // Drivers without codes (D1, sql.js) describe the failure in words. These are matched, and never shown.
    const match = [...rules.codes, ...connectionCodes].find(([pattern]) => [...codes, words].some((sign) => pattern.test(sign)))
    if (!match) continue
    const [pattern, kind, { retry, hint = addressOf(cause) } = {}] = match
    const names = rules.namesIn(cause)
    // The database has executed the write, and the driver cannot read the row that it returned.
    const isWritten = (kind === 'garbled' && purpose !== undefined && purpose !== 'read') || undefined
    const details = { ...placeOf(names, table), code: codes.find((each) => pattern.test(each)) ?? firstCode, hint, isWritten }
    // After a DELETE, other rows refer to this one. After other writes, the referenced row does not exist.
    if (kind === 'still-referenced' || (kind === 'reference' && purpose === 'delete')) {
      const referring = names.table ? `the table ${names.table} refers to it` : undefined
      return new Failure('still-referenced', { ...details, column: undefined, hint: referring }, { cause: error })
    }
    if (kind === 'reference') return new ViolatedReference(details, { cause: error })
    return new Failure(kind, details, { cause: error }, retry)
  }
  return new Failure('unknown', { code: firstCode, table: table && getTableName(table) }, { cause: error })
}

/** The table, column and constraint of an error, by their names in the database. */
function placeOf({ possible, column, constraint }: Names, table: Table | undefined): FailureDetails {
  if (!table) return { constraint: constraint as string | undefined }
  const tableName = getTableName(table)
  const columns = Object.values(getTableColumns(table) as Record<string, Column>)
  const given = possible.filter((name) => typeof name === 'string')
  const names = given.map((name) => name.slice(name.lastIndexOf('.') + 1))
  // In Drizzle 1.0, drizzle-kit chooses the name of a constraint. It is one of these.
  const constraintOf = ({ name, isUnique, uniqueName }: Column) =>
    [uniqueName, `${tableName}_${name}_unique`, `${tableName}_${name}_key`, `${name}_unique`].find(
      (each) => isUnique && each && names.includes(each),
    )
  const unique = columns.find(constraintOf)
  // The name of a column can contain a dot, too.
  const named = unique ?? [given, names].map((each) => columns.find(({ name }) => each.includes(name))).find(Boolean)
  const found = { table: tableName, column: named?.name ?? column, constraint: unique ? constraintOf(unique) : constraint }
  return found as FailureDetails
}

/** An error and its causes. Drizzle wraps errors of drivers, and some drivers wrap those of the server, or of each address of a host. */
function causesOf(error: unknown, depth = 0): ErrorProperties[] {
  // An error can be its own cause.
  if (Object(error) !== error || depth === 8) return []
  const cause = error as ErrorProperties
  return [cause, ...causesOf(cause.cause ?? (cause.errors as unknown[] | undefined)?.[0], depth + 1)]
}

/** A hint for a connection that failed, with its host and port. */
function addressOf(error: ErrorProperties): string | undefined {
  const { code, hostname, address = hostname, port } = (error.errors as ErrorProperties[] | undefined)?.[0] ?? error
  if (typeof address !== 'string' || !/^[\w.:/-]+$/.test(address)) return undefined
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the host ${address} cannot be resolved. Is its name right, and does DNS work?`
  return `no server answers at ${address}${Number.isInteger(port) ? ` port ${port}` : ''}. Is it running, and are host and port right?`
}

/** Returns the error that an operation throws in place of the original one. Calls `onError` with both. */
export function operationError(operation: string, error: unknown, rules: FailureRules, onError?: OnError): AdapterOperationError {
  const failure = toFailure(error, rules)
  const thrown = new AdapterOperationError(operation, failure.kind, failure.details)
  const { cause = failure } = failure
  // Drizzle wraps the driver's error.
  const isDrizzle = cause instanceof Error && cause.message.startsWith('Failed query:')
  report(onError, thrown, (isDrizzle && cause.cause) || cause)
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

type Operation = (...parameters: never[]) => Promise<unknown>

/** Wraps operations so that their errors contain no values. */
export function redactErrors<T extends Record<string, Operation>>(operations: T, rules: FailureRules, onError?: OnError): T {
  const redacted: Record<string, Operation> = {}
  for (const [name, operation] of Object.entries(operations))
    redacted[name] = async (...parameters) => {
      try {
        return await operation(...parameters)
      } catch (error) {
        if (!(error instanceof AdapterConfigError)) throw operationError(name, error, rules, onError)
        // It contains no values.
        report(onError, error, error)
        throw error
      }
    }
  return redacted as T
}
