import type { SQL } from 'drizzle-orm'
import type { Where } from './conditions.js'
import type { Dialect } from './dialect.js'
import { sql } from './drizzle.js'
import { Failure } from './errors.js'
import type { StoredTable, WriteOptions } from './stored-table.js'

/** The writes of databases with RETURNING. `lock` is the beginning of the clause that locks selected rows. */
export function returningWrites(lock?: SQL): Pick<Dialect, 'insert' | 'updateOne' | 'deleteOne' | 'deleteFirst'> {
  // A caller waits for the lock on the first row, and gets the next one if another caller was faster.
  const ofOne = (table: StoredTable, where: Where): WriteOptions => {
    return { returning: true, ...(!table.uniqueKeyIn(where) && { first: { orderBy: table.key[0] as string, limit: 1, lock } }) }
  }
  return {
    async insert(table, values) {
      const row = table.firstWritten(await table.insert(values))
      if (!row) throw new Failure('unknown', { table: table.name, hint: 'the database returned no new row' })
      return row
    },
    updateOne: async (table, where, values) => (await table.update(where, values, ofOne(table, where))).row,
    deleteOne: async (table, where) => (await table.delete(where, ofOne(table, where))).row,
    // Concurrent sweeps skip rows that another one has locked.
    deleteFirst: async (table, where, first) =>
      (await table.delete(where, { first: { ...first, lock: lock && sql`${lock} skip locked` } })).count,
  }
}
