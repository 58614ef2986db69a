import type { SQL } from 'drizzle-orm'
import type { BuildTogether } from '../query/delete-user.js'
import {
  deleteInTransaction,
  deleteOfMissingUser,
  deleteOrphans,
  failIfKept,
  invalidateCache,
  rowsWereKept,
  selectKept,
  together,
} from '../query/delete-user.js'
import type { Selection } from '../query/dialect.js'
import type { Database, Row } from '../query/drizzle.js'
import { getTableName, sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { driverOf, isTransaction } from '../query/internals.js'
import type { StoredTable } from '../query/stored-table.js'
import { oneEach } from '../query/stored-table.js'
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
  if (isTransaction(db) && db.resultKind !== 'sync') return deleteInTransaction(user, belongings, failIfKept)
  if (!canRunTogether(db)) return deleteUserFirst(user, belongings)
  const isDeleted = (await table.runWhole('delete', (inner, key) => deleteInOrder(inner, key, user, belongings))) as boolean
  if (isDeleted) await invalidateCache(user, belongings)
  return isDeleted
}

/** Whether the driver runs several statements in a transaction of their own that keeps concurrent calls out. */
function canRunTogether(db: Database): boolean {
  return db.resultKind === 'sync' || /^(LibSQL|SQLiteD1)Session$/.test(String(driverOf(db).kind))
}

/** Deletes what belongs to the user, then the user. Returns whether this call deleted the user. */
async function deleteInOrder(db: Database, sessionKey: object, user: Selection, belongings: readonly Selection[]): Promise<boolean> {
  const all = [...belongings, user]
  const builds = buildsInOrder(user, belongings)
  // A driver that answers at once can run what was prepared before. A batch takes queries with their values.
  const run = (build: BuildTogether, place: number) => {
    const { id, ...call } = together(`delete ${place}`, all, build)
    return user.table.definition.statements.get(id, 'delete', oneEach).run(db, sessionKey, call)
  }
  const conditions = all.map(({ where }) => where.withValues())
  try {
    // Where `db` is a transaction of a driver that answers at once, it has ended by now, and its own would be a savepoint: the session's is not.
    const results = (
      db.resultKind === 'sync'
        ? (db.session as Database).transaction(() => builds.map(run))
        : await withSafeTransactions(db).batch(builds.map((build) => build(db, conditions)))
    ) as unknown[][]
    // Of the user's deletion. Without a row, another caller was faster.
    return results.at(-2)?.length !== 0
  } catch (error) {
    const kept = keptIn(error)
    if (kept === undefined) throw error
    const rows = belongings[kept]
    if (rows) throw rowsWereKept(rows.table)
    return false
  }
}

/** The statements in their order. The user's condition comes last. */
function buildsInOrder({ table: users }: Selection, belongings: readonly Selection[]): BuildTogether[] {
  const owned = belongings.map(({ table }) => table)
  const remove = (db: Database, table: StoredTable, condition?: SQL) =>
    db.delete(table.drizzleTable).where(condition).returning(oneEach.fields)
  const removalOf = (table: StoredTable, at: number): BuildTogether => {
    return (db, conditions) => remove(db, table, conditions[at])
  }
  // Not if a row was kept: a foreign key could clear its `userId`.
  const removeUser: BuildTogether = (db, conditions) => {
    const areGone = owned.map((table, at) => sql` and not exists (select 1 from ${table.drizzleTable} where ${conditions[at]})`)
    return remove(db, users, sql`${conditions.at(-1)}${sql.join(areGone)}`)
  }
  // SQLite has no statement that fails on purpose. This one fails at the first row that a trigger has kept, and says where.
  const fail = (place: number) => sql`json_extract('{}', ${sql.raw(`'auth kept ${place}'`)})`
  const failOnKept: BuildTogether = (db, conditions) => selectKept(db, [...owned, users], conditions, fail)
  return [...owned.map(removalOf), removeUser, failOnKept]
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
