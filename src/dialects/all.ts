import { dialectOfDatabase } from '../detection.js'
import type { Dialect, DialectName } from '../dialect.js'
import { dialect as mysql } from '../mysql/written.js'
import { dialect as pg } from '../pg/written.js'
import { dialect as sqlite } from '../sqlite/written.js'
import type { Database } from '../statements.js'

export const dialects: Record<DialectName, Dialect> = { pg, mysql, sqlite }

/** On servers, all dialects are there, so that tables written by hand need bring none. */
export function dialectFor(db: Database, _tables: object, caller: string): Dialect {
  return dialects[dialectOfDatabase(db, caller)]
}
