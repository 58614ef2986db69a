import type { Dialect, DialectName } from '../dialect.js'
import { dialect as mysql } from '../mysql/written.js'
import { dialect as pg } from '../pg/written.js'
import { dialect as sqlite } from '../sqlite/written.js'

/** The dialects that are there for tables written by hand: on servers, all of them. */
export const included: Record<DialectName, Dialect> = { pg, mysql, sqlite }
