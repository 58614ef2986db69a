import { included } from '#dialects'
import { dialectOf } from '../detection.js'
import type { Dialect } from '../dialect.js'
import { misconfigured } from '../errors.js'
import type { Database } from '../statements.js'
import { provided } from './provided.js'

/** The dialect of a Drizzle database: the one that is given, or is there for tables written by hand, or came with tables of ours. */
export function dialectFor(db: Database, given: Dialect | undefined, caller: string): Dialect {
  const none = 'no Drizzle database. Pass what drizzle(…) returned, or a transaction'
  const name = dialectOf((db as { dialect?: unknown } | null | undefined)?.dialect, 'Dialect', `${caller}: the first argument`, none)
  const dialect = given ?? included[name] ?? provided[name]
  return dialect?.name === name
    ? dialect
    : misconfigured(`${caller}: tables written by hand need the option dialect here. Import it from drizzle-auth-adapter/${name}`)
}
