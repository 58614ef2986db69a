import type { Selection } from '../query/dialect.js'
import type { Awaitable, Database, Query, Row } from '../query/drizzle.js'
import { getTableName, sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { isTransaction, sessionOf } from '../query/internals.js'
import { removeOrphans } from '../query/remove-user.js'
import { firstOf } from '../query/returning.js'
import { executeTogether, isLibsqlFile } from './libsql.js'

/** Deletes a user and everything that belongs to it: in a transaction if the driver has one that no other call can get into. */
export async function removeUser(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const { statements: users, where } = user
  const runTogether = togetherIn(users.db)
  if (!runTogether) return removeInTurn(user, belongings)
  const [row] = await users.list(where)
  if (!row) return removeOrphans(user, belongings)
  const isDeleted = await users.attempt('delete', async () => {
    try {
      const counts = await runTogether(deletions(user, belongings))
      return counts[belongings.length] !== 0
    } catch (error) {
      // The user is still there: a trigger has kept it without an error.
      if (hasMessage(error, /integer overflow/)) return false
      throw error
    }
  })
  return isDeleted ? row : null
}

/** The statements that delete what belongs to the user, then the user. The last one fails if the user is still there. */
function deletions({ statements: users, where }: Selection, belongings: readonly Selection[]): Query[] {
  const { db } = users
  const one = { one: sql`1` }
  return [
    ...belongings.map(({ statements, where: owned }) => db.delete(statements.table).where(statements.matches(owned)).returning(one)),
    db.delete(users.table).where(users.matches(where)).returning(one),
    // SQLite has no statement that fails on purpose. This overflows.
    db.select({ kept: sql`abs(-9223372036854775807 - 1)` }).from(users.table).where(users.matches(where)),
  ]
}

/**
 * Runs queries in a transaction of their own, and returns the number of rows of each. Absent where the driver has none that keeps
 * concurrent statements out.
 */
function togetherIn(db: Database): ((queries: Query[]) => Awaitable<number[]>) | undefined {
  const count = (results: unknown[]) => results.map((rows) => (rows as unknown[]).length)
  if (db.resultKind === 'sync')
    return (queries) => count(db.transaction(() => queries.map((query) => query.prepare().all({}))) as unknown[])
  if (isLibsqlFile(db)) return (queries) => executeTogether(db, queries)
  if (/^(LibSQL|SQLiteD1)Session$/.test(String(sessionOf(db).kind)) && !isTransaction(db))
    return async (queries) => count(await db.batch(queries))
  return undefined
}

/**
 * Deletes the user, then what no foreign key deleted with it. If the process ends in between, the rows that remain sign nobody in, and
 * calling it again deletes them.
 */
async function removeInTurn(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const { statements: users, where } = user
  await checkNotCleared(user, belongings)
  const row = firstOf(await users.delete(where))
  // A trigger may have kept the user. Then nothing is an orphan.
  await removeOrphans(user, belongings)
  return row
}

/**
 * Fails if a foreign key would clear the `userId` of rows that belong to the user: nobody could find them again. A statement of its own,
 * because rqlite cannot parse it and then returns no rows from RETURNING.
 */
async function checkNotCleared({ statements: users, where }: Selection, belongings: readonly Selection[]): Promise<void> {
  const isCleared = belongings.map(({ statements, where: owned }) => {
    const keys = sql`pragma_foreign_keys, pragma_foreign_key_list(${getTableName(statements.table)})`
    const isClearing = sql`foreign_keys = 1 and "from" = ${statements.columns.userId?.name} and on_delete like 'SET %'`
    return sql`exists (select 1 from ${statements.table} where ${statements.matches(owned)} and exists (select 1 from ${keys} where ${isClearing}))`
  })
  const condition = sql`${users.matches(where)} and (${sql.join([sql`0`, ...isCleared], sql` or `)})`
  const found = await users.run('read', () => users.db.select({ one: sql`1` }).from(users.table).where(condition).$withCache(false))
  if (firstOf(found)) throw new Failure('still-referenced', { table: getTableName(users.table) })
}

/** Whether an error, or one that it wraps, has such a message. */
function hasMessage(error: unknown, pattern: RegExp): boolean {
  return error instanceof Error && (pattern.test(error.message) || hasMessage(error.cause, pattern))
}
