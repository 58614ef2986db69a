import type { SQL } from 'drizzle-orm'
import type { Selection } from './dialect.js'
import type { Database, Query } from './drizzle.js'
import { sql } from './drizzle.js'
import { Failure } from './errors.js'
import type { Build, SelectedColumns } from './statements.js'
import type { StoredTable } from './stored-table.js'

/** Builds a statement about a user and what belongs to it. It gets the condition of each table. */
export type BuildTogether = (db: Database, conditions: readonly SQL[]) => Query

/** What running a statement about several tables takes. `name` tells it from others about them. */
export function together(name: string, all: readonly Selection[], build: BuildTogether) {
  const values: unknown[] = []
  const starts = all.map(({ where }) => values.push(...where.values) - where.values.length)
  const ids = all.map(({ table, where }) => where.id && `${table.definition.id} ${where.id}`)
  const id = ids.includes(undefined) ? undefined : `${name} ${ids.join()}`
  const buildAll: Build = (db) => {
    const conditions = all.map(({ where }, at) => where.toSql(starts[at]) as SQL)
    return build(db, conditions)
  }
  return { id, build: buildAll, values }
}

/** Runs one statement that deletes a user and what belongs to it. */
export function deleteTogether(
  user: Selection,
  belongings: readonly Selection[],
  build: BuildTogether,
  selected?: SelectedColumns,
): Promise<unknown> {
  const { build: buildAll, ...options } = together('delete', [user, ...belongings], build)
  return user.table.run('delete', buildAll, { ...options, selected })
}

/** Deletes what is left of a user who was not found, unless a view or a row policy may hide one who exists. */
export async function deleteOfMissingUser(user: Selection, belongings: readonly Selection[]): Promise<null> {
  const { table } = user
  const { catalog, condition } = table.dialect.mayHideRows(table.drizzleTable)
  const hiding = await table.select({ one: sql`1` }, (query) => query.from(catalog).where(condition))
  if (hiding.length === 0) await deleteOrphans(user, belongings)
  return null
}

/**
 * Deletes what belongs to a user who does not exist: rows of a sign-in that crossed the deletion, or of a deletion that was interrupted,
 * where no foreign key prevents them. They sign nobody in.
 */
export async function deleteOrphans({ table: users, where }: Selection, belongings: readonly Selection[]): Promise<void> {
  for (const { table, where: owned } of belongings) {
    const isOrphan = sql`${owned.withValues()} and not exists (select 1 from ${users.drizzleTable} where ${where.withValues()})`
    await table.run('delete', (db) => db.delete(table.drizzleTable).where(isOrphan))
  }
}

/** Tells Drizzle's cache about a deletion that went around it. */
export async function invalidateCache({ table: users }: Selection, belongings: readonly Selection[]): Promise<void> {
  const tables = [users, ...belongings.map(({ table }) => table)].map(({ drizzleTable }) => drizzleTable)
  try {
    await users.db.$cache?.invalidate?.({ tables })
  } catch (cause) {
    throw new Failure('unknown', { hint: "Drizzle's cache could not be told of it", isWritten: true }, { cause })
  }
}

/** Rolls back the transaction: the DELETE removed no user. */
class UserKept extends Error {}

/** Why a user is not deleted: rows are left, although none of the deletions failed. `failure` is what this led to. */
export function rowsWereKept({ name }: StoredTable, failure?: Failure): Failure {
  const details = { table: name, code: failure?.details.code, hint: 'a trigger, a rule or a policy keeps rows that belong to the user' }
  return new Failure('still-referenced', details, { cause: failure?.cause })
}

/**
 * Deletes what belongs to the user, then the user, and undoes the first if the second deletes nothing. In between, it calls `check`. Returns
 * whether the user was deleted.
 */
export async function deleteInTransaction(
  { table: users, where }: Selection,
  belongings: readonly Selection[],
  check?: (db: Database, belongings: readonly Selection[]) => Promise<void>,
): Promise<boolean> {
  const { lockRows, countWritten } = users.dialect
  try {
    await users.runWhole('delete', (db) =>
      db.transaction(async (inner) => {
        // No sign-in gets in between, where a foreign key refers to the user.
        await lockRows?.(inner.select({ one: sql`1` }).from(users.drizzleTable).where(where.withValues()).$withCache(false)).execute()
        for (const { table, where: owned } of belongings) await inner.delete(table.drizzleTable).where(owned.withValues()).execute()
        await check?.(inner, belongings)
        const deletion = inner.delete(users.drizzleTable).where(where.withValues())
        const isDeleted = countWritten
          ? countWritten(await deletion.execute()) > 0
          : ((await deletion.returning({ one: sql`1` }).execute()) as unknown[]).length > 0
        if (!isDeleted) throw new UserKept()
      }),
    )
    return true
  } catch (failure) {
    if (failure instanceof Failure && failure.cause instanceof UserKept) return false
    throw failure
  }
}

/** Fails if a trigger, a rule or a policy has kept rows without an error. */
export async function failIfKept(db: Database, belongings: readonly Selection[]): Promise<void> {
  if (belongings.length === 0) return
  const tables = belongings.map(({ table }) => table)
  const conditions = belongings.map(({ where }) => where.withValues())
  const query = selectKept(db, tables, conditions, (place) => sql.raw(`${place}`))
  const [first] = (await query.limit(1).execute()) as { kept: unknown }[]
  if (first) throw rowsWereKept(tables[Number(first.kept)] as StoredTable)
}

/** Selects a value for each row that was to be deleted and is still there. The value depends on the place of its table. */
export function selectKept(
  db: Database,
  tables: readonly StoredTable[],
  conditions: readonly SQL[],
  valueFor: (place: number) => SQL,
): Query {
  const selects = tables.map(
    ({ drizzleTable }, place) => sql`select ${valueFor(place)} as kept from ${drizzleTable} where ${conditions[place]}`,
  )
  return db
    .select({ kept: sql`kept` })
    .from(sql`(${sql.join(selects, sql` union all `)}) as kept_rows`)
    .$withCache(false)
}
