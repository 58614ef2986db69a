import type { SQL } from 'drizzle-orm'
import type { Selection } from './dialect.js'
import type { Query } from './drizzle.js'
import { sql } from './drizzle.js'
import { Failure } from './errors.js'

/**
 * Deletes what belongs to a user who does not exist: rows of a sign-in that crossed the deletion, or of a deletion that was interrupted,
 * where no foreign key prevents them. They sign nobody in. `condition` is for databases that can hide a user who exists.
 */
export async function removeOrphans(
  { statements: users, where }: Selection,
  belongings: readonly Selection[],
  condition?: SQL,
): Promise<null> {
  for (const { statements, where: owned } of belongings) {
    const isOrphan = sql`${statements.matches(owned)} and not exists (select 1 from ${users.table} where ${users.matches(where)})`
    const build = () => statements.db.delete(statements.table).where(condition ? sql`${isOrphan} and ${condition}` : isOrphan)
    await statements.run('repeatable-delete', build, false)
  }
  return null
}

class UserKept extends Error {}

/**
 * Deletes what belongs to the user, then the user, and undoes the first if the second deletes nothing. Returns whether the user was
 * deleted. `runDelete` runs a DELETE and returns the number of rows.
 */
export async function removeInTransaction(
  { statements: users, where }: Selection,
  belongings: readonly Selection[],
  runDelete: (query: Query) => Promise<number>,
): Promise<boolean> {
  const run = () =>
    users.db.transaction(async (db) => {
      for (const { statements, where: owned } of belongings) await runDelete(db.delete(statements.table).where(statements.matches(owned)))
      if ((await runDelete(db.delete(users.table).where(users.matches(where)))) === 0) throw new UserKept()
    })
  try {
    await users.attempt('delete', run)
    return true
  } catch (failure) {
    if (failure instanceof Failure && failure.cause instanceof UserKept) return false
    throw failure
  }
}
