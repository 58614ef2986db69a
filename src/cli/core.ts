// Everything that the commands import from the adapter.
import { dialectOfTables, dialects } from '../dialects.js'
import { mysql } from '../doctor/mysql.js'
import { pg } from '../doctor/pg.js'
import { sqlite } from '../doctor/sqlite.js'
import type { Expiring } from '../extensions/expired.js'
import { sweepTables } from '../extensions/expired.js'
import type { DeleteExpiredOptions } from '../extensions/expired-types.js'
import { operationError } from '../query/failures.js'
import type { DialectName } from '../query/internals.js'

export { checkTables as checkDialect } from '../checks.js'
export { givenTables } from '../doctor/authjs.js'
export { pageUrl, withoutHook } from '../doctor/finding.js'
export type { Finding } from '../doctor/index.js'
export { examine } from '../doctor/index.js'
export type { LiveTable } from '../doctor/inspector.js'
export { tableNames } from '../doctor/subject.js'
export type { Expiring } from '../extensions/expired.js'
export { expiringIn } from '../extensions/expired.js'
export type { DeleteExpiredOptions, ExpiredProgress } from '../extensions/expired-types.js'
export type { LibraryTables } from '../library.js'
export { librariesIn, libraryTables, lookedFor, recognize } from '../library.js'
export { didYouMean } from '../options.js'
export type { Database } from '../query/drizzle.js'
export type { FailureKind } from '../query/errors.js'
export { AdapterConfigError, AdapterOperationError } from '../query/errors.js'
export type { DialectName } from '../query/internals.js'
export type { SecretCounts } from '../secrets/count.js'
export { countSecrets } from '../secrets/count.js'
export type { Parts } from '../secrets/options.js'
export type { ProtectedSecrets } from '../secrets/protect.js'
export { rewriteSecrets } from '../secrets/protect.js'
export { partsOf, secretsAtRest } from '../secrets/secrets.js'
export type { Tables } from '../types.js'

/** Converts an error of Drizzle or a driver to one that contains no values. */
export const failureOf = (operation: string, error: unknown, dialect: DialectName) =>
  operationError(operation, error, dialects[dialect].failures)

/** The doctor's inspector for each dialect. */
export const inspectors = { pg, mysql, sqlite }

/** The default tables of each dialect. */
export const tablesModules = {
  pg: () => import('../pg/tables.js'),
  mysql: () => import('../mysql/tables.js'),
  sqlite: () => import('../sqlite/tables.js'),
}

/** Deletes the expired rows of some tables. */
export const deleteExpiredIn = (db: unknown, expiring: readonly Expiring[], options: DeleteExpiredOptions) =>
  sweepTables(
    dialectOfTables(Object.fromEntries(expiring.map(({ counted, table }) => [counted, table])), 'sweep', ''),
    db,
    expiring,
    options,
  )
