import type { Column, SQL, Table } from 'drizzle-orm'
import type { RowDialect, SqlDialect, Statements } from './dialect.js'
import type { Row } from './drizzle.js'
import { getTableName, sql } from './drizzle.js'
import { Failure } from './errors.js'

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
    removeAll: (table, where) => deleteCounting(table, table.matches(where)),
    removeSome: (table, where, orderBy, limit) => {
      const keys = table.key.map((name) => table.columns[name] as Column)
      const condition = table.matches(where)
      return deleteCounting(table, isAmongFirst(table.table, keys, condition, table.columns[orderBy] as Column, limit, lockClause))
    },
    selectWithUser: (table, key, users) => table.findWithUser(key, users),
  }
}

async function deleteCounting(table: Statements, condition: SQL): Promise<number> {
  const rows = await table.run('delete', () => table.db.delete(table.table).where(condition).returning({ one: sql`1` }))
  return (rows as unknown[]).length
}

export function firstOf(rows: unknown): Row | null {
  return (rows as Row[])[0] ?? null
}

/**
 * Whether a row is among the first that satisfy the condition. The outer condition is checked again on the row that is deleted, which may
 * have changed meanwhile. The rows are selected in a common table expression, because PostgreSQL may run a plain sub-select more than once
 * and then delete more rows than it selected.
 */
function isAmongFirst(table: Table, key: Column[], condition: SQL, orderBy: Column, limit: number, lockClause: SQL): SQL {
  const keys = sql.join(key, sql`, `)
  const first = sql`select ${keys} from ${table} where ${condition} order by ${orderBy} limit ${sql.raw(`${limit}`)}${lockClause}`
  return sql`(${keys}) in (with first_rows as (${first}) select * from first_rows) and ${condition}`
}
