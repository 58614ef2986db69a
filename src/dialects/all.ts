import type { Dialect, DialectName } from '../dialect.js'
import { mysql } from '../mysql/dialect.js'
import { pg } from '../pg/dialect.js'
import { sqlite } from '../sqlite/dialect.js'

/** The dialects that are there for tables written by hand: on servers, all of them. */
export const included: Record<DialectName, Dialect> = { pg, mysql, sqlite }
