import type { Dialect } from '../dialect.js'
import { misconfigured } from '../errors.js'
import type { Database } from '../statements.js'
import { broughtBy } from './brought.js'

/** Where every byte is sent or started anew, an app has the dialect of its tables alone. */
export function dialectFor(_db: Database, tables: object, given: Dialect | undefined, caller: string): Dialect {
  const missing = 'tables written by hand need the option dialect, from drizzle-auth-adapter/pg, /mysql or /sqlite'
  return (given?.check ? given : broughtBy(tables)) ?? misconfigured(`${caller}: ${missing}`)
}
