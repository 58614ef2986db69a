import type { Dialect } from './dialect.js'
import { AdapterOperationError, classify } from './errors.js'

type Operation = (...parameters: never[]) => Promise<unknown>

/** All the operations, each with errors that hold no secret. */
export function guarded(all: (Record<string, Operation> | null | undefined)[], dialect: Dialect): Record<string, Operation> {
  // Adapters are made for single requests, and to spread all into one object would take four times as long.
  const operations: Record<string, Operation> = Object.assign({}, ...all)
  for (const name in operations) operations[name] = guard(name, operations[name] as Operation, dialect)
  return operations
}

function guard(name: string, operation: Operation, dialect: Dialect): Operation {
  const fail = async (error: unknown) => {
    throw operationError(name, error, dialect)
  }
  // An async function around another would be a promise more for each call.
  return (...parameters) => {
    try {
      return operation(...parameters).catch(fail)
    } catch (error) {
      return fail(error)
    }
  }
}

/** What an operation throws in place of an error of Drizzle's or a driver's. */
export function operationError(operation: string, error: unknown, dialect: Dialect): AdapterOperationError {
  const { kind, ...details } = classify(error, dialect.failures)
  // A broken reference is the user's missing row, unless it is a row of ours which was to go.
  const meant = kind === 'unknown-user' && operation.startsWith('delete') ? 'still-referenced' : kind
  return new AdapterOperationError(operation, meant, details)
}
