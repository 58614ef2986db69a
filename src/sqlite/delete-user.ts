import type { Awaitable } from '../query/awaitable.js'
import { deleteOfMissingUser, deleteOrphans, invalidateCache } from '../query/delete-user.js'
import type { Selection } from '../query/dialect.js'
import type { Database, Query, Row } from '../query/drizzle.js'
import { getTableName, sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { driverOf, isTransaction } from '../query/internals.js'
import { fileClientOf } from './libsql.js'

/** Deletes a user and everything that belongs to it: in a transaction if the driver has one that excludes concurrent calls. */
export async function deleteUser(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const { table, where } = user
  const runTogether = togetherIn(table.db)
  if (!runTogether) return deleteUserFirst(user, belongings)
  const [row] = await table.list(where)
  if (!row) return deleteOfMissingUser(user, belongings)
  const isDeleted = await table.attempt('delete', async (db) => {
    try {
      const counts = await runTogether(deletions(db, user, belongings))
      return counts[belongings.length] !== 0
    } catch (error) {
      // The user is still there: a trigger has kept it without an error.
      if (hasMessage(error, /integer overflow/)) return false
      throw error
    }
  })
  await invalidateCache(user, belongings)
  return isDeleted ? row : null
}

/** The statements that delete what belongs to the user, then the user. The last one fails if the user is still there. */
function deletions(db: Database, { table: users, where }: Selection, belongings: readonly Selection[]): Query[] {
  const one = { one: sql`1` }
  return [
    ...belongings.map(({ table, where: owned }) => db.delete(table.drizzleTable).where(owned.withValues()).returning(one)),
    db.delete(users.drizzleTable).where(where.withValues()).returning(one),
    // SQLite has no statement that fails on purpose. This overflows.
    db.select({ kept: sql`abs(-9223372036854775807 - 1)` }).from(users.drizzleTable).where(where.withValues()),
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
  const fileClient = fileClientOf(db)
  if (fileClient) return async (queries) => count((await fileClient.executeAll(queries.map(statementOf))).map(({ rows }) => rows))
  if (/^(LibSQL|SQLiteD1)Session$/.test(String(driverOf(db).kind)) && !isTransaction(db))
    return async (queries) => count(await db.batch(queries))
  return undefined
}

/** The statement of a query that contains its values, for a client of libSQL. */
function statementOf(query: Query) {
  const { sql: text, params } = query.toSQL()
  return { sql: text, args: params }
}

/**
 * Deletes the user, then what no foreign key deleted with it. If the process ends in between, the rows that remain sign nobody in, and
 * calling it again deletes them.
 */
async function deleteUserFirst(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const { table, where } = user
  await checkNotCleared(user, belongings)
  const { row } = await table.delete(where, { returning: true })
  if (!row) return deleteOfMissingUser(user, belongings)
  // A trigger may have kept the user. Then nothing is an orphan.
  await deleteOrphans(user, belongings)
  return row
}

/**
 * Fails if a foreign key would clear the `userId` of rows that belong to the user: nobody could find them again. A statement of its own,
 * because rqlite cannot parse it and then returns no rows from RETURNING.
 */
async function checkNotCleared({ table: users, where }: Selection, belongings: readonly Selection[]): Promise<void> {
  const isCleared = belongings.map(({ table, where: owned }) => {
    const keys = sql`pragma_foreign_keys, pragma_foreign_key_list(${getTableName(table.drizzleTable)})`
    const isClearing = sql`foreign_keys = 1 and "from" = ${table.columns.userId?.name} and on_delete like 'SET %'`
    return sql`exists (select 1 from ${table.drizzleTable} where ${owned.withValues()} and exists (select 1 from ${keys} where ${isClearing}))`
  })
  const condition = sql`${where.withValues()} and (${sql.join([sql`0`, ...isCleared], sql` or `)})`
  const found = await users.select({ one: sql`1` }, (query) => query.from(users.drizzleTable).where(condition))
  if (found.length > 0) throw new Failure('still-referenced', { table: getTableName(users.drizzleTable) })
}

/** Whether an error, or one that it wraps, has such a message. */
function hasMessage(error: unknown, pattern: RegExp): boolean {
  return error instanceof Error && (pattern.test(error.message) || hasMessage(error.cause, pattern))
}
