import { deleteOfMissingUser, deleteOrphans, invalidateCache } from '../query/delete-user.js'
import type { Selection } from '../query/dialect.js'
import type { Database, Row } from '../query/drizzle.js'
import { getTableName, sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { driverOf, isTransaction } from '../query/internals.js'
import { withSafeTransactions } from './libsql.js'

/** Deletes a user and everything that belongs to it: in a transaction if the driver has one that excludes concurrent calls. */
export async function deleteUser(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const { table, where } = user
  if (!canRunTogether(table.db)) return deleteUserFirst(user, belongings)
  const [row] = await table.list(where)
  if (!row) return deleteOfMissingUser(user, belongings)
  const isDeleted = await table.runWhole('delete', (db) => deleteInOrder(db, user, belongings))
  await invalidateCache(user, belongings)
  return isDeleted ? row : null
}

/** Whether the driver runs several statements in a transaction of their own that keeps concurrent calls out. */
function canRunTogether(db: Database): boolean {
  return db.resultKind === 'sync' || (/^(LibSQL|SQLiteD1)Session$/.test(String(driverOf(db).kind)) && !isTransaction(db))
}

/** Deletes what belongs to the user, then the user. Returns whether this call deleted the user. */
async function deleteInOrder(db: Database, { table: users, where }: Selection, belongings: readonly Selection[]): Promise<boolean> {
  const one = { one: sql`1` }
  const queries = [
    ...belongings.map(({ table, where: owned }) => db.delete(table.drizzleTable).where(owned.withValues()).returning(one)),
    db.delete(users.drizzleTable).where(where.withValues()).returning(one),
    // SQLite has no statement that fails on purpose. This one fails if a trigger has kept the user, and names the reason.
    db.select({ kept: sql`json_extract('{}', 'the user was kept')` }).from(users.drizzleTable).where(where.withValues()),
  ]
  try {
    const results = (
      db.resultKind === 'sync'
        ? db.transaction(() => queries.map((query) => query.prepare().all({})))
        : await withSafeTransactions(db).batch(queries)
    ) as unknown[][]
    return results[belongings.length]?.length !== 0
  } catch (error) {
    // In its own message, Drizzle may quote values.
    if (hasMessage(error, /^(?!Failed query).*JSON path.*'the user was kept'/)) return false
    throw error
  }
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
