import type { Dialect } from './dialect.js'
import { AdapterOperationError, classify, Refusal } from './errors.js'

type Operation = (...parameters: never[]) => Promise<unknown>

/** Adds operations to an adapter, each with errors that hold no secret. */
export function addGuarded(adapter: Record<string, Operation>, operations: Record<string, Operation> | undefined, dialect: Dialect): void {
  for (const name in operations) {
    const operation = operations[name] as Operation
    const fail = async (error: unknown) => {
      throw operationError(name, error, dialect)
    }
    // An async function around another would be a promise more for each call.
    adapter[name] = (...parameters) => {
      try {
        return operation(...parameters).catch(fail)
      } catch (error) {
        return fail(error)
      }
    }
  }
}

/** What an operation throws in place of an error of Drizzle's or a driver's. */
export function operationError(operation: string, error: unknown, dialect: Dialect): AdapterOperationError {
  if (error instanceof Refusal) return new AdapterOperationError(operation, error.kind, { column: error.column })
  const { kind, code } = classify(error, dialect.failures)
  // A broken reference is the user's missing row, unless it is a row of ours which was to go.
  const meant = kind === 'unknown-user' && operation.startsWith('delete') ? 'still-referenced' : kind
  return new AdapterOperationError(operation, meant, { code })
}
