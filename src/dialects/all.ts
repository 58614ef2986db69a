import { dialectOfDatabase } from '../detection.js'
import type { Dialect, DialectName } from '../dialect.js'
import { misconfigured } from '../errors.js'
import { dialect as mysql } from '../mysql/written.js'
import { dialect as pg } from '../pg/written.js'
import { dialect as sqlite } from '../sqlite/written.js'
import type { Database } from '../statements.js'

export const dialects: Record<DialectName, Dialect> = { pg, mysql, sqlite }

/** On servers, all dialects are there, so that tables written by hand need bring none. */
export function dialectFor(db: Database, _tables: object, given: Dialect | undefined, caller: string): Dialect {
  const name = dialectOfDatabase(db, caller)
  if (given !== undefined && !given?.check) misconfigured(`${caller}: dialect is not the one that drizzle-auth-adapter/${name} exports`)
  return given ?? dialects[name]
}
