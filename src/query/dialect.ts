import type { SQL, Table } from 'drizzle-orm'
import type { Awaitable } from './awaitable.js'
import type { Comparisons, Condition, Where } from './conditions.js'
import type { Columns, Database, Prepared, Query, Row, Values } from './drizzle.js'
import type { Failure, Purpose } from './errors.js'
import type { FailureRules } from './failures.js'
import type { DialectName } from './internals.js'
import type { RowCodec } from './rows.js'

/** Runs a statement that was built before, with the values of its placeholders `0`, `1`, … Rows arrive as arrays of values. */
export type Run = (values: readonly unknown[]) => Awaitable<unknown>

/** How a statement is prepared for one session. */
export interface Preparation {
  readonly db: Database
  /** See `Statement`. */
  readonly name: string | undefined
  readonly returnsRows: boolean
  /** Runs what was prepared with this method. */
  toRun(prepared: Prepared, method: keyof Prepared): Run
}

/** Everything that databases do differently. No operation asks which one it runs on. */
export interface Dialect extends Comparisons {
  readonly name: DialectName
  /** What its error codes mean. */
  readonly failures: FailureRules
  /** What to change where a driver rounds integers. */
  readonly integerHint: string

  /** What to run before the first statement: it fails if the connection has a setting with which promises cannot be kept. */
  checkSettings?(db: Database): (() => Promise<void>) | undefined

  /** Prepares a statement for a session. `query` returns the query, bound to that session. */
  prepare(query: () => Query, preparation: Preparation): Run

  /** Whether writes can return the rows that they wrote. */
  readonly supportsReturning: boolean

  /**
   * Whether a statement failed because no row can have one of the values that it requires, such as a text outside the column's character
   * set. Asked of the values alone: a policy or a trigger can fail any statement on the table.
   */
  isImpossible?(table: StoredTable, required: Values, failure: Failure): Promise<boolean>

  /** Whether two columns could not be compared because of their collations. Each table can be asked by itself. */
  isUnjoinable?(failure: Failure): boolean

  /** The new row. */
  insert(table: StoredTable, values: Values): Promise<Row>

  /** Changes one of the rows that satisfy the condition, even if it has these values already. Returns it, or `null` if there is none. */
  updateOne(table: StoredTable, where: Where, values: Values): Promise<Row | null>

  /** Changes all rows that satisfy the condition. Returns their number. */
  updateAll(table: StoredTable, where: Where, values: Values): Promise<number>

  /** Deletes one of the rows that satisfy the condition. Of concurrent callers one gets it, the others get `null`. */
  deleteOne(table: StoredTable, where: Where): Promise<Row | null>

  /** Deletes all rows that satisfy the condition, or the first by a column. Returns the number deleted. */
  deleteAll(table: StoredTable, where: Where, first?: First): Promise<number>

  /** Deletes a user and everything that belongs to it. If the user stays, everything does. */
  deleteUser(user: Selection, belongings: readonly Selection[]): Promise<Row | null>
}

/** The first rows in the order of a column. */
export interface First {
  readonly orderBy: string
  readonly limit: number
}

/** The rows of a table that satisfy a condition. */
export interface Selection {
  readonly table: StoredTable
  readonly where: Where
}

/** The columns that a statement returns of one table. */
export interface RowGroup {
  readonly names: readonly string[]
  /** Whether nothing that Drizzle does with their values is needed. */
  readonly isRaw: boolean
}

/** What an insert, an update or a delete returns, where the database supports RETURNING: the rows, or only how many there are. */
export type Returned = 'rows' | 'count'

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

/** A table as a dialect works with it: conditions may be of any kind, values are encoded, and rows are decoded. */
export interface StoredTable {
  readonly table: Table
  readonly columns: Columns
  readonly codec: RowCodec
  /** The columns that identify one row. */
  readonly key: readonly string[]
  /** Tells it from other tables in the ids of statements. */
  readonly id: number
  /** The database of this moment. */
  readonly db: Database

  /** Encodes a condition. */
  where(condition: Condition): Where
  /** The values of a unique key that a condition requires, among other things. `undefined` if several rows can satisfy it. */
  uniqueKeyIn(where: Where): Values | undefined

  /**
   * Prepares to find rows whose key is equal under the column's collation, as arrays of values, each with those of the row of another table
   * that it refers to. The caller must compare exactly.
   */
  finder(by: readonly string[], other?: StoredTable, join?: Join): (sent: readonly unknown[]) => Awaitable<unknown[][]>
  /** Rows that satisfy the condition exactly. */
  list(where: Where, options?: ListOptions): Awaitable<Row[]>
  /** The number of rows that satisfy the condition exactly. */
  count(where: Where): Promise<number>

  /** What the database reports for a write: the rows where it supports RETURNING. With `first`, only the first row by key is written. */
  insert(values: Values): Awaitable<unknown>
  update(where: Where, values: Values, returned: Returned, first?: 'first'): Awaitable<unknown>
  delete(where: Where, returned: Returned, first?: 'first'): Awaitable<unknown>
  /** Deletes the first rows in the order of a column. `lockClause` is for selecting them. */
  deleteFirst(where: Where, first: First, lockClause: SQL): Awaitable<unknown>
  /** The first row that a write returned. If it cannot be decoded, the failure says that the write has happened. */
  firstWritten(rows: unknown): Row | null

  /** Runs a statement that is built for this call. */
  run(purpose: Purpose, build: (db: Database) => Query, values?: readonly unknown[], groups?: readonly RowGroup[]): Awaitable<unknown>
  /** Runs anything that the database does as a whole or not at all, with the same failures and retries as a statement. */
  attempt(purpose: Purpose, run: (db: Database) => Awaitable<unknown>): Awaitable<unknown>
}
