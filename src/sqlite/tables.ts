import type { SQLiteTableFn } from 'drizzle-orm/sqlite-core'
import { customType, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { allFields } from '../definition/columns.js'
import type { Parts } from '../definition/tables.js'
import { buildTables } from '../definition/tables.js'
import type { AddedColumns, Casing, ColumnMapOf, DialectTypes, TableOptions, TablesOf } from '../definition/types.js'
import type { UsersTable } from '../types.js'

const parts: Parts = {
  customType,
  index,
  primaryKey,
  key: text,
  longKey: text,
  text,
  instant: (name) => integer(name, { mode: 'timestamp_ms' }),
  integer,
  counter: integer,
  boolean: (name) => integer(name, { mode: 'boolean' }),
  exactFields: allFields,
}

/**
 * The five tables, for the app's schema file.
 *
 * @param options Names of the tables, type of the ids, and columns of your own.
 * @example
 * // schema.ts
 * import { defineTables } from 'drizzle-auth-adapter/sqlite'
 *
 * export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
 */
export function defineTables<
  Own extends UsersTable | undefined = undefined,
  const Added extends AddedColumns<ColumnMap> = Record<never, never>,
  const Case extends Casing = 'camelCase',
>(options: TableOptions<SQLiteTableFn<string | undefined>, Own, Added, Case> = {}): DefinedTables<Own, Added, Case> {
  return buildTables('sqlite', sqliteTable, parts, options) as unknown as DefinedTables<Own, Added, Case>
}

type ColumnMap = ColumnMapOf<SQLiteTableFn>

/** The result of `defineTables`. */
export type DefinedTables<Own, Added, Case> = TablesOf<Types, Own, Added, Case>

interface Types extends DialectTypes {
  column: ReturnType<ReturnType<typeof customType<this['custom']>>>
  table: this['columns'] extends ColumnMap ? ReturnType<typeof sqliteTable<this['name'], this['columns']>> : never
}
