import type { DeleteExpiredOptions, DialectName, Expiring } from 'drizzle-auth-adapter/internal'
import { dialectOfTables, dialects, operationError, sweepTables } from 'drizzle-auth-adapter/internal'

/** Converts an error of Drizzle or a driver to one that contains no values. */
export const failureOf = (operation: string, error: unknown, dialect: DialectName) =>
  operationError(operation, error, dialects[dialect].failures)

/** The default tables of each dialect. */
export const tablesModules = {
  pg: () => import('drizzle-auth-adapter/pg'),
  mysql: () => import('drizzle-auth-adapter/mysql'),
  sqlite: () => import('drizzle-auth-adapter/sqlite'),
}

/** Deletes the expired rows of some tables. */
export const deleteExpiredIn = (db: unknown, expiring: readonly Expiring[], options: DeleteExpiredOptions) =>
  sweepTables(
    dialectOfTables(Object.fromEntries(expiring.map(({ counted, table }) => [counted, table])), 'sweep', ''),
    db,
    expiring,
    options,
  )
