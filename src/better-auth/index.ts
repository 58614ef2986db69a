/**
 * The adapter for Better Auth.
 *
 * @module
 */

import type { BetterAuthOptions } from '@better-auth/core'
import type { DBAdapter, DBAdapterDebugLogOption } from '@better-auth/core/db/adapter'
import { createAdapterFactory } from '@better-auth/core/db/adapter'
import { detectDialect, dialectOfTables } from '../dialects.js'
import { accountNames } from '../library.js'
import type { AccountNames } from '../models.js'
import { checkOptions } from '../options.js'
import type { Protections } from '../protection.js'
import type { Connection, RetryLimits } from '../query/connection.js'
import { connect } from '../query/connection.js'
import type { Dialect } from '../query/dialect.js'
import type { OnError } from '../query/errors.js'
import { configError } from '../query/errors.js'
import { isTable } from '../query/internals.js'
import { createOperations } from './adapter.js'
import { findMissing, withSchemaCheck } from './check.js'
import { refuseAuthjs } from './tables.js'
import { inTransaction } from './transaction.js'
import { transformsFor } from './values.js'

export type { FailureKind } from '../query/errors.js'
export { AdapterConfigError, AdapterOperationError } from '../query/errors.js'
export type { AuthjsSessionsOptions } from './bridge/options.js'
export { authjsSessions } from './bridge/plugin.js'

const caller = 'drizzleAdapter'
const optionNames = ['schema', 'usePlural', 'camelCase', 'schemaName', 'transaction', 'debugLogs', 'secrets', 'retry', 'onError']

/** The options of `drizzleAdapter`. */
export interface DrizzleAdapterConfig {
  /** The tables by their export names, as in `import * as schema from './auth-schema'`. Other exports, such as relations, are ignored. */
  schema: Readonly<Record<string, unknown>>
  /** Whether the exports of the tables end in `s`. False by default. */
  usePlural?: boolean
  /** Whether `npx auth generate` names columns in camelCase. By default they are in snake_case. */
  camelCase?: boolean
  /** The schema of PostgreSQL in which `npx auth generate` puts new tables, such as `auth`. */
  schemaName?: string
  /** Whether Better Auth runs operations that belong together in a transaction. Needs a driver with interactive transactions. */
  transaction?: boolean
  /** Prints what the adapter does, with the values. For development only. */
  debugLogs?: DBAdapterDebugLogOption
  /** The result of `secretsAtRest` with `accountTokens`: OAuth tokens are stored encrypted. */
  secrets?: Protections
  /** How often a statement is tried again after a conflict or a lost connection. `false` means never. */
  retry?: RetryLimits | false
  /** Called with each error that an operation throws, and with the original one, which may contain values. */
  onError?: OnError
}

/**
 * Creates the database adapter of Better Auth. The dialect is detected from the database.
 *
 * @param db Your Drizzle database.
 * @param config The tables, and the options.
 * @example
 * // auth.ts
 * import { betterAuth } from 'better-auth'
 * import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
 * import * as schema from './auth-schema.js'
 * import { db } from './db.js'
 *
 * export const auth = betterAuth({ database: drizzleAdapter(db, { schema }), emailAndPassword: { enabled: true } })
 */
export function drizzleAdapter(db: object, config: DrizzleAdapterConfig): (options: BetterAuthOptions) => DBAdapter<BetterAuthOptions> {
  if (Object(db) !== db) configError(`${caller}: the first argument is not a Drizzle database. Pass the result of drizzle({ client })`)
  checkConfig(config)
  const { schema, usePlural = false, camelCase = false, schemaName, transaction = false, debugLogs = false } = config
  const { secrets, retry, onError } = config
  // Before `npx auth generate` has run for the first time, there are no tables.
  const dialect = Object.values(schema).some(isTable) ? dialectOfTables(schema, caller, '') : detectDialect(db, caller)
  const isPg = dialect.name === 'pg'
  const protectAccounts = secrets?.protectAccountsOf(caller)

  const schemaConfig = (connection: Connection<Dialect>, options: BetterAuthOptions) => ({
    ...{ schema, usePlural, camelCase, schemaName, dialect: dialect.name },
    findMissing: () => findMissing(options, schema, usePlural),
    // Drizzle 1.0 keeps relations where 0.45 keeps a schema.
    isV1: 'relations' in ((connection.current() as { _?: object })._ ?? {}),
  })

  const create =
    (connection: Connection<Dialect>, isTransactional: boolean, onFailure?: OnError): ReturnType<typeof drizzleAdapter> =>
    (options) =>
      createAdapterFactory<BetterAuthOptions>({
        config: {
          adapterId: 'drizzle-auth-adapter',
          adapterName: 'drizzle-auth-adapter',
          usePlural,
          debugLogs,
          supportsUUIDs: isPg,
          // The transforms below see each value as it was given, and the type of its column.
          supportsJSON: true,
          supportsArrays: true,
          ...transformsFor(dialect.name, schema),
          transaction:
            isTransactional &&
            ((run) =>
              inTransaction(connection, onError, async (current, onError) =>
                run(create({ ...connection, current }, false, onError)(options)),
              )),
        },
        adapter: ({ getFieldName: fieldName, getModelName: modelName }) => ({
          ...createOperations(connection, schema, fieldName, onFailure, (model, table) =>
            protectAccounts && model === modelName('account') ? protectAccounts(table, accountFields(fieldName)) : table,
          ),
          // Loaded on demand: only the command `auth generate` needs it.
          createSchema: async ({ file }) => (await import('./generate.js')).createSchema(file, options, schemaConfig(connection, options)),
          // `drizzle-auth-kit generate` calls it.
          options: { schemaConfig: () => schemaConfig(connection, options) },
        }),
      })(options)

  const adapterFor = create(connect(caller, dialect, db, { retry }), transaction, onError)
  return (options) => {
    if (secrets && options.account?.encryptOAuthTokens)
      configError(
        `${caller}: secrets already encrypts OAuth tokens, so remove account.encryptOAuthTokens of Better Auth. What that has encrypted cannot be read then, until its user signs in with the provider again`,
      )
    return withSchemaCheck(adapterFor(options), schema, options, usePlural)
  }
}

function checkConfig(config: DrizzleAdapterConfig): void {
  // The official adapter has it.
  if (Object(config).provider !== undefined) configError(`${caller}: remove provider: the adapter asks your tables and db for the dialect`)
  if (Object.values(Object(config)).some(isTable)) {
    refuseAuthjs(config as object as Record<string, unknown>, [])
    configError(`${caller}: pass the tables as schema: drizzleAdapter(db, { schema })`)
  }
  checkOptions(caller, 'options', config, optionNames)
  const { schema, secrets, retry } = config
  if (retry) checkOptions(caller, 'retry', retry, ['tries', 'within'])
  if (Object(schema) !== schema)
    configError(`${caller}: schema is missing. Pass your tables, as in import * as schema from './auth-schema'`)
  if (secrets !== undefined && !secrets?.protectAccountsOf) configError(`${caller}: secrets must be the result of secretsAtRest`)
}

/** The columns of accounts, which an app can rename. */
function accountFields(fieldName: (target: { model: string; field: string }) => string): AccountNames {
  const names = Object.entries(accountNames.betterAuth).map(([name, field]) => [name, fieldName({ model: 'account', field })])
  return Object.fromEntries(names) as AccountNames
}
