/**
 * The adapter for any dialect, its errors and its types.
 *
 * @module
 */

import { createAdapter } from './adapter.js'
import { detectDialect, dialectOfTables } from './dialects.js'
import { noTables, sweepExpired } from './extensions/expired.js'
import type { DeletedFrom, DeleteExpiredOptions, ExpiringTables } from './extensions/expired-types.js'
import { checkSettingsIn } from './extensions/settings.js'
import type { BetterAuthSchema } from './library.js'
import { columnsIn, otherLibrary } from './library.js'
import type { Adapter, AdapterOptions, DatabaseOf, DatabaseOfSchema, Tables } from './types.js'

export type * from './extensions/expired-types.js'
export type { FailureKind } from './query/errors.js'
export { AdapterConfigError, AdapterOperationError } from './query/errors.js'
// Every type that the type of an adapter names, so that declarations of apps can name them, too.
export type * from './types.js'

/**
 * Creates the adapter for a database and its tables. The dialect is that of the tables; to bundle one dialect only, import
 * `DrizzleAdapter` from `drizzle-auth-adapter/pg`, `/mysql` or `/sqlite`.
 *
 * @param db The Drizzle database.
 * @param tables The result of `defineTables`, or your own tables.
 * @param options How to retry, report errors and store secrets.
 * @example
 * // auth.ts
 * import { DrizzleAdapter } from 'drizzle-auth-adapter'
 * import { db } from './db.js'
 * import { accountsTable, sessionsTable, usersTable, verificationTokensTable } from './schema.js'
 *
 * export const adapter = DrizzleAdapter(db, { usersTable, accountsTable, sessionsTable, verificationTokensTable })
 */
export function DrizzleAdapter<const T extends Tables>(db: DatabaseOf<T>, tables: T, options?: AdapterOptions): Adapter<T> {
  return createAdapter(
    dialectOfTables(
      tables,
      'DrizzleAdapter',
      `usersTable is missing. ${otherLibrary(columnsIn(tables)) ?? 'Pass it in the second argument'}`,
    ),
    db,
    tables,
    options,
  )
}

/**
 * Deletes expired sessions and verification tokens in small batches, using the index on `expires`. Of Better Auth, it deletes expired
 * sessions and verifications, and rate limits whose last request is older than a day.
 *
 * Each batch is one statement. It needs no transaction, can be stopped at any time, and can run on several machines at once.
 *
 * @param db The Drizzle database.
 * @param tables The tables to delete from. For Better Auth, all exports of your schema file.
 * @param options The size of the batches, the pause between them, and when to stop.
 * @example
 * // sweep.ts
 * import { deleteExpired } from 'drizzle-auth-adapter'
 * import { db } from './db.js'
 * import { sessionsTable, verificationTokensTable } from './schema.js'
 *
 * const { sessions, verificationTokens } = await deleteExpired(db, { sessionsTable, verificationTokensTable })
 * console.log(`deleted ${sessions} sessions and ${verificationTokens} verification tokens`)
 */
export async function deleteExpired<const T extends ExpiringTables | BetterAuthSchema>(
  db: DatabaseOfSchema<T>,
  tables: T,
  options?: DeleteExpiredOptions,
): Promise<DeletedFrom<T>> {
  return sweepExpired(dialectOfTables(tables, 'deleteExpired', noTables), db, tables, options)
}

/**
 * Checks that the connection has the settings that the adapter requires. Call it when your app starts, so that a wrong setting fails there
 * and not at the first sign-in. On MySQL and MariaDB it checks the character set, `sql_mode` and `autocommit`. On PostgreSQL and SQLite it checks nothing.
 *
 * @param db The Drizzle database.
 * @example
 * // start.ts
 * import { checkSettings } from 'drizzle-auth-adapter'
 * import { db } from './db.js'
 *
 * await checkSettings(db)
 */
export async function checkSettings(db: object): Promise<void> {
  await checkSettingsIn(detectDialect(db, 'checkSettings'), db)
}
