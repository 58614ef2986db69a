import type { Column, SQL } from 'drizzle-orm'
import type { Awaitable } from './awaitable.js'
import type { Place, Where } from './conditions.js'
import type { Database, Prepared, Query, Row, Values } from './drizzle.js'
import type { Failure } from './errors.js'
import type { FailureRules } from './failures.js'
import type { DialectName } from './internals.js'
import type { StorageLimits } from './limits.js'
import type { StoredTable } from './stored.js'

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

/** How a text is compared: by the column's own `=`, by its bytes, or by its bytes in lower case. */
export type TextForm = 'plain' | 'exact' | 'ignoringCase'

/** Everything that databases do differently. No operation asks which one it runs on. */
export interface Dialect {
  readonly name: DialectName
  /** What its error codes mean. */
  readonly failures: FailureRules
  /** What it cuts, rounds or refuses. */
  readonly limits: StorageLimits
  /** What to change where a driver rounds integers. */
  readonly integerHint: string

  /** What to run before the first statement: it fails if the connection has a setting with which promises cannot be kept. */
  checkSettings?(db: Database): (() => Promise<void>) | undefined

  /** Prepares a statement for a session. `query` returns the query, bound to that session. */
  prepare(query: () => Query, preparation: Preparation): Run

  /** Whether writes can return the rows that they wrote. */
  readonly supportsReturning: boolean

  /**
   * Converts a text column, and values for it, into a form whose `=` compares bytes: its own may ignore case, accents, trailing spaces or
   * Unicode normalization. `undefined` for types that always compare exactly.
   */
  exactForm(column: Column): ((value: Column | SQL) => SQL) | undefined

  /** Text in a form whose `=` compares bytes, in lower case where case is ignored. */
  bytesOf(value: Column | SQL, ignoresCase: boolean): SQL

  /** Whether the first text contains the second one at this place. Both are what `bytesOf` returns, and the second is not empty. */
  hasText(text: SQL, place: Place, part: SQL): SQL

  /** How the database takes a list of values as one parameter. Absent where each value is a parameter of its own. */
  readonly lists?: {
    /** The list as one value. `undefined` if one of its values cannot be a part of it. */
    pack(sent: readonly unknown[]): unknown
    /** Whether the column has one of the values of the list. */
    isIn(column: Column, packed: SQL, isNegated: boolean, form: TextForm): SQL
  }

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
