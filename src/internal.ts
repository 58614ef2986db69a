/**
 * What drizzle-auth-kit uses. It can change with every version: the kit pins the exact version of the adapter. Do not import it.
 *
 * @module
 */

export { checkTables } from './checks.js'
export { toSnakeCase } from './definition/snake-case.js'
export { detectDialect, dialectOfTables, dialects } from './dialects.js'
export type { Expiring } from './extensions/expired.js'
export { expiringIn, sweepTables } from './extensions/expired.js'
export type { DeleteExpiredOptions, ExpiredProgress } from './extensions/expired-types.js'
export type { BetterAuthSchema, BetterAuthTables, LibraryTables } from './library.js'
export { librariesIn, libraryTables, lookedFor, recognize } from './library.js'
export type { FieldKind, ModelName } from './models.js'
export { keys, modelNames, models, tokenFields } from './models.js'
export { problemsOf } from './mysql/settings.js'
export type { Database } from './query/drizzle.js'
export { getTableColumns, getTableName, sql } from './query/drizzle.js'
export type { FailureKind } from './query/errors.js'
export { AdapterConfigError, AdapterOperationError, configError } from './query/errors.js'
export type { FailureRules } from './query/failures.js'
export { operationError } from './query/failures.js'
export type { DialectName } from './query/internals.js'
export { isTable, kindsOf, primaryOf, schemaOf } from './query/internals.js'
export { dataOf, textOfBytes } from './query/kinds.js'
export type { SecretCounts } from './secrets/count.js'
export { countSecrets } from './secrets/count.js'
export type { Parts } from './secrets/options.js'
export type { ProtectedSecrets } from './secrets/protect.js'
export { rewriteSecrets } from './secrets/protect.js'
export { partsOf, secretsAtRest } from './secrets/secrets.js'
export type { DatabaseOf, Tables } from './types.js'
