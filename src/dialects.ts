import { mysql } from './mysql/dialect.js'
import { pg } from './pg/dialect.js'
import type { Dialect } from './query/dialect.js'
import { configError } from './query/errors.js'
import { dialectOfDatabase, dialectOfTable, isTable } from './query/internals.js'
import { sqlite } from './sqlite/dialect.js'

export const dialects = { pg, mysql, sqlite }

/** The dialect of a Drizzle database. */
export function detectDialect(db: unknown, caller: string): Dialect {
  return dialects[dialectOfDatabase(db, caller)]
}

/** The dialect of the first table. `missing` is the message if there is no table. The database is not read: it may not exist yet. */
export function dialectOfTables(tables: unknown, caller: string, missing: string): Dialect {
  const [name, table] = Object.entries(Object(tables) as object).find(([, each]) => isTable(each)) ?? []
  if (!name) return configError(`${caller}: ${missing}`)
  return dialects[dialectOfTable(table, `${caller}: ${name}`)]
}
