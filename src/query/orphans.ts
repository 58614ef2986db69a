import type { SQL } from 'drizzle-orm'
import type { Selection } from './dialect.js'
import { sql } from './drizzle.js'

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
