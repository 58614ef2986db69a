import type { FailureKind } from 'drizzle-auth-adapter/internal'
import { AdapterOperationError } from 'drizzle-auth-adapter/internal'
import { withoutHook } from '../doctor/finding.js'
import { Problem } from './command.js'
import type { Target } from './url.js'

const advice: Partial<Record<FailureKind, string | ((target: Target) => string)>> = {
  // A PostgreSQL server without TLS closes the connection if TLS is requested.
  unreachable: ({ source, scheme, parameters }) =>
    `The address is in ${source}.${scheme !== 'file' && parameters.has('sslmode') ? ' Does the server support TLS, which sslmode requires?' : ''}`,
  timeout: 'Check that the server is reachable from this machine and not overloaded.',
  // MariaDB reports a missing TLS connection like a wrong password.
  login: ({ source, dialect, ssl }) =>
    `They are in ${source}.${dialect === 'mysql' && !ssl ? ' If the server requires TLS, add ?ssl-mode=REQUIRED to the URL.' : ''}`,
  'no-database': ({ source }) => `The name is in ${source}.`,
  'read-only': ({ scheme }) =>
    scheme === 'file'
      ? 'Check that this user can write to the file and its folder.'
      : 'If it is a replica, use the address of the primary.',
  schema: 'If your tables have other names or columns, pass --schema.',
}

/** Adds advice to the error of a failed operation. */
export function explain(error: unknown, target: Target, own: typeof advice = {}): Error {
  if (!(error instanceof AdapterOperationError)) return error as Error
  const next = own[error.kind] ?? advice[error.kind]
  return next ? new Problem(`${messageOf(error)}. ${typeof next === 'string' ? next : next(target)}`) : error
}

/** The message of a failed operation, without the advice to use an option of the adapter, which commands do not have. */
export const messageOf = (error: Error) => withoutHook(error.message)
