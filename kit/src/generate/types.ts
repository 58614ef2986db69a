import type { BetterAuthOptions } from '@better-auth/core'
import type { DBFieldAttribute } from '@better-auth/core/db'
import type { DialectName } from 'drizzle-auth-adapter/internal'
import { dataOf, kindsOf } from 'drizzle-auth-adapter/internal'
import type { Column } from './models.js'

const bigint = "bigint($, { mode: 'number' })"
const json = "text($, { mode: 'json' })"

/** Code for columns on PostgreSQL, MySQL and SQLite, where `$` is the name. */
const types = {
  text: ['text($)', 'text($)', 'text($)'],
  // Text that must compare exactly, and short text by which rows are sorted.
  key: ['text($)', 'exactText($)', 'text($)'],
  sorted: ['text($)', 'varchar($, { length: 255 })', 'text($)'],
  uuid: ['uuid($)', 'exactText($)', 'text($)'],
  number: ['integer($)', 'int($)', 'integer($)'],
  bigint: [bigint, bigint, 'integer($)'],
  boolean: ['boolean($)', 'boolean($)', "integer($, { mode: 'boolean' })"],
  date: ['timestamp($, { withTimezone: true, precision: 3 })', 'datetime($, { fsp: 3 })', "integer($, { mode: 'timestamp_ms' })"],
  // On MySQL, Better Auth writes lists and JSON as text.
  json: ['jsonb($)', 'text($)', json],
  list: ['.array()', 'text($)', json],
  textId: ['.primaryKey()', '.primaryKey()', '.primaryKey()'],
  uuidId: ['.default(sql`pg_catalog.gen_random_uuid()`).primaryKey()', '.primaryKey()', '.primaryKey()'],
  numberId: ['.generatedByDefaultAsIdentity().primaryKey()', '.autoincrement().primaryKey()', '.primaryKey({ autoIncrement: true })'],
  // MySQL's now() would be in the time zone of the connection, and Drizzle reads the column as UTC.
  now: ['.defaultNow()', '.default(sql`(utc_timestamp(3))`)', ".default(sql`(cast(unixepoch('subsecond') * 1000 as integer))`)"],
  anyColumn: ['AnyPgColumn', 'AnyMySqlColumn', 'AnySQLiteColumn'],
}
export type Types = Record<keyof typeof types, string>

export function typesOf(dialect: DialectName): Types {
  const at = ['pg', 'mysql', 'sqlite'].indexOf(dialect)
  return Object.fromEntries(Object.entries(types).map(([name, each]) => [name, each[at]])) as Types
}

/** How rows are identified. If the database generates ids, as in the table of the users. */
export function idKindOf({ advanced }: BetterAuthOptions, users: Readonly<Record<string, Column>> | undefined): 'text' | 'uuid' | 'number' {
  const generated = advanced?.database?.generateId
  if (generated === 'serial' || generated === 'uuid') return generated === 'serial' ? 'number' : 'uuid'
  const id = generated === false ? users?.id : undefined
  return id?.columnType === 'PgUUID' ? 'uuid' : id && dataOf(id) === 'number' ? 'number' : 'text'
}

/** The type of a column that refers to nothing. `write` writes a literal. */
export function typeOf(
  { type, unique, sortable, bigint }: DBFieldAttribute,
  isKey: boolean,
  known: Types,
  write: (value: unknown) => string,
) {
  if (Array.isArray(type)) return known.key.startsWith('exact') ? `mysqlEnum($, ${write(type)})` : `text($, { enum: ${write(type)} })`
  if (type === 'string') return unique || isKey ? known.key : sortable ? known.sorted : known.text
  if (type === 'boolean' || type === 'date' || type === 'json') return known[type]
  const number = bigint ? known.bigint : known.number
  if (type === 'number') return number
  return known.list.startsWith('.') ? (type === 'number[]' ? number : known.text) + known.list : known.list
}

/** The type of a column that refers to this one. Undefined if Drizzle has no function of this name. */
export function referringType(column: Column): string | undefined {
  const type = column.getSQLType()
  if (type === 'varbinary(1020)') return 'exactText($)'
  const [, size = '', name, length, unsigned] =
    /^(small|big)?(text|uuid|char|varchar|int|integer|serial)(?:\((\d+)\))?( unsigned)?$/.exec(type) ?? []
  const isSqlite = kindsOf(column).includes('SQLiteColumn')
  if (!name || (isSqlite && !/^(text|integer)$/.test(name))) return undefined
  const isMysql = kindsOf(column).includes('MySqlColumn')
  const whole = isMysql ? 'bigint' : size ? `${size}int` : 'integer'
  const fn = name === 'serial' ? whole : size + name
  const options = [
    ...(fn === 'bigint' ? [`mode: '${/64$/.test(column.columnType) ? 'bigint' : 'number'}'`] : []),
    ...(length ? [`length: ${length}`] : []),
    ...(unsigned || (name === 'serial' && isMysql) ? ['unsigned: true'] : []),
  ].join(', ')
  return `${fn}($${options && `, { ${options} }`})`
}

/** Whether a column can hold a field of Better Auth. The adapter converts dates and JSON in text. */
export function canHold(column: Column, { type, references }: DBFieldAttribute): boolean {
  const data = dataOf(column)
  const kind = data === 'bigint' ? 'number' : data
  if (!['string', 'number', 'boolean', 'date', 'json', 'array'].includes(kind)) return true
  if (references) return kind === 'string' || kind === 'number'
  if (type === 'json' || type === 'string[]' || type === 'number[]') return /^(json|array|string)$/.test(kind)
  return kind === (Array.isArray(type) ? 'string' : type) || (type === 'date' && kind === 'string')
}
