import { mysql } from './mysql/dialect.js'
import { pg } from './pg/dialect.js'
import type { Dialect } from './query/dialect.js'
import { dialectOfDatabase, primaryOf } from './query/internals.js'
import { sqlite } from './sqlite/dialect.js'

export const dialects = { pg, mysql, sqlite }

/** The dialect of a Drizzle database. */
export function detectDialect(db: unknown, caller: string): Dialect {
  return dialects[dialectOfDatabase(primaryOf(db, caller), caller)]
}
