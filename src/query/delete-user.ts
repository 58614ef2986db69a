import type { Where } from './conditions.js'
import { attempt } from './connection.js'
import type { Dialect } from './dialect.js'
import type { Awaitable, Database, Query, Row } from './drizzle.js'
import { hasTransactions, isTransaction, sessionKindOf } from './internals.js'
import { toArrays } from './statements.js'
import type { StoredTable } from './stored-table.js'
import { rowCounter } from './stored-table.js'

/** The rows of a table that satisfy a condition. */
export interface Selection {
  readonly table: StoredTable
  readonly where: Where
}

/**
 * Deletes the rows that belong to a user, then the user: in a batch, in one statement on PostgreSQL, in a transaction, or one by one if the
 * driver supports none of these. Then an interrupted call can be repeated, because the user is deleted last. Of concurrent callers, one gets
 * the user.
 */
export async function deleteUser(dialect: Dialect, user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const { table } = user
  const db = table.connection.current()
  const runWhole = <T>(run: (db: Database) => Awaitable<T>) =>
    attempt(table.connection, { table: table.drizzleTable, purpose: 'delete', run }, undefined)
  const runAtOnce = async (run: (db: Database) => Awaitable<unknown>) => {
    const rows = await runWhole(run)
    // Drizzle itself reports at most the table of users to its cache.
    await db.$cache?.invalidate?.({ tables: belongings.map(({ table }) => table.drizzleTable) })
    return table.firstWritten(await toArrays(rows, table.definition))
  }
  // A nested transaction is a savepoint.
  if (!isTransaction(db) && /^(LibSQL|SQLiteD1)Session$/.test(sessionKindOf(db)))
    return runAtOnce(async (db) => (await db.batch(deletionsOf(db, user, belongings))).at(-1))
  if (db.resultKind === 'sync') return runWhole((db) => deleteAtOnce(dialect, db, user, belongings))
  if (dialect.deletesInCtes) return runAtOnce((db) => run(dialect, deletionWithCtes(db, user, belongings), true))
  if (hasTransactions(db)) return runWhole((db) => db.transaction((inner) => deleteInTransaction(dialect, inner, user, belongings)))
  for (const { table, where } of belongings) await table.delete(where)
  return dialect.deleteOne(table, user.where)
}

const conditionOf = ({ where }: Selection) => where.toSql((binder, place) => binder.parameter(where.values[place]))

const deletionOf = (db: Pick<Database, 'delete'>, rows: Selection): Query => db.delete(rows.table.drizzleTable).where(conditionOf(rows))

/** The deletions in their order. Each has RETURNING, because some drivers report no counts in a batch. */
function deletionsOf(db: Database, user: Selection, belongings: readonly Selection[]): Query[] {
  const owned = belongings.map((rows) => deletionOf(db, rows).returning(rowCounter.fields))
  return [...owned, deletionOf(db, user).returning(user.table.definition.fields)]
}

/** Prepares and runs a query. Without that, postgres.js would send a second message to describe it. */
function run({ prepare }: Dialect, query: Query, returnsRows: boolean): Awaitable<unknown> {
  const { prepared, method } = prepare(query, returnsRows, true)
  return prepared[method]({})
}

/** For synchronous drivers of SQLite. In a transaction of the app, `session.transaction` is a savepoint. */
function deleteAtOnce(dialect: Dialect, db: Database, user: Selection, belongings: readonly Selection[]): Row | null {
  return (db.session as Database).transaction(() => {
    const results = deletionsOf(db, user, belongings).map((query) => run(dialect, query, true))
    return decodeFirst(user.table, toArrays(results.at(-1) as Row[], user.table.definition) as unknown[][])
  })
}

const decodeFirst = ({ definition }: StoredTable, [values]: unknown[][]) => (values ? definition.decode(values) : null)

async function deleteInTransaction(dialect: Dialect, db: Database, user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const { table } = user
  const { definition } = table
  const rowOf = async (query: Query) => decodeFirst(table, await toArrays(await run(dialect, query, true), definition))
  const selected = db.select(definition.fields).from(table.drizzleTable).where(conditionOf(user)).$withCache(false)
  // If a foreign key refers to the user, the lock also blocks concurrent sign-ins.
  const locked = dialect.lockRows ? await rowOf(dialect.lockRows(selected)) : null
  for (const rows of belongings) await run(dialect, deletionOf(db, rows), false)
  const deletion = deletionOf(db, user)
  if (!dialect.countWritten) return rowOf(deletion.returning(definition.fields))
  return dialect.countWritten(await run(dialect, deletion, false)) > 0 ? locked : null
}

/** One statement, which drivers over HTTP can send, too. PostgreSQL checks foreign keys at its end. */
function deletionWithCtes(db: Database, user: Selection, belongings: readonly Selection[]): Query {
  const parts = belongings.map((rows, at) => db.$with(`belonging_${at}`).as(deletionOf(db, rows)))
  return deletionOf(db.with(...parts), user).returning(user.table.definition.fields)
}
