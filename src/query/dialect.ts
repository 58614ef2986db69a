import type { Column, SQL, SQLWrapper, Table } from 'drizzle-orm'
import type { DialectName } from './detection.js'
import type { Awaitable, Database, Query } from './drizzle.js'
import type { FailureKind, Purpose } from './errors.js'
import type { FailureRules } from './failures.js'

/**
 * Values by the name of their column in code, in the column's own JavaScript type. In a condition, a list stands for the forms that a
 * value can have, and `null` for a column without a value.
 */
export type Values = Record<string, unknown>
export type Row = Record<string, unknown>

/** Whether a value of a condition can have several forms. */
export const hasForms = (where: Values) => Object.values(where).some(Array.isArray)

/** Runs a statement that was built before. */
export type Run = (parameters: Values) => Awaitable<unknown>

/** Builds one or more statements, and gives what runs them. */
export type Compile = (prepare: SqlDialect['prepare']) => Run

/** What a statement is kept by: the columns of its conditions and values. */
export interface Shape {
  name: string
  parameters: Values
  /** Whether a value must be part of the statement, which is then built for one run. */
  isInline: boolean
}

/** The rows of a table that have these values. */
export type Selection = readonly [table: TableStatements, where: Values]

/** A row and its user. Drizzle 0.45 would use an object of this name that somebody put on Object.prototype, so the names are unusual. */
export interface JoinedRow {
  auth_row: Row
  auth_user: Row
}

/** The statements of one table. */
export interface TableStatements {
  readonly db: Database
  readonly table: Table
  readonly columns: Readonly<Record<string, Column>>
  /** The columns that identify one row. */
  readonly key: readonly string[]
  select(where: Values): Awaitable<Row[]>
  /** Each row with the user that its `userId` refers to. */
  selectWithUser(where: Values, users: TableStatements): Awaitable<JoinedRow[]>
  /** What the database reports for an insert, update or delete: the rows where it supports RETURNING. */
  insert(values: Values): Awaitable<unknown>
  update(where: Values, values: Values): Awaitable<unknown>
  delete(where: Values): Awaitable<unknown>
  /** Deletes without reporting the rows. */
  deleteAll(where: Values): Awaitable<unknown>
  /** Deletes the rows with this `userId`, if that user does not exist. */
  deleteOrphans(where: Values, users: TableStatements): Awaitable<unknown>
  /** Fails only if the database cannot compare the columns with these values. Reads no row. */
  compare(where: Values): Awaitable<unknown>
  /** Fails only if the dialect's guard does. */
  checkConnection(): Awaitable<unknown>
  /** Builds a statement and runs it. Its text should always be the same: drivers and servers may keep it. */
  run(purpose: Purpose, build: () => Query): Awaitable<unknown>
  /** Runs anything that the database does as a whole or not at all, with the same failures and retries as a statement. */
  attempt(purpose: Purpose, run: () => Awaitable<unknown>): Awaitable<unknown>
  /** Runs what is built once for selections of these columns, from their `condition`s. The name tells it from the table's others. */
  runOnRows(name: string, purpose: Purpose, rows: readonly Selection[], compile: Compile): Awaitable<unknown>
  /** A value of a column as part of a statement that is built each time. */
  parameter(name: string, value: unknown): SQL
  /** A condition with the values as parameters, for statements that are built each time. */
  matches(where: Values): SQL
  /** A condition with placeholders, for statements that are kept. */
  condition(where: Values): SQL
  /** Adds the condition's parameters to a shape. */
  describe(where: Values, shape: Shape): void
  /** What to select or return, so that rows arrive decoded. */
  fields(): Record<string, Column | SQL>
}

/** How a column is read where Drizzle's way is not safe with every driver and setting. */
interface Reader {
  /** What to select instead of the column. */
  readonly expression?: SQL
  decode(raw: unknown): unknown
}

/** What the statements need to know about a database. */
export interface SqlDialect {
  readonly failures: FailureRules

  /** Builds a statement to run many times. */
  prepare(query: Query, returnsRows: boolean): Run

  /** Builds a statement to run once. The database should not keep it. */
  once(query: Query, returnsRows: boolean): Run

  /** Adds RETURNING where the database supports it. */
  withReturning(query: Query, fields: object): Query

  /**
   * A condition that is true for exactly this value: case, accents, trailing spaces and Unicode normalization count, whatever the column's
   * collation says. The column's own `=` comes first, so that its index is used.
   */
  same(column: Column, value: SQLWrapper): SQL

  /** How the database spells the numbers of a decimal column. Other spellings never match a key. */
  decimalSpelling(column: Column): RegExp

  /** Why the column cannot store the encoded value unchanged. Asked before anything is sent. */
  reasonToReject(column: Column, sent: unknown): FailureKind | undefined

  /** The encoded value as part of the statement, where the driver cannot be trusted to send it as a parameter. */
  readonly literal?: (column: Column, value: unknown) => SQL | undefined

  /** The parameter to send instead of the encoded value, where the driver can be told to write it into the statement safely. */
  readonly toParameter?: (column: Column, value: unknown) => unknown

  /** A condition that is always true, or fails if the connection would alter text. Part of each statement with a key, and of each insert. */
  readonly guard?: SQL

  /** How to read the column. Absent where Drizzle's own decoding is safe. */
  readonly reader?: (column: Column) => Reader | undefined
}

/** Writes that return the rows they wrote. */
export interface Writes {
  insert(table: TableStatements, values: Values): Promise<Row>

  /** The changed row, or `null` if no row has the key. */
  update(table: TableStatements, key: Values, values: Values): Promise<Row | null>

  /** Whether there was a row that satisfies the condition, and it was changed. */
  change(table: TableStatements, where: Values, values: Values): Promise<boolean>

  /** The deleted row. Of concurrent callers one gets it, the others get `null`. */
  remove(table: TableStatements, key: Values): Promise<Row | null>

  /** Deletes a user and everything that belongs to it. If the user stays, everything does. */
  removeUser(users: TableStatements, key: Values, belongings: readonly Selection[]): Promise<Row | null>

  /** Deletes all rows that satisfy the condition. Returns how many. */
  deleteEvery(table: TableStatements, condition: SQL): Promise<number>

  /** Deletes at most `limit` rows, in the order of a column. Returns how many. */
  deleteSome(table: TableStatements, condition: SQL, orderBy: Column, limit: number): Promise<number>
}

/** Everything that databases do differently. No operation asks which one it runs on. */
export interface Dialect {
  readonly name: DialectName
  readonly sql: SqlDialect
  readonly writes: Writes
  /** The same, adapted to the driver and the options. */
  readonly forDriver?: (db: Database, options: { namedStatements?: boolean }) => SqlDialect
}

/** For drivers that drop a byte order mark at the start of a text: such text is rejected before it is stored. */
export function rejectByteOrderMarks(dialect: SqlDialect): SqlDialect {
  const isMarked = (sent: unknown) => typeof sent === 'string' && sent.startsWith('\ufeff')
  return { ...dialect, reasonToReject: (column, sent) => (isMarked(sent) ? 'garbled' : dialect.reasonToReject(column, sent)) }
}
