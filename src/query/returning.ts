import type { Column, SQL, Table } from 'drizzle-orm'
import type { Row, Selection, SqlDialect, TableStatements, Values, Writes } from './dialect.js'
import { sql } from './drizzle.js'

/** For databases whose writes return the rows they wrote. */
export const withReturning: SqlDialect['withReturning'] = (query, fields) => query.returning(fields)

/** Writes for databases with RETURNING. `lockClause` is for selecting rows that are to be deleted. */
export function returningWrites(lockClause: SQL): Omit<Writes, 'removeUser'> {
  return {
    insert: async (table, values) => firstOf(await table.insert(values)) as Row,
    update: async (table, key, values) => firstOf(await table.update(key, values)),
    change: async (table, where, values) => firstOf(await table.update(where, values)) !== null,
    remove: async (table, key) => firstOf(await table.delete(key)),
    deleteEvery: deleteCounting,
    deleteSome: (table, condition, orderBy, limit) => {
      const keys = table.key.map((name) => table.columns[name] as Column)
      return deleteCounting(table, isAmongFirst(table.table, keys, condition, orderBy, limit, lockClause))
    },
  }
}

async function deleteCounting(table: TableStatements, condition: SQL): Promise<number> {
  const rows = await table.run('delete', () => table.db.delete(table.table).where(condition).returning({ one: sql`1` }))
  return (rows as unknown[]).length
}

/**
 * Deletes the user, then what no foreign key deleted with it. Without a deleted user it may be gone already, or a trigger or a policy kept
 * it without an error: then only rows without a user are deleted. If the process ends in between, the rows that remain sign nobody in, and
 * calling it again deletes them.
 */
export async function removeUserInTurn(
  writes: Pick<Writes, 'remove'>,
  users: TableStatements,
  key: Values,
  belongings: readonly Selection[],
): Promise<Row | null> {
  const user = await writes.remove(users, key)
  // One after the other: some drivers take no second statement while one runs on the connection.
  for (const [table, where] of belongings) await (user ? table.deleteAll(where) : table.deleteOrphans(where, users))
  return user
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
