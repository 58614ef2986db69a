import { createAdapter } from '../adapter.js'
import type { DeletedExpired, DeleteExpiredOptions, ExpiringTables } from '../expired.js'
import { sweepExpired } from '../expired.js'
import type { Adapter, AdapterOptions, DatabaseOf, Tables } from '../types.js'
import { sqlite } from './dialect.js'

export type { AddedColumns, Casing, TableOptions } from '../tables.js'
export { defineTables } from './tables.js'

/** Creates the adapter for a database and its tables. */
export function DrizzleAdapter<const T extends Tables>(db: DatabaseOf<T>, tables: T, options?: AdapterOptions): Adapter<T> {
  return createAdapter(sqlite, db, tables, options)
}

/** Deletes expired sessions and verification tokens in small batches, by the index on `expires`. */
export async function deleteExpired<const T extends ExpiringTables>(
  db: DatabaseOf<T>,
  tables: T,
  options?: DeleteExpiredOptions,
): Promise<DeletedExpired> {
  return sweepExpired(sqlite, db, tables, options)
}
