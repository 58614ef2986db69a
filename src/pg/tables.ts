import type { PgTableFn } from 'drizzle-orm/pg-core'
import { bigint, boolean, customType, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { allFields } from '../definition/columns.js'
import type { Parts } from '../definition/tables.js'
import { buildTables } from '../definition/tables.js'
import type { AddedColumns, Casing, ColumnMapOf, DialectTypes, TableOptions, TablesOf } from '../definition/types.js'
import type { UsersTable } from '../types.js'

const integer = (name: string) => bigint(name, { mode: 'number' })

const parts: Parts = {
  customType,
  index,
  primaryKey,
  key: text,
  longKey: text,
  text,
  instant: (name) => timestamp(name, { mode: 'date', precision: 3 }),
  integer,
  counter: integer,
  boolean,
  serialTypes: { smallserial: 'smallint', serial: 'integer', bigserial: 'bigint' },
  exactFields: allFields,
}

/**
 * The five tables, for the app's schema file.
 *
 * @param options Names of the tables, type of the ids, and columns of your own.
 * @example
 * // schema.ts
 * import { defineTables } from 'drizzle-auth-adapter/pg'
 *
 * export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
 */
export function defineTables<
  Own extends UsersTable | undefined = undefined,
  const Added extends AddedColumns<ColumnMap> = Record<never, never>,
  const Case extends Casing = 'camelCase',
>(options: TableOptions<PgTableFn<string | undefined>, Own, Added, Case> = {}): DefinedTables<Own, Added, Case> {
  return buildTables('pg', pgTable, parts, options) as unknown as DefinedTables<Own, Added, Case>
}

type ColumnMap = ColumnMapOf<PgTableFn>

/** The result of `defineTables`. */
export type DefinedTables<Own, Added, Case> = TablesOf<Types, Own, Added, Case>

interface Types extends DialectTypes {
  column: ReturnType<ReturnType<typeof customType<this['custom']>>>
  table: this['columns'] extends ColumnMap ? ReturnType<typeof pgTable<this['name'], this['columns']>> : never
}
