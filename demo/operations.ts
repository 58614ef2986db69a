import { AdapterOperationError } from 'drizzle-auth-adapter'

export interface Operation {
  number: number
  name: string
  at: string
  milliseconds: number
  /** A summary of the result, never a value. */
  result: string
}

type Call = (...parameters: never[]) => unknown

const maxOperations = 50

/** A log of calls to an adapter. */
export function openOperationLog() {
  const operations: Operation[] = []
  let number = 0

  async function record<Result>(name: string, operation: () => Result): Promise<Awaited<Result>> {
    const entry: Operation = { number: ++number, name, at: new Date().toISOString(), milliseconds: 0, result: '…' }
    operations.push(entry)
    if (operations.length > maxOperations) operations.shift()
    const start = performance.now()
    try {
      const value = await operation()
      entry.result = summaryOf(value)
      return value
    } catch (error) {
      entry.result = error instanceof AdapterOperationError ? error.kind : 'failed'
      throw error
    } finally {
      entry.milliseconds = Number((performance.now() - start).toFixed(1))
    }
  }

  return { operations, record }
}

const rows = (count: number) => `${count} ${count === 1 ? 'row' : 'rows'}`

function summaryOf(value: unknown): string {
  if (Array.isArray(value)) return rows(value.length)
  if (typeof value === 'number') return rows(value)
  return value ? 'row' : 'nothing'
}

/** Wraps an adapter so that it lists its calls. The operations are plain functions, so they can be spread and overridden. */
export function withOperationLog<Adapter extends object>(adapter: Adapter) {
  const { operations, record } = openOperationLog()
  const wrapped = Object.entries(adapter).map(([name, operation]) => [
    name,
    (...parameters: never[]) => record(name, () => (operation as Call)(...parameters)),
  ])
  return { adapter: { ...adapter, ...(Object.fromEntries(wrapped) as Adapter) }, operations }
}
