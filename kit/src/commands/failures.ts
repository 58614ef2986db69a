import type { FailureKind } from 'drizzle-auth-adapter/internal'
import { AdapterOperationError } from 'drizzle-auth-adapter/internal'
import { withoutHook } from '../doctor/finding.js'
import { Problem } from './command.js'
import type { Target } from './drivers.js'

const advice: Partial<Record<FailureKind, string | ((target: Target) => string)>> = {
  unreachable: ({ source }) => `The address is in ${source}.`,
  timeout: 'Check that the server is reachable from this machine and not overloaded.',
  login: ({ source }) => `They are in ${source}.`,
  tls: ({ source }) => `The settings are in ${source}.`,
  'no-database': ({ source }) => `The name is in ${source}.`,
  'read-only':
    'If it is a replica, use the address of the primary. If it is a file, check that this user can write to it and to its folder.',
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
