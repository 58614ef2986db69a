import type { DialectName } from '../query/internals.js'
import { literal } from './literal.js'

/** How Better Auth identifies rows: by its own texts, by UUIDs, or by numbers that the database counts. */
export type IdKind = 'text' | 'uuid' | 'serial'

/** How the columns of one dialect are written in a schema file. */
export interface SchemaWriter {
  readonly module: string
  readonly table: string
  readonly anyColumn: string
  /** What a schema file may import from the module. */
  readonly functions: readonly string[]
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
  /** The default of a date: the current time. */
  readonly now: string
  list(name: string, type: 'string[]' | 'number[]', isBig: boolean): string
  json(name: string): string
}

const column = (type: string, name: string, options?: string) => `${type}(${literal(name)}${options ? `, ${options}` : ''})`
const enumOf = (values: readonly string[]) => `{ enum: [${values.map(literal).join(', ')}] }`

const pg: SchemaWriter = {
  module: 'pg-core',
  table: 'pgTable',
  anyColumn: 'AnyPgColumn',
  functions: ['bigint', 'boolean', 'index', 'integer', 'jsonb', 'pgTable', 'text', 'timestamp', 'uniqueIndex', 'uuid'],
  id: (kind) =>
    ({
      text: `text('id').primaryKey()`,
      uuid: `uuid('id').defaultRandom().primaryKey()`,
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
  now: '.defaultNow()',
  list: (name, type, isBig) => `${type === 'string[]' ? pg.text(name) : pg.number(name, isBig)}.array()`,
  json: (name) => column('jsonb', name),
}

const mysql: SchemaWriter = {
  module: 'mysql-core',
  table: 'mysqlTable',
  anyColumn: 'AnyMySqlColumn',
  functions: ['bigint', 'boolean', 'datetime', 'index', 'int', 'mysqlEnum', 'mysqlTable', 'text', 'uniqueIndex', 'varchar'],
  id: (kind) => (kind === 'serial' ? `int('id').autoincrement().primaryKey()` : `exactText('id').primaryKey()`),
  reference: (name, kind) => column(kind === 'serial' ? 'int' : 'exactText', name),
  key: (name) => column('exactText', name),
  shortText: (name) => column('varchar', name, '{ length: 255 }'),
  text: (name) => column('text', name),
  oneOf: (name, values) => column('mysqlEnum', name, `[${values.map(literal).join(', ')}]`),
  number: (name, isBig) => (isBig ? column('bigint', name, `{ mode: 'number' }`) : column('int', name)),
  boolean: (name) => column('boolean', name),
  date: (name) => column('datetime', name, `{ mode: 'date', fsp: 3 }`),
  // now() would be in the time zone of the connection, and Drizzle reads the column as UTC.
  now: '.$defaultFn(() => new Date())',
  // Better Auth writes lists and JSON as text.
  list: (name) => column('text', name),
  json: (name) => column('text', name),
}

const sqlite: SchemaWriter = {
  module: 'sqlite-core',
  table: 'sqliteTable',
  anyColumn: 'AnySQLiteColumn',
  functions: ['index', 'integer', 'sqliteTable', 'text', 'uniqueIndex'],
  id: (kind) => (kind === 'serial' ? `integer('id').primaryKey({ autoIncrement: true })` : `text('id').primaryKey()`),
  reference: (name, kind) => column(kind === 'serial' ? 'integer' : 'text', name),
  key: (name) => column('text', name),
  shortText: (name) => column('text', name),
  text: (name) => column('text', name),
  oneOf: (name, values) => column('text', name, enumOf(values)),
  number: (name) => column('integer', name),
  boolean: (name) => column('integer', name, `{ mode: 'boolean' }`),
  date: (name) => column('integer', name, `{ mode: 'timestamp_ms' }`),
  // The text of the official adapter. With another default, drizzle-kit would copy its tables.
  now: ".default(sql`(cast(unixepoch('subsecond') * 1000 as integer))`)",
  list: (name) => column('text', name),
  json: (name) => column('text', name),
}

export const writers: Record<DialectName, SchemaWriter> = { pg, mysql, sqlite }
