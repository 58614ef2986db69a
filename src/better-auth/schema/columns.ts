import type { DialectName } from '../../query/internals.js'
import { literal, templateText } from './names.js'

/** How Better Auth identifies rows: by its own texts, by UUIDs, or by numbers that the database counts. */
export type IdKind = 'text' | 'uuid' | 'serial'

/** How new columns of one dialect are written in a schema file. */
export interface ColumnWriter {
  readonly module: string
  readonly table: string
  readonly namespace: string
  readonly anyColumn: string
  id(kind: IdKind): string
  reference(name: string, kind: IdKind): string
  /** Text that is looked up, and must compare exactly. */
  key(name: string): string
  /** Text by which rows are sorted, such as a name. */
  shortText(name: string): string
  text(name: string): string
  oneOf(name: string, values: readonly string[]): string
  number(name: string, isBig: boolean): string
  boolean(name: string): string
  date(name: string): string
  list(name: string, type: 'string[]' | 'number[]', isBig: boolean): string
  json(name: string): string
  /** The default of a date: the current time. */
  readonly now: string
  /** The current time as the default of a column that is added to a table with rows. */
  addedNow(): string
  /** A default value. */
  value(given: unknown, type: string): string
}

const column = (type: string, name: string, options?: string) => `${type}(${literal(name)}${options ? `, ${options}` : ''})`
const enumOf = (values: readonly string[]) => `{ enum: ${literal(values)} }`

/** A default value. drizzle-kit does not escape quotes, so a text with one is written as SQL, which may need the type after it. */
function valueText(given: unknown, cast = ''): string {
  const text = typeof given === 'object' ? JSON.stringify(given) : String(given)
  return text.includes("'") ? `.default(sql\`${sqlLiteral(text)}${cast}\`)` : `.default(${literal(given)})`
}

/** A text in quotes of SQL, for a template of JavaScript. */
const sqlLiteral = (text: string) => `'${templateText(text.replaceAll("'", "''"))}'`

const pg: ColumnWriter = {
  module: 'pg-core',
  table: 'pgTable',
  namespace: 'pgSchema',
  anyColumn: 'AnyPgColumn',
  id: (kind) =>
    ({
      text: `text('id').primaryKey()`,
      uuid: "uuid('id').default(sql`pg_catalog.gen_random_uuid()`).primaryKey()",
      serial: `integer('id').generatedByDefaultAsIdentity().primaryKey()`,
    })[kind],
  reference: (name, kind) => column({ text: 'text', uuid: 'uuid', serial: 'integer' }[kind], name),
  key: (name) => column('text', name),
  shortText: (name) => column('text', name),
  text: (name) => column('text', name),
  oneOf: (name, values) => column('text', name, enumOf(values)),
  number: (name, isBig) => (isBig ? column('bigint', name, `{ mode: 'number' }`) : column('integer', name)),
  boolean: (name) => column('boolean', name),
  date: (name) => column('timestamp', name, '{ withTimezone: true, precision: 3 }'),
  list: (name, type, isBig) => `${type === 'string[]' ? pg.text(name) : pg.number(name, isBig)}.array()`,
  json: (name) => column('jsonb', name),
  now: '.defaultNow()',
  addedNow: () => '.defaultNow()',
  value: (given, type) => valueText(given, /^jsonb\(/.test(type) ? '::jsonb' : ''),
}

const mysql: ColumnWriter = {
  module: 'mysql-core',
  table: 'mysqlTable',
  namespace: 'mysqlSchema',
  anyColumn: 'AnyMySqlColumn',
  id: (kind) => (kind === 'serial' ? `int('id').autoincrement().primaryKey()` : `exactText('id').primaryKey()`),
  reference: (name, kind) => column(kind === 'serial' ? 'int' : 'exactText', name),
  key: (name) => column('exactText', name),
  shortText: (name) => column('varchar', name, '{ length: 255 }'),
  text: (name) => column('text', name),
  oneOf: (name, values) => column('mysqlEnum', name, literal(values)),
  number: (name, isBig) => (isBig ? column('bigint', name, `{ mode: 'number' }`) : column('int', name)),
  boolean: (name) => column('boolean', name),
  date: (name) => column('datetime', name, '{ fsp: 3 }'),
  // Better Auth writes lists and JSON as text.
  list: (name) => column('text', name),
  json: (name) => column('text', name),
  // now() would be in the time zone of the connection, and Drizzle reads the column as UTC.
  now: '.default(sql`(utc_timestamp(3))`)',
  addedNow: () => mysql.now,
  // MySQL takes a default of a text column only as an expression.
  value: (given, type) => {
    const text = typeof given === 'object' ? JSON.stringify(given) : String(given)
    if (!/^text\(/.test(type) && !/['\\]/.test(text)) return valueText(given)
    return `.default(sql\`(${sqlLiteral(text.replaceAll('\\', '\\\\'))})\`)`
  },
}

const sqlite: ColumnWriter = {
  module: 'sqlite-core',
  table: 'sqliteTable',
  namespace: '',
  anyColumn: 'AnySQLiteColumn',
  id: (kind) => (kind === 'serial' ? `integer('id').primaryKey({ autoIncrement: true })` : `text('id').primaryKey()`),
  reference: (name, kind) => column(kind === 'serial' ? 'integer' : 'text', name),
  key: (name) => column('text', name),
  shortText: (name) => column('text', name),
  text: (name) => column('text', name),
  oneOf: (name, values) => column('text', name, enumOf(values)),
  number: (name) => column('integer', name),
  boolean: (name) => column('integer', name, `{ mode: 'boolean' }`),
  date: (name) => column('integer', name, `{ mode: 'timestamp_ms' }`),
  list: (name) => column('text', name, `{ mode: 'json' }`),
  json: (name) => column('text', name, `{ mode: 'json' }`),
  now: ".default(sql`(cast(unixepoch('subsecond') * 1000 as integer))`)",
  // SQLite adds a column with a constant default only. It is for the rows that exist; new ones get the time.
  addedNow: () => `.default(sql\`${Date.now()}\`).$defaultFn(() => new Date())`,
  value: (given) => valueText(given),
}

export const columnWriters: Record<DialectName, ColumnWriter> = { pg, mysql, sqlite }
