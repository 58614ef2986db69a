import type { Column, Table } from 'drizzle-orm'
import type { ColumnType, Database, Inspector, ModelName } from '../core.js'

/** What is said before anything is changed. Like a finding of the doctor, it holds no value of any row. */
export interface Notice {
  code: NoticeCode
  /** The plan fails, or loses something, until errors are put right. */
  severity: 'error' | 'warning'
  table?: string
  column?: string
  message: string
  fix?: string
}

type NoticeCode =
  | 'missing-table'
  | 'two-tables'
  | 'duplicates'
  | 'case-collisions'
  | 'orphans'
  | 'too-long'
  | 'unreadable-dates'
  | 'needs-value'
  | 'in-use'
  | 'capitals'
  | 'no-address'
  | 'decimal-ids'
  | 'text-dates'
  | 'missing-key'
  | 'other-tables'
  | 'other-columns'
  | 'undeclared-columns'
  | 'time-zone'
  | 'rebuild'
  | 'triggers'
  | 'old-tables'

/** A part of the plan: what it is for, and its statements in order. */
export interface Step {
  about: string
  sql: string[]
}

export interface Plan {
  notices: Notice[]
  steps: Step[]
}

export interface TablePath {
  schema: string
  name: string
}

export interface Key {
  kind: 'primary' | 'unique' | 'index'
  name: string
  columns: string[]
  /** Whether it is a constraint, and not an index alone. */
  isConstraint: boolean
}

/** A column as it is in the database. */
export interface OldColumn extends ColumnType {
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
  characterSet?: string | undefined
  collation?: string | undefined
  looseCollation?: string | undefined
  /** Views and the like that keep its type from being changed. */
  usedBy?: string[]
  /** What else a new definition of the column has to say. */
  rest?: string
}

/** A table as it is in the database. */
export interface OldTable extends TablePath {
  columns: OldColumn[]
  keys: Key[]
  /** The statement that made it, where the database keeps it. */
  definition?: string
  /** Statements that make its indexes and triggers again, by their names. */
  attached?: Map<string, string>
  /** What ALTER TABLE has to say so that long keys fit. */
  storage?: string | undefined
}

export interface OldForeignKey {
  name: string
  table: TablePath
  columns: string[]
  target: TablePath
  targetColumns: string[]
  /** What follows the columns that it refers to: ON DELETE CASCADE and the like. */
  rules: string
}

export interface OldDatabase {
  /** The schema of a table in code as it is written here: tables in code may name none. */
  schemaOf(declared: string): string
  tables: OldTable[]
  foreignKeys: OldForeignKey[]
}

/** A column of the app's tables in code. */
export interface NewColumn {
  /** The name in code. */
  field: string
  name: string
  type: string
  holds: ColumnType
  notNull: boolean
  /** As SQL writes it. */
  default?: string | undefined
  hasDefault: boolean
  column: Column
}

export interface NewForeignKey {
  name: string
  columns: string[]
  target: TablePath
  targetColumns: string[]
  onDelete: string
  onUpdate: string
}

/** One of the app's tables in code. */
export interface NewTable {
  model: ModelName
  path: TablePath
  table: Table
  columns: NewColumn[]
  keys: Key[]
  foreignKeys: NewForeignKey[]
}

/** A table and what becomes of it. */
export interface Move {
  now: NewTable
  old: OldTable
  /** The columns of the code with those of the database that they take over. */
  columns: { now: NewColumn; old: OldColumn | undefined }[]
  /** Columns of the database that the code does not declare: they stay. */
  others: OldColumn[]
}

/** What a check of rows looks at. */
export interface Rows {
  db: Database
  inspector: Inspector
  mover: Mover
  move: Move
}

interface RowResult {
  notices: Notice[]
  /** Statements that put the rows right, before anything else is changed. */
  sql?: string[]
}

export type RowCheck = (rows: Rows) => Promise<RowResult>

/** What the plan needs to know of a database, and how it writes statements. */
export interface Mover {
  read(db: Database, schemas: string[]): Promise<OldDatabase>
  quote(name: string): string
  /** Whether names that differ only in case are the same. */
  readonly foldsCase: boolean
  /** An address that nobody receives mail at, made of an id. */
  noAddress(id: string): string
  /** What can be wrong with rows in this database alone. */
  readonly rowChecks: readonly RowCheck[]
  /** The plan. `rows` puts rows right under their old names. */
  steps(moves: Move[], missing: NewTable[], database: OldDatabase, rows: Step): { steps: Step[]; notices: Notice[] }
  /** A line of the script between two statements, which drizzle-kit's migrations need and clients ignore. */
  readonly breakpoint: string
  /** How to run the script. */
  readonly howToRun: string
}

export const samePath = (one: TablePath, other: TablePath) => one.name === other.name && one.schema === other.schema
export const sameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((each, index) => each === other[index])
