import { deleteInTransaction, deleteOfMissingUser, deleteOrphans, invalidateCache, rowsWereKept, selectKept } from '../query/delete-user.js'
import type { Selection } from '../query/dialect.js'
import type { Database, Row } from '../query/drizzle.js'
import { getTableName, sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { driverOf, isTransaction } from '../query/internals.js'
import { withSafeTransactions } from './libsql.js'

/** Deletes a user and everything that belongs to it: in a transaction if the driver has one that excludes concurrent calls. */
export async function deleteUser(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const { table, where } = user
  const [row] = await table.list(where)
  if (!row) return deleteOfMissingUser(user, belongings)
  const isDeleted = await deleteFound(user, belongings)
  return isDeleted ? row : null
}

async function deleteFound(user: Selection, belongings: readonly Selection[]): Promise<boolean> {
  const { table } = user
  const { db } = table
  if (isTransaction(db) && db.resultKind !== 'sync') return deleteInTransaction(user, belongings)
  if (!canRunTogether(db)) return deleteUserFirst(user, belongings)
  const isDeleted = (await table.runWhole('delete', (inner) => deleteInOrder(inner, user, belongings))) as boolean
  if (isDeleted) await invalidateCache(user, belongings)
  return isDeleted
}

/** Whether the driver runs several statements in a transaction of their own that keeps concurrent calls out. */
function canRunTogether(db: Database): boolean {
  return db.resultKind === 'sync' || /^(LibSQL|SQLiteD1)Session$/.test(String(driverOf(db).kind))
}

/** Deletes what belongs to the user, then the user. Returns whether this call deleted the user. */
async function deleteInOrder(db: Database, user: Selection, belongings: readonly Selection[]): Promise<boolean> {
  const remove = ({ table, where: rows }: Selection) => db.delete(table.drizzleTable).where(rows.withValues()).returning({ one: sql`1` })
  // SQLite has no statement that fails on purpose. This one fails if a trigger has kept a row, and says where.
  const failIfKept = (rows: readonly Selection[], firstPlace: number) =>
    selectKept(db, rows, (place) => sql`json_extract('{}', ${sql.raw(`'auth kept ${firstPlace + place}'`)})`)
  const queries = [
    ...belongings.map(remove),
    ...(belongings.length > 0 ? [failIfKept(belongings, 0)] : []),
    remove(user),
    failIfKept([user], belongings.length),
  ]
  try {
    const results = (
      db.resultKind === 'sync'
        ? db.transaction(() => queries.map((query) => query.prepare().all({})))
        : await withSafeTransactions(db).batch(queries)
    ) as unknown[][]
    return results.at(-2)?.length !== 0
  } catch (error) {
    const kept = keptIn(error)
    if (kept === undefined) throw error
    const rows = belongings[kept]
    if (rows) throw rowsWereKept(rows.table)
    return false
  }
}

/**
 * Deletes the user, then what no foreign key deleted with it. If the process ends in between, the rows that remain sign nobody in, and
 * calling it again deletes them.
 */
async function deleteUserFirst(user: Selection, belongings: readonly Selection[]): Promise<boolean> {
  await checkNotCleared(user, belongings)
  const { count } = await user.table.delete(user.where)
  // A trigger may have kept the user. Then nothing is an orphan.
  await deleteOrphans(user, belongings)
  return count > 0
}

/**
 * Fails if a foreign key would clear the `userId` of rows that belong to the user: nobody could find them again. A statement of its own,
 * because rqlite cannot parse it and then returns no rows from RETURNING.
 */
async function checkNotCleared({ table: users, where }: Selection, belongings: readonly Selection[]): Promise<void> {
  const isCleared = belongings.map(({ table, where: owned }) => {
    const keys = sql`pragma_foreign_keys, pragma_foreign_key_list(${getTableName(table.drizzleTable)})`
    const isClearing = sql`foreign_keys = 1 and "from" = ${table.column('userId').name} and on_delete like 'SET %'`
    return sql`exists (select 1 from ${table.drizzleTable} where ${owned.withValues()} and exists (select 1 from ${keys} where ${isClearing}))`
  })
  const condition = sql`${where.withValues()} and (${sql.join([sql`0`, ...isCleared], sql` or `)})`
  const found = await users.select({ one: sql`1` }, (query) => query.from(users.drizzleTable).where(condition))
  if (found.length > 0) throw new Failure('still-referenced', { table: getTableName(users.drizzleTable) })
}

/** The table whose row a trigger has kept, by its place among those to delete from. In its own message, Drizzle may quote values. */
function keptIn(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const [, index] = /^(?!Failed query).*JSON path.*'auth kept (\d+)'/.exec(error.message) ?? []
  return index === undefined ? keptIn(error.cause) : Number(index)
}
