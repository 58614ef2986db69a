import type { SQL } from 'drizzle-orm'
import { pause } from '../query/connection.js'
import {
  deleteInTransaction,
  deleteOfMissingUser,
  deleteTogether,
  failIfKept,
  invalidateCache,
  rowsWereKept,
} from '../query/delete-user.js'
import type { Selection } from '../query/dialect.js'
import type { Database, Query, Row } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { hasTransactions, isTransaction } from '../query/internals.js'

/** Deletes the user and everything that belongs to it: in one statement, or in a transaction where that is not possible. */
export async function deleteUser(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const { db } = user.table
  // A failed statement would end the app's transaction. A nested transaction is a savepoint.
  if (isTransaction(db)) return deleteOneByOne(user, belongings)
  for (let tries = 1; ; tries++)
    try {
      return await deleteAtOnce(user, belongings)
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure
      const { code = '' } = failure.details
      // A foreign key without CASCADE may report a sign-in that came in between. The next try sees it.
      if (code === '23503' && tries === 1) continue
      // Some triggers and rules cannot be part of such a statement. It did nothing, nor did it if it divided by zero.
      if (!/^(0A000|27000)$/.test(code) && code !== divisionByZero) throw failure
      if (hasTransactions(db)) return deleteOneByOne(user, belongings)
      if (code !== divisionByZero) throw failure
      if (tries === mostTriesAtOnce) throw rowsWereKept(user.table, failure)
      // Sessions of the user may have ended at the same time.
      await pause(Math.random() * 10 * tries)
    }
}

const divisionByZero = '22012'
// For drivers without transactions.
const mostTriesAtOnce = 5

async function deleteAtOnce(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const { table } = user
  const build = (db: Database, conditions: readonly SQL[]) => deleteWithBelongings(db, user, belongings, conditions)
  const rows = (await deleteTogether(user, belongings, build, table.definition)) as unknown[]
  if (rows.length === 0) return deleteOfMissingUser(user, belongings)
  await invalidateCache(user, belongings)
  return table.firstWritten(rows)
}

/**
 * One statement, so that everything is deleted or nothing. All of its parts see the rows as they were at its start. It divides by zero if it
 * deletes fewer rows than the user has: a trigger or a policy may keep some, or another caller was faster.
 */
function deleteWithBelongings(
  db: Database,
  { table: users }: Selection,
  belongings: readonly Selection[],
  [isUser, ...areOwned]: readonly SQL[],
): Query {
  const isDeleted = sql`exists (select 1 from deleted_user)`
  const one = { one: sql`1`.as('one') }
  const deletedUser = db.$with('deleted_user').as(db.delete(users.drizzleTable).where(isUser).returning(one))
  const parts = belongings.map(({ table }, index) =>
    db.$with(`belonging_${index}`).as(db.delete(table.drizzleTable).where(sql`${areOwned[index]} and ${isDeleted}`).returning(one)),
  )
  const areDeleted = belongings.map(({ table }, index) => {
    const deleted = sql.identifier(`belonging_${index}`)
    return sql`(select count(*) from ${table.drizzleTable} where ${areOwned[index]}) = (select count(*) from ${deleted})`
  })
  const isWhole = sql.join([sql`true`, ...areDeleted], sql` and `)
  return db
    .with(deletedUser, ...parts)
    .select(users.definition.fields)
    .from(users.drizzleTable)
    .where(sql`${isUser} and case when ${isDeleted} then 1 / (case when ${isWhole} then 1 else 0 end) = 1 end`)
    .$withCache(false)
}

/** The same in several statements, in a transaction or a savepoint. */
async function deleteOneByOne(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const [row] = await user.table.list(user.where)
  if (!row) return deleteOfMissingUser(user, belongings)
  return (await deleteInTransaction(user, belongings, failIfKept)) ? row : null
}
