import type { Dialect } from './dialect.js'
import { AdapterOperationError, classify } from './errors.js'

type Operation = (...parameters: never[]) => Promise<unknown>

/** The operations, each with errors that hold no secret. */
export function guarded(operations: Record<string, Operation>, dialect: Dialect): Record<string, Operation> {
  for (const [name, operation] of Object.entries(operations)) {
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
  return operations
}

/** What an operation throws in place of an error of Drizzle's or a driver's. */
export function operationError(operation: string, error: unknown, dialect: Dialect): AdapterOperationError {
  const { kind, ...details } = classify(error, dialect.failures)
  // A broken reference is the user's missing row, unless it is a row of ours which was to go.
  const meant = kind === 'unknown-user' && operation.startsWith('delete') ? 'still-referenced' : kind
  return new AdapterOperationError(operation, meant, details)
}
