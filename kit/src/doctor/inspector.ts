import type { Database } from 'drizzle-auth-adapter/internal'
import type { Column, SQL, Table } from 'drizzle-orm'
import type { Finding } from './finding.js'

/** The part of Drizzle's `getTableConfig` that is the same in all dialects. */
export interface Declaration {
  primaryKeys: { columns: Column[]; name?: string | undefined }[]
  uniqueConstraints: { columns: Column[]; name?: string | undefined }[]
  indexes: { config: { name?: string | undefined; columns: object[]; unique?: boolean | undefined; where?: unknown } }[]
  foreignKeys: {
    reference(): { name?: string | undefined; columns: Column[]; foreignColumns: Column[]; foreignTable: Table }
    onDelete?: string | undefined
    onUpdate?: string | undefined
  }[]
}

/** What a column can hold, in terms that apply to all databases. */
export interface ColumnType {
  holds: 'text' | 'bytes' | 'integer' | 'number' | 'boolean' | 'date' | 'zoned date' | 'day' | 'uuid' | 'json' | 'other'
  /** The maximum number of characters, or of bytes for a binary type. Unlimited if absent. */
  length?: number
  /** Whether `length` counts bytes. */
  isBinary?: boolean
  /** The number of bits of the largest integer, without the sign. */
  bits?: number
  /** The number of decimals of the seconds. */
  fraction?: number
  /** Cannot hold dates after January 2038. */
  endsIn2038?: boolean
}

export interface LiveColumn extends ColumnType {
  name: string
  /** The type as the database writes it. */
  type: string
  notNull: boolean
  /** As SQL writes it. */
  default?: string | undefined
  /** Filled by the database: an identity, a counter or a generated column. */
  isFilled: boolean
  /** Cannot be written. */
  isGenerated?: boolean
  /** MySQL: the character set, and the bytes that a key needs for the column. */
  characterSet?: string | undefined
  bytes?: number | undefined
  /** The collation, as SQL writes it, if it is not the one that the type implies. */
  collation?: string | undefined
  /** The collation, if it treats different texts as equal. */
  looseCollation?: string | undefined
  /** The character set, if it cannot store all of Unicode. */
  narrowCharacterSet?: string | undefined
  /** MySQL: what a new definition of the column has to repeat, such as its comment. */
  rest?: string
  /** What a new definition of the column would lose, such as the rules of a domain. */
  unknown?: string | undefined
}

/** A primary key, a unique constraint or an index. */
export interface LiveKey {
  kind: 'primary' | 'unique' | 'index'
  name: string
  /** Column names in order, or expressions as the database writes them. */
  columns: string[]
  /** PostgreSQL checks it only when the transaction ends, so two writers can both pass. */
  isDeferrable?: boolean
  /** Whether it is a constraint, not only an index. */
  isConstraint: boolean
  /** Whether it is an ordinary index: on all rows and whole columns, with their collations. */
  isPlain: boolean
}

export interface LiveForeignKey {
  name: string
  table: TablePath
  columns: string[]
  target: TablePath
  /** Empty on SQLite if it references the primary key without naming its columns. */
  targetColumns: string[]
  /** What follows the referenced columns, such as ON DELETE CASCADE. */
  rules: string
}

/** The names of a table, as the database stores them. The schema is empty on SQLite. */
export interface TablePath {
  schema: string
  name: string
}

/** A table as it is in the database. */
export interface LiveTable extends TablePath {
  columns: LiveColumn[]
  keys: LiveKey[]
  foreignKeys: LiveForeignKey[]
  /** New rows may get the ids of deleted ones. */
  reusesIds?: boolean
  /** SQLite: the statement that created it. */
  definition?: string
  /** Why ALTER TABLE cannot change it, for example because it is partitioned. */
  peculiarity?: string | undefined
}

/** The names of a table, as the code declares them. */
export interface TableName {
  schema: string | undefined
  name: string
}

/** A check of the server, the connection or the role. */
export interface ServerCheck {
  /** What is checked, for the finding that the check failed. */
  about: string
  /** The tables have only the columns that the code declares. */
  run(db: Database, tables: LiveTable[]): Promise<Finding[]>
}

/** How to read the tables and settings of a database. */
export interface Inspector {
  /** What the code declares about a table. */
  declaration(table: Table): Declaration
  /** Returns undefined if the table does not exist. */
  inspect(db: Database, table: TableName): Promise<LiveTable | undefined>
  /** The tables of the current schema, of these schemas, and those that reference them. */
  inspectAll(db: Database, schemas: string[]): Promise<LiveTable[]>
  /** Parses a type as the database or Drizzle writes it. */
  parseType(type: string, column?: Column): ColumnType
  readonly serverChecks: readonly ServerCheck[]
  /** What can keep or change rows of a table behind a statement, such as its triggers. */
  rowChangers(db: Database, table: LiveTable): Promise<string[]>
  /** Whom the table is open to without row level security, and the statement that closes it. Only on PostgreSQL. */
  exposure?(db: Database, table: LiveTable): Promise<{ roles: string; fix: string } | undefined>

  quote(name: string): string
  /** The text of a column or expression, compared byte by byte. */
  exact(text: SQL): SQL
  /** SQL for a text in lower case. */
  lowerCase(text: string): string
  /** Whether the text has capital letters. */
  hasCapitals(text: SQL): SQL
  /** Whether the text consists of hexadecimal digits in lower case. */
  isHex(text: SQL): SQL
  /** Whether the database cannot index the whole column. */
  cannotIndex?(column: LiveColumn): boolean
  /** SQL that changes a column to the declared type. */
  changeType(table: string, column: string, type: string, isRequired: boolean): string
  /** What to do instead if the database cannot change a table in place. */
  readonly rebuild?: string
}

/** Runs a query with Drizzle's query builder, which returns rows in the same form with every driver. */
export async function read<Name extends string>(
  db: Database,
  fields: Record<Name, SQL>,
  from: SQL,
  where?: SQL,
): Promise<Record<Name, unknown>[]> {
  const query = db.select(fields).from(from)
  return (await ((where ? query.where(where) : query).$withCache(false) as unknown)) as Record<Name, unknown>[]
}

/** The first row of a query that always has one. */
export async function readOne<Name extends string>(db: Database, fields: Record<Name, SQL>, from: SQL): Promise<Record<Name, unknown>> {
  return (await read(db, fields, from))[0] as Record<Name, unknown>
}

/** Groups rows by a key, in the order of their first occurrence. */
export function groupBy<Row>(rows: Row[], key: (row: Row) => unknown): Row[][] {
  const groups = new Map<unknown, Row[]>()
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row])
  return [...groups.values()]
}

/** Whether every insert must provide a value. */
export const isUnfilled = (column: LiveColumn) => column.notNull && column.default === undefined && !column.isFilled

export const samePath = (one: TablePath, other: TablePath) => one.name === other.name && one.schema === other.schema
