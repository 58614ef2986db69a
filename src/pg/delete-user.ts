import type { SQL } from 'drizzle-orm'
import { deleteInTransaction, deleteOfMissingUser, deleteTogether, invalidateCache } from '../query/delete-user.js'
import type { Selection } from '../query/dialect.js'
import type { Database, Query, Row } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { isTransaction } from '../query/internals.js'

/** Deletes the user and everything that belongs to it: in one statement, or in a transaction where that is not possible. */
export async function deleteUser(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const { table } = user
  // A failed statement would end the app's transaction. A nested transaction is a savepoint.
  if (isTransaction(table.db)) return deleteOneByOne(user, belongings)
  try {
    const build = (db: Database, conditions: readonly (SQL | undefined)[]) => deleteWithBelongings(db, user, belongings, conditions)
    const rows = await deleteTogether(user, belongings, build, table.codec)
    await invalidateCache(user, belongings)
    return table.firstWritten(rows) ?? deleteOfMissingUser(user, belongings)
  } catch (failure) {
    // Some triggers and rules cannot be part of such a statement. It did nothing.
    if (!(failure instanceof Failure && /^(0A000|27000)$/.test(failure.details.code ?? ''))) throw failure
    return deleteOneByOne(user, belongings)
  }
}

/** One statement, so that everything is deleted or nothing. All of its parts see the rows as they were at its start. */
function deleteWithBelongings(
  db: Database,
  { table: users }: Selection,
  belongings: readonly Selection[],
  [isUser, ...areOwned]: readonly (SQL | undefined)[],
): Query {
  const isDeleted = sql`exists (select 1 from deleted_user)`
  const deletedUser = db.$with('deleted_user').as(
    db
      .delete(users.drizzleTable)
      .where(isUser)
      .returning({ one: sql`1`.as('one') }),
  )
  const parts = belongings.map(({ table }, index) =>
    db.$with(`belonging_${index}`).as(db.delete(table.drizzleTable).where(sql`${areOwned[index]} and ${isDeleted}`)),
  )
  return db
    .with(deletedUser, ...parts)
    .select(users.codec.fields)
    .from(users.drizzleTable)
    .where(sql`${isUser} and ${isDeleted}`)
    .$withCache(false)
}

/** The same in several statements, in a transaction or a savepoint. */
async function deleteOneByOne(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const [row] = await user.table.list(user.where)
  if (!row) return deleteOfMissingUser(user, belongings)
  const countDeleted = async (query: Query) => ((await query.returning({ one: sql`1` }).execute()) as unknown[]).length
  return (await deleteInTransaction(user, belongings, countDeleted)) ? row : null
}
