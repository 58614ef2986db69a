import { Problem } from './command.js'
import type { FailureKind } from './core.js'
import { AdapterOperationError } from './core.js'
import type { Target } from './url.js'

const advice: Partial<Record<FailureKind, string | ((target: Target) => string)>> = {
  // A PostgreSQL server without TLS ends a connection that asks for it.
  unreachable: ({ source, scheme, parameters }) =>
    `The address is in ${source}.${scheme !== 'file' && parameters.has('sslmode') ? ' Does the server have TLS, which sslmode asks for?' : ''}`,
  timeout: 'Is the server reachable from this machine, and not too busy?',
  // MariaDB refuses a connection without TLS like a wrong password.
  login: ({ source, dialect, ssl }) =>
    `They are in ${source}.${dialect === 'mysql' && !ssl ? ' If the server requires TLS, add ?ssl-mode=REQUIRED to the URL.' : ''}`,
  'no-database': ({ source }) => `The name is in ${source}.`,
  'read-only': ({ scheme }) => (scheme === 'file' ? 'May this user write the file and its folder?' : 'Is it a replica? Name the primary.'),
  schema: 'If your tables have other names or columns, pass --schema.',
}

/** A failed operation, with what to do next. */
export function explain(error: unknown, target: Target, own: typeof advice = {}): Error {
  if (!(error instanceof AdapterOperationError)) return error as Error
  const next = own[error.kind] ?? advice[error.kind]
  return next ? new Problem(`${error.message}. ${typeof next === 'string' ? next : next(target)}`) : error
}
