import type { MySqlTableFn } from 'drizzle-orm/mysql-core'
import { bigint, boolean, customType, datetime, index, int, mysqlTable, primaryKey } from 'drizzle-orm/mysql-core'
import { lookupFields } from '../definition/columns.js'
import type { Parts } from '../definition/tables.js'
import { buildTables } from '../definition/tables.js'
import type { AddedColumns, Casing, ColumnMapOf, DialectTypes, TableOptions, TablesOf } from '../definition/types.js'
import { describeColumn } from '../query/internals.js'
import { textOfBytes } from '../query/kinds.js'
import type { UsersTable } from '../types.js'

type KeyData = { data: string; driverData: string | Uint8Array }
type KeyColumn = ReturnType<ReturnType<typeof customType<KeyData>>>

// Text of a key, stored as UTF-8 bytes: the only type that compares exactly on MySQL and MariaDB, including trailing spaces.
// The lengths fill the 3,072 bytes that InnoDB indexes: 255 characters of any kind, or a credential id of 1,023 bytes in base64.
function key(length: number) {
  const column = customType<KeyData>({ dataType: () => `varbinary(${length})`, fromDriver: textOfBytes })
  return (name: string) => describeColumn(column(name), { dataType: 'string', columnType: 'MySqlVarChar', length })
}
const short = key(1020)
const long = key(2048)

/**
 * A column for text of up to 255 characters that compares exactly: case, accents and trailing spaces matter. Ids, emails and tokens of
 * `defineTables` have this type. Use it in your own tables for columns that reference a user: MySQL requires both columns of a foreign key to have
 * the same type.
 *
 * @example
 * // posts.ts
 * import { exactText } from 'drizzle-auth-adapter/mysql'
 * import { int, mysqlTable } from 'drizzle-orm/mysql-core'
 * import { usersTable } from './schema.js'
 *
 * export const posts = mysqlTable('post', {
 *   id: int().autoincrement().primaryKey(),
 *   authorId: exactText()
 *     .notNull()
 *     .references(() => usersTable.id, { onDelete: 'cascade' }),
 * })
 */
export function exactText(name = ''): KeyColumn {
  return short(name)
}

// Any text of any length, whatever the default character set of the database is.
const longtext = customType<{ data: string }>({ dataType: () => 'longtext character set utf8mb4' })

const parts: Parts = {
  customType,
  index,
  primaryKey,
  key: short,
  longKey: long,
  text: (name) => describeColumn(longtext(name), { dataType: 'string' }),
  instant: (name) => datetime(name, { mode: 'date', fsp: 3 }),
  integer: (name) => bigint(name, { mode: 'number' }),
  counter: (name) => int(name, { unsigned: true }),
  boolean,
  serialTypes: { serial: 'bigint unsigned' },
  exactFields: lookupFields,
}

/**
 * The five tables, for the app's schema file.
 *
 * @param options Names of the tables, type of the ids, and columns of your own.
 * @example
 * // schema.ts
 * import { defineTables } from 'drizzle-auth-adapter/mysql'
 *
 * export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
 */
export function defineTables<
  Own extends UsersTable | undefined = undefined,
  const Added extends AddedColumns<ColumnMap> = Record<never, never>,
  const Case extends Casing = 'camelCase',
>(options: TableOptions<MySqlTableFn<string | undefined>, Own, Added, Case> = {}): DefinedTables<Own, Added, Case> {
  return buildTables('mysql', mysqlTable, parts, options) as unknown as DefinedTables<Own, Added, Case>
}

type ColumnMap = ColumnMapOf<MySqlTableFn>

/** The result of `defineTables`. */
export type DefinedTables<Own, Added, Case> = TablesOf<Types, Own, Added, Case>

interface Types extends DialectTypes {
  column: ReturnType<ReturnType<typeof customType<this['custom']>>>
  table: this['columns'] extends ColumnMap ? ReturnType<typeof mysqlTable<this['name'], this['columns']>> : never
}
