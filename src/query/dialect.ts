import type { Column, SQL, Table } from 'drizzle-orm'
import type { FailureRules } from './classify.js'
import type { Condition, ExactForm, Place } from './conditions.js'
import type { Awaitable, Columns, Database, Query, Row, Values } from './drizzle.js'
import type { Purpose } from './errors.js'
import type { DialectName } from './internals.js'
import type { StorageLimits } from './storable.js'

/** Everything that databases do differently. No operation asks which one it runs on. */
export interface Dialect {
  readonly name: DialectName
  readonly sql: SqlDialect
  readonly rows: RowDialect
  /** What to run before the first statement: it fails if the connection has a setting with which promises cannot be kept. */
  checkSettings?(db: Database): (() => Promise<void>) | undefined
}

/** Runs a statement that was built before, with the values of its placeholders `0`, `1`, … */
export type Run = (parameters: readonly unknown[]) => Awaitable<unknown>

/** What statements need to know about a database. */
export interface SqlDialect {
  readonly failures: FailureRules
  readonly storage: StorageLimits
  /** What to change where a driver rounds integers. */
  readonly integerHint: string

  /** Builds a statement to run many times. `isNamed` asks the server to keep it under a name. */
  prepare(query: Query, returnsRows: boolean, isNamed: boolean): Run

  /** Runs a statement that was built for one call. The server should not keep it. */
  runOnce(query: Query, returnsRows: boolean): Awaitable<unknown>

  /** Adds RETURNING where the database supports it. */
  withReturning(query: Query, fields: object): Query

  /**
   * Converts a text column, and values for it, into a form whose `=` compares bytes: its own may ignore case, accents, trailing spaces or
   * Unicode normalization. `undefined` for types that always compare exactly.
   */
  exactForm(column: Column): ExactForm | undefined

  /** Text in a form whose `=` compares bytes, in lower case where case is ignored. */
  bytesOf(value: Column | SQL, ignoresCase: boolean): SQL

  /** Whether the first text contains the second one at this place. Both are what `bytesOf` returns, and the second is not empty. */
  hasText(text: SQL, place: Place, part: SQL): SQL
}

/** The statements of one table. Those that are used in every sign-in are built once. */
export interface Statements {
  readonly db: Database
  readonly table: Table
  readonly columns: Columns
  /** The columns that identify one row. */
  readonly key: readonly string[]
  /** What to select or return, so that rows arrive decoded. */
  readonly fields: Columns
  /** The values of a unique key that a condition requires, among other things. `undefined` if several rows can satisfy it. */
  uniqueKeyIn(where: Condition): Values | undefined

  /** Rows whose key is equal under the column's collation. The caller must compare exactly. */
  find(key: Values): Awaitable<Row[]>
  /** The same, each with the row of another table that it refers to. */
  findWith(key: Values, other: Statements, join: Join): Awaitable<JoinedRow[]>
  /** Rows that satisfy the condition exactly. */
  list(where: Condition, options?: ListOptions): Awaitable<Row[]>
  /** The number of rows that satisfy the condition exactly. */
  count(where: Condition): Awaitable<number>

  /** What the database reports for an insert, update or delete: the rows where it supports RETURNING. */
  insert(values: Values): Awaitable<unknown>
  update(where: Condition, values: Values, which?: Which): Awaitable<unknown>
  delete(where: Condition, which?: Which): Awaitable<unknown>

  /** A condition with its values as parameters, for statements that are built each time. `loosely` leaves equality to the collation. */
  matches(where: Condition, equality?: 'loosely'): SQL
  /** Runs a statement that is built each time. */
  run(purpose: Purpose, build: () => Query, returnsRows?: boolean): Awaitable<unknown>
  /** Runs anything that the database does as a whole or not at all, with the same failures and retries as a statement. */
  attempt(purpose: Purpose, run: () => Awaitable<unknown>): Awaitable<unknown>
}

/** Of the rows that satisfy a condition, all of them, or the first by key. */
export type Which = 'all' | 'first'

/** Which rows of a list, and in which order. */
export interface ListOptions {
  readonly orderBy?: string
  readonly descending?: boolean
  readonly limit?: number
  readonly offset?: number
  /**
   * Whether the rows are about to be written, or were. A transaction then locks them and reads them as they are now: MySQL would show them as
   * they were at its first read. Not for SQLite.
   */
  readonly forUpdate?: true
}

/** The columns that connect a row to one of another table. */
export interface Join {
  readonly from: string
  readonly to: string
}

/** The rows of a table that satisfy a condition. */
export interface Selection {
  readonly statements: Statements
  readonly where: Condition
}

/** A row and the row of another table that it refers to. */
export interface JoinedRow {
  row: Row
  other: Row
}

/** What rows need of a database: reads and writes for which databases need different statements. */
export interface RowDialect {
  /** The new row. `null` if it is gone before it could be read. */
  insert(table: Statements, values: Values): Promise<Row | null>

  /** The changed row, or `null` if no row satisfies the condition. */
  update(table: Statements, where: Condition, values: Values): Promise<Row | null>

  /** Changes rows that satisfy the condition. Returns whether there were any, even if they had these values already. */
  change(table: Statements, where: Condition, values: Values): Promise<boolean>

  /** The deleted row. Of concurrent callers one gets it, the others get `null`. */
  remove(table: Statements, where: Condition): Promise<Row | null>

  /** The changed row, or `null`. Of the rows that satisfy the condition, one is changed. */
  updateOne(table: Statements, where: Condition, values: Values): Promise<Row | null>

  /** Changes all rows that satisfy the condition. Returns their number. */
  updateAll(table: Statements, where: Condition, values: Values): Promise<number>

  /** The deleted row, or `null`. Of the rows that satisfy the condition, one is deleted, and returned to one of concurrent callers. */
  removeOne(table: Statements, where: Condition): Promise<Row | null>

  /** Deletes all rows that satisfy the condition. Returns the number deleted. */
  removeAll(table: Statements, where: Condition): Promise<number>

  /** Deletes at most `limit` rows, in the order of a column. Returns the number deleted. */
  removeSome(table: Statements, where: Condition, orderBy: string, limit: number): Promise<number>

  /** Deletes a user and everything that belongs to it. If the user stays, everything does. */
  removeUser(user: Selection, belongings: readonly Selection[]): Promise<Row | null>

  /** Rows by key, each with the row of another table that it refers to. */
  selectWith(table: Statements, key: Values, other: Statements, join: Join): Awaitable<JoinedRow[]>
}
