import type { SQL } from 'drizzle-orm'
import type { Where } from './conditions.js'
import type { Dialect } from './dialect.js'
import type { Row } from './drizzle.js'
import { Failure } from './errors.js'
import { untilWritten } from './races.js'
import type { StoredTable, WriteOptions, Written } from './stored-table.js'

type Writes = Pick<Dialect, 'insert' | 'updateOne' | 'deleteOne' | 'deleteFirst'>

/** The writes of databases with RETURNING. `lockClause` is for selecting rows that are to be deleted. */
export function returningWrites(lockClause: SQL): Writes {
  return {
    async insert(table, values) {
      const row = table.firstWritten(await table.insert(values))
      if (row) return row
      const hint = 'it returned no new row, perhaps because a trigger or a rule skipped the insert'
      throw new Failure('unknown', { table: table.name, hint })
    },

    updateOne: (table, where, values) => writeFirstMatch(table, where, (options) => table.update(where, values, options)),
    deleteOne: (table, where) => writeFirstMatch(table, where, (options) => table.delete(where, options)),
    deleteFirst: async (table, where, first) => (await table.delete(where, { first, lockClause })).count,
  }
}

/**
 * Writes to the first row that satisfies the condition. If nothing was written, the row is read: another caller may have been faster, so that
 * the next one is tried, or a trigger or a policy keeps a row from being written, which must not look like no row.
 */
function writeFirstMatch(table: StoredTable, where: Where, write: (options: WriteOptions) => Promise<Written>): Promise<Row | null> {
  const first = table.uniqueKeyIn(where) ? {} : { first: { orderBy: table.key[0] as string, limit: 1 } }
  return untilWritten(table, where, async () => {
    const { row } = await write({ returning: true, ...first })
    return row || (await table.list(where, { limit: 1 })).length === 0 ? row : undefined
  })
}
