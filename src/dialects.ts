import type { Dialect, DialectName } from './dialect.js'
import { mysql } from './mysql/dialect.js'
import { pg } from './pg/dialect.js'
import { sqlite } from './sqlite/dialect.js'

/** What each database does differently, by its name. */
export const dialects: Record<DialectName, Dialect> = { pg, mysql, sqlite }
