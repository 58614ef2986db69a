/**
 * The tables and the adapter for SQLite.
 *
 * @module
 */

import { createAdapter } from '../adapter.js'
import { sweepExpired } from '../extensions/expired.js'
import type { DeletedFrom, DeleteExpiredOptions, ExpiringTables } from '../extensions/expired-types.js'
import type { BetterAuthSchema } from '../library.js'
import type { Adapter, AdapterOptions, DatabaseOf, DatabaseOfSchema, Tables } from '../types.js'
import { sqlite } from './dialect.js'

export type { AddedColumns, Casing, TableOptions } from '../definition/types.js'
export type * from '../extensions/expired-types.js'
// Every type that the type of an adapter names, so that declarations of apps can name them, too.
export type * from '../types.js'
export * from './tables.js'

/** Creates the adapter for a database and its tables, like `DrizzleAdapter` of `drizzle-auth-adapter`, for this dialect alone. */
export function DrizzleAdapter<const T extends Tables>(db: DatabaseOf<T>, tables: T, options?: AdapterOptions): Adapter<T> {
  return createAdapter(sqlite, db, tables, options)
}

/** Deletes expired sessions and tokens in small batches, like `deleteExpired` of `drizzle-auth-adapter`, for this dialect alone. */
export async function deleteExpired<const T extends ExpiringTables | BetterAuthSchema>(
  db: DatabaseOfSchema<T>,
  tables: T,
  options?: DeleteExpiredOptions,
): Promise<DeletedFrom<T>> {
  return sweepExpired(sqlite, db, tables, options)
}
