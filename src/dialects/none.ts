import type { Dialect, DialectName } from '../dialect.js'

/** Where every byte is sent or started anew, an app has the dialect of its tables alone. */
export const included: Partial<Record<DialectName, Dialect>> = {}
