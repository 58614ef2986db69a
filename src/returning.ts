import type { SQL } from 'drizzle-orm'
import type { Dialect } from './dialect.js'
import { sql } from './drizzle.js'
import type { Row } from './statements.js'

/** For databases whose writes return the rows they wrote. */
export const returning: Pick<Dialect, 'answering' | 'insert' | 'update' | 'remove' | 'deletedBy'> = {
  answering: (query) => query.returning(),
  insert: async (table, values) => first(await table.insert(values)) as Row,
  update: async (table, key, values) => first(await table.update(key, values)),
  remove: async (table, key) => first(await table.delete(key)),
  deletedBy: (answer) => (answer as unknown[]).length,
}

/**
 * Deletes by key what a sub-select picks. The condition is asked again of the row that goes: it may have changed meanwhile.
 * The sub-select is a common table expression, because PostgreSQL may run a plain one more than once, and then delete more than it picked.
 */
export function deletingByKey(locking: SQL): Dialect['deleteFirst'] {
  return (db, table, key, by, condition, limit) => {
    const keys = sql.join(key, sql`, `)
    const picked = sql`select ${keys} from ${table} where ${condition} order by ${by} limit ${sql.raw(`${limit}`)}${locking}`
    const where = sql`(${keys}) in (with picked as (${picked}) select * from picked) and ${condition}`
    return db.delete(table).where(where).returning({ one: sql`1` })
  }
}

export function first(rows: unknown): Row | null {
  return (rows as Row[])[0] ?? null
}
