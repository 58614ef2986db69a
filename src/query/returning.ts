import type { Column, SQL } from 'drizzle-orm'
import type { Condition } from './conditions.js'
import type { RowDialect, SqlDialect, Statements } from './dialect.js'
import type { Awaitable, Row } from './drizzle.js'
import { getTableName, sql } from './drizzle.js'
import { Failure } from './errors.js'
import { isAmongFirst } from './statements.js'

/** For databases whose writes return the rows they wrote. */
export const withReturning: SqlDialect['withReturning'] = (query, fields) => query.returning(fields)

/** RowDialect for databases with RETURNING. `lockClause` is for selecting rows that are to be deleted. */
export function returningRows(lockClause: SQL): Omit<RowDialect, 'removeUser'> {
  return {
    async insert(table, values) {
      const row = firstOf(await table.insert(values))
      if (row) return row
      const hint = 'it returned no new row, perhaps because a trigger or a rule skipped the insert'
      throw new Failure('unknown', { table: getTableName(table.table), hint })
    },
    update: async (table, where, values) => firstOf(await table.update(where, values)),
    change: async (table, where, values) => firstOf(await table.update(where, values)) !== null,
    remove: async (table, where) => firstOf(await table.delete(where)),
    updateOne: (table, where, values) => untilNoneMatches(table, where, () => table.update(where, values, 'first')),
    updateAll: async (table, where, values) => ((await table.update(where, values)) as Row[]).length,
    removeOne: (table, where) => untilNoneMatches(table, where, () => table.delete(where, 'first')),
    removeAll: (table, where) => deleteCounting(table, table.matches(where)),
    removeSome: (table, where, orderBy, limit) => {
      const keys = table.key.map((name) => table.columns[name] as Column)
      const isFirst = isAmongFirst(table.table, keys, () => table.matches(where), table.columns[orderBy] as Column, limit, lockClause)
      return deleteCounting(table, isFirst)
    },
    selectWith: (table, key, other, join) => table.findWith(key, other, join),
  }
}

async function deleteCounting(table: Statements, condition: SQL): Promise<number> {
  const rows = await table.run('delete', () => table.db.delete(table.table).where(condition).returning({ one: sql`1` }))
  return (rows as unknown[]).length
}

// Nobody loses that many rows to others. Then a trigger or a policy skips the write.
const mostTries = 200

/** Writes to the first row that satisfies the condition. If another caller was faster, the next one is tried. */
async function untilNoneMatches(table: Statements, where: Condition, write: () => Awaitable<unknown>): Promise<Row | null> {
  for (let tries = 0; tries < mostTries; tries++) {
    const row = firstOf(await write())
    if (row || table.uniqueKeyIn(where) || (await table.list(where, { limit: 1 })).length === 0) return row
  }
  const hint = 'it wrote to no row although some match, perhaps because a trigger, a rule or a policy skipped the write'
  throw new Failure('unknown', { table: getTableName(table.table), hint })
}

export function firstOf(rows: unknown): Row | null {
  return (rows as Row[])[0] ?? null
}
