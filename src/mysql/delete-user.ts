import type { SQL } from 'drizzle-orm'
import { deleteInTransaction, deleteOfMissingUser, deleteTogether } from '../query/delete-user.js'
import type { Selection } from '../query/dialect.js'
import type { Database, Query, Row } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { headerOf } from './writes.js'

/** Deletes the user and everything that belongs to it in one statement, or in a transaction where a trigger forbids that. */
export async function deleteUser(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const { table, where } = user
  const [row] = await table.list(where, { forUpdate: true })
  if (!row) return deleteOfMissingUser(user, belongings)
  try {
    const result = await deleteTogether(user, belongings, (db, conditions) => deleteWithBelongings(db, user, belongings, conditions))
    return headerOf(result).affectedRows > 0 ? row : null
  } catch (failure) {
    // Some triggers, and sql_safe_updates on MariaDB, do not allow such a statement. It did nothing. In the transaction, nothing is checked for
    // rows that were kept: triggers of MySQL cannot skip a row, and its snapshot may show rows that are gone.
    if (!(failure instanceof Failure && /^(1442|1175)$/.test(failure.details.code ?? ''))) throw failure
    return (await deleteInTransaction(user, belongings)) ? row : null
  }
}

/**
 * A DELETE that removes a user and what belongs to it. Each table is joined to a row of its own, so that the rows of one are not combined
 * with those of another. InnoDB checks foreign keys row by row, and deletes rows in the order of the join: what belongs to the user comes
 * first, and `straight_join` keeps the user last.
 */
function deleteWithBelongings(
  db: Database,
  { table: { drizzleTable: users } }: Selection,
  belongings: readonly Selection[],
  [isUser, ...areOwned]: readonly SQL[],
): Query {
  const names = belongings.flatMap(({ table }) => [table.drizzleTable, sql`, `])
  // There may be no belongings: an id can be longer than any `userId`.
  const parts = sql.join(
    Array.from({ length: belongings.length || 1 }, (_, part) => sql.raw(`select ${part} as auth_part`)),
    sql` union all `,
  )
  const joins = belongings.map(
    ({ table }, part) => sql` left join ${table.drizzleTable} on auth_part = ${sql.raw(`${part}`)} and ${areOwned[part]}`,
  )
  // Drizzle tells its cache of tables that are direct parts of the statement, so `invalidateCache` is not needed.
  return db.delete(sql.join([...names, users, sql` using (${parts}) as auth_parts`, ...joins, sql` straight_join ${users} on ${isUser}`]))
}
