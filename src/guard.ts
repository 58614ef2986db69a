import type { Dialect } from './dialect.js'
import { AdapterOperationError, classify } from './errors.js'

type Operation = (...parameters: never[]) => Promise<unknown>

/** All the operations, each with errors that hold no secret. */
export function guarded(all: (Record<string, Operation> | null | undefined)[], dialect: Dialect): Record<string, Operation> {
  const operations: Record<string, Operation> = {}
  for (const some of all) {
    // Adapters are made for single requests, and this way of going through objects and adding to one is the fastest.
    for (const name in some) {
      const operation = some[name] as Operation
      const fail = async (error: unknown) => {
        throw operationError(name, error, dialect)
      }
      // An async function around another would be a promise more for each call.
      operations[name] = (...parameters) => {
        try {
          return operation(...parameters).catch(fail)
        } catch (error) {
          return fail(error)
        }
      }
    }
  }
  return operations
}

/** What an operation throws in place of an error of Drizzle's or a driver's. */
export function operationError(operation: string, error: unknown, dialect: Dialect): AdapterOperationError {
  const { kind, ...details } = classify(error, dialect.failures)
  // A broken reference is the user's missing row, unless it is a row of ours which was to go.
  const meant = kind === 'unknown-user' && operation.startsWith('delete') ? 'still-referenced' : kind
  return new AdapterOperationError(operation, meant, details)
}
