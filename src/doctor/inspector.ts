import type { Column, SQL } from 'drizzle-orm'
import type { Database } from '../query/drizzle.js'
import type { Finding } from './finding.js'
import { finding } from './finding.js'

/** What a column can hold, in words that all databases share. */
export interface ColumnType {
  holds: 'text' | 'bytes' | 'integer' | 'number' | 'boolean' | 'date' | 'zoned date' | 'day' | 'uuid' | 'json' | 'other'
  /** The most characters, or bytes for a binary type; unlimited if absent. */
  length?: number
  /** Whether `length` counts bytes. */
  isBinary?: boolean
  /** The bits of the largest integer, without a sign. */
  bits?: number
  /** The digits of a second's fraction. */
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
  /** It cannot be written. */
  isGenerated?: boolean
  /** Filled by the server's clock, in the time zone of the session. */
  isLocalTime?: boolean
  /** MySQL: the character set, and the bytes that a key needs for the column. */
  characterSet?: string | undefined
  bytes?: number | undefined
  /** The collation, as SQL writes it, if it is not the one that the type implies. */
  collation?: string | undefined
  /** The collation, if it takes different texts for the same. */
  looseCollation?: string | undefined
  /** The character set, if it lacks a part of Unicode. */
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
  /** In order. What is not a column is an expression, as the database writes it. */
  columns: string[]
  /** Whether it is a constraint, and not an index alone. */
  isConstraint: boolean
  /** Whether it is an ordinary index of all rows and whole columns, which compares as its columns do. */
  isPlain: boolean
}

export interface LiveForeignKey {
  name: string
  table: TablePath
  columns: string[]
  target: TablePath
  /** Empty on SQLite where it refers to the primary key without naming its columns. */
  targetColumns: string[]
  /** What follows the columns that it refers to: ON DELETE CASCADE and the like. */
  rules: string
}

/** A table by the names that the database keeps. The schema is empty on SQLite. */
export interface TablePath {
  schema: string
  name: string
}

/** A table as it is in the database. */
export interface LiveTable extends TablePath {
  columns: LiveColumn[]
  keys: LiveKey[]
  foreignKeys: LiveForeignKey[]
  /** Ids that were deleted may be given to new rows. */
  reusesIds?: boolean
  /** SQLite: the statement that made it. */
  definition?: string
  /** Why ALTER TABLE cannot do its work here: the table is partitioned, for example. */
  peculiarity?: string | undefined
}

/** A table by its names in the database. */
export interface TableName {
  schema: string | undefined
  name: string
}

/** One question about the server, the connection or the role. */
export interface Question {
  /** What it is about, for the finding that it has no answer. */
  about: string
  ask(db: Database, tables: ReadonlyMap<TableName, LiveTable>): Promise<Finding[]>
}

/** How to read one kind of database. */
export interface Inspector {
  /** Nothing if the table does not exist. */
  inspect(db: Database, table: TableName): Promise<LiveTable | undefined>
  /** All tables: those of the current schema, of these, and of others that refer to them. */
  inspectAll(db: Database, schemas: string[]): Promise<LiveTable[]>
  /** Reads a type as the database or Drizzle writes it. */
  parseType(type: string, column?: Column): ColumnType
  readonly questions: readonly Question[]
  /** Drizzle sends null for a column without a value, so that a default of the database is not used. */
  readonly ignoresDefaults?: true

  quote(name: string): string
  /** The text of a column or expression, compared byte by byte. */
  exact(text: SQL): SQL
  /** What puts several of them together: an operator, or the comma of MySQL's `count(distinct a, b)`. */
  readonly between: SQL
  /** SQL for a text in lower case. */
  lowerCase(text: string): string
  /** Whether the text has capitals. */
  hasCapitals(text: SQL): SQL
  /** Whether the text is a whole number that is written with a fraction, `4711.0`. */
  isDecimalId(text: SQL): SQL
  /** SQL that gives a column the type of the table in code. */
  changeType(table: string, column: string, type: string, isRequired: boolean): string
  addForeignKey(table: string, column: string, users: string, id: string): string
}

/** Columns whose dates are hours off where the session's time zone is not UTC: code reads them as UTC. */
export function localTimes(tables: ReadonlyMap<TableName, LiveTable>, fix: string): Finding[] {
  const message = "the column is filled by the server's clock in the session's time zone, which is not UTC, while code reads it as UTC"
  return [...tables].flatMap(([{ name: table }, { columns }]) =>
    columns.filter(({ isLocalTime }) => isLocalTime).map(({ name: column }) => finding('time-zone', message, { table, column, fix })),
  )
}

/** Runs a query and gives its rows. Drizzle's query builder gives them in the same form with every driver. */
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

/** Groups rows that are ordered, such as the columns of indexes. */
export function groupBy<Row>(rows: Row[], key: (row: Row) => unknown): Row[][] {
  const groups = new Map<unknown, Row[]>()
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row])
  return [...groups.values()]
}

/** A value is required, and nothing gives one. */
export const isUnfilled = (column: LiveColumn) => column.notNull && column.default === undefined && !column.isFilled

export const samePath = (one: TablePath, other: TablePath) => one.name === other.name && one.schema === other.schema
