import { AdapterOperationError } from 'drizzle-auth-adapter'
import type { DemoAdapter } from './database/store.js'

export interface Operation {
  number: number
  name: string
  at: string
  milliseconds: number
  /** A summary of the result, never a value. */
  result: string
}

type Call = (...parameters: unknown[]) => unknown

const maxOperations = 50

/** Wraps an adapter so that it lists its calls. The operations are plain functions, so they can be spread and overridden. */
export function withOperationLog(adapter: DemoAdapter) {
  const operations: Operation[] = []
  let number = 0

  const wrap =
    (name: string, operation: Call): Call =>
    async (...parameters: unknown[]) => {
      const entry: Operation = { number: ++number, name, at: new Date().toISOString(), milliseconds: 0, result: '…' }
      operations.push(entry)
      if (operations.length > maxOperations) operations.shift()
      const start = performance.now()
      try {
        const value = await operation(...parameters)
        entry.result = Array.isArray(value) ? `${value.length} ${value.length === 1 ? 'row' : 'rows'}` : value ? 'row' : 'nothing'
        return value
      } catch (error) {
        entry.result = error instanceof AdapterOperationError ? error.kind : 'failed'
        throw error
      } finally {
        entry.milliseconds = Number((performance.now() - start).toFixed(1))
      }
    }

  const wrapped = Object.fromEntries(Object.entries(adapter).map(([name, operation]) => [name, wrap(name, operation as Call)]))
  return { adapter: { ...adapter, ...wrapped }, operations }
}
