import type { Dialect } from './dialect.js'
import type { Row } from './statements.js'

/** For databases whose writes return the rows they wrote. */
export const returning: Pick<Dialect, 'answering' | 'insert' | 'update' | 'remove' | 'deletedBy'> = {
  answering: (query) => query.returning(),
  insert: async (table, values) => first(await table.insert(values)) as Row,
  update: async (table, key, values) => first(await table.update(key, values)),
  remove: async (table, key) => first(await table.delete(key)),
  deletedBy: (answer) => (answer as unknown[]).length,
}

export function first(rows: unknown): Row | null {
  return (rows as Row[])[0] ?? null
}
