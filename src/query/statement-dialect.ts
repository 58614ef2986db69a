import type { Column, SQL, Table } from 'drizzle-orm'
import type { Awaitable, Database, Prepared, Query } from './drizzle.js'
import type { FailureRules } from './failures.js'
import type { DialectName } from './internals.js'

/** What databases do differently about values and statements. `Dialect` adds what they do differently about rows. */
export interface StatementDialect {
  readonly name: DialectName
  /** What its error codes mean. */
  readonly failures: FailureRules
  /** What it cuts, rounds or refuses. */
  readonly limits: StorageLimits
  /** What to change where a driver rounds integers. */
  readonly integerHint: string
  /** What to change where a driver returns arrays as text. */
  readonly arrayHint?: string
  /** The number of rows in what a write reports. Absent where writes have RETURNING: there, the rows are counted. */
  countWritten?(result: unknown): number

  /** Fails if the connection has a setting with which promises cannot be kept. Runs before the first statement of a session. */
  checkSettings?(db: Database): Promise<void>

  /**
   * Prepares a query for its session. On PostgreSQL, the server keeps it under the name. With `''` the driver chooses the name, and with
   * `undefined` the server does not keep it.
   */
  prepare(query: Query, name: string | undefined, returnsRows: boolean): { readonly prepared: Prepared; readonly method: keyof Prepared }

  /** Whether one prepared statement can run several times at once. By default it can. */
  canRunConcurrently?(db: Database): boolean

  /** After a statement has failed: runs it in another way, or throws the error, or one that says more. */
  recover?(error: unknown, failed: FailedStatement): Awaitable<unknown>

  /** What to ask the catalog. It has such a row if the table may hide some of its own, because it is a view or has a row policy. */
  mayHideRows(table: Table): { readonly catalog: SQL; readonly condition: SQL }

  /** Locks the rows that a query reads, until the transaction ends. Absent where there is one writer at a time. */
  lockRows?(query: Query): Query

  /**
   * The form of a text column whose `=` compares bytes: its own may ignore case, accents, trailing spaces or Unicode normalization.
   * `undefined` for types that always compare exactly.
   */
  exactForm(column: Column): Form | undefined

  /** Any column or value as text whose `=` compares bytes, in lower case where case is ignored. */
  bytesOf(value: Column | SQL, ignoresCase: boolean): SQL

  /** Whether the first text contains the second one at a place. Both are what `bytesOf` returns, and the second is not empty. */
  readonly hasText: Readonly<Record<Place, (text: SQL, part: SQL) => SQL>>

  /** How the database takes a list of values as one parameter. Absent where each value is a parameter of its own. */
  readonly lists?: {
    /** The list as one value. `undefined` if one of its values cannot be a part of it. */
    pack(sent: readonly unknown[]): unknown
    /** Whether the column has one of the values of the list, in all of these forms. */
    isIn(column: Column, is: Membership, packed: SQL, forms: readonly Form[]): SQL
  }

  /** How a column is read whose numbers the database would write with fewer digits than they have. */
  fullDigits?(column: Column): FullDigits | undefined

  /** Decodes bytes as text. Fails if they are none. Absent where columns of bytes hold no text in code. */
  textOfBytes?(raw: unknown): string

  /**
   * How JSON is read and written as text. Drivers that convert it themselves confuse a text with the value that is spelled like it, and a
   * boolean with one of SQL. Absent where JSON is text.
   */
  readonly json?: {
    toText(column: Column): SQL
    fromText(text: SQL, column: Column): SQL
  }
}

/** Reads a column of numbers with all of their digits. */
export interface FullDigits {
  /** What to select. By default the column. */
  readonly selection?: SQL
  decode(number: number): number
}

/** Where a text must contain another. */
export type Place = 'contains' | 'startsWith' | 'endsWith'

/** Whether a column has one of several values, or none of them. */
export type Membership = 'in' | 'notIn'

/** A form in which a column is compared with values: both are converted in the same way. */
export type Form = (value: Column | SQL) => SQL

/** A statement that has failed. */
export interface FailedStatement {
  readonly db: Database
  readonly values: readonly unknown[]
  /** Whether it may run again if it did nothing. A cache of Drizzle can fail after a write, with any code. */
  readonly mayRepeat: boolean
  /** Prepares it so that the server does not keep it. `undefined` if the server did not keep it before. */
  prepareLocally(): Run | undefined
}

/** Runs a statement that was built before, with the values of its placeholders `0`, `1`, … Rows arrive as arrays of values. */
export type Run = (values: readonly unknown[]) => Awaitable<unknown>

/** What a database cuts, rounds or refuses in any mode. What depends on a column is asked once for each. */
export interface StorageLimits {
  /** Whether text may contain NUL. */
  readonly storesNul: boolean
  /** The digits after the point of a decimal type that names none. Absent where decimals are stored as floating-point numbers. */
  readonly defaultScale?: number
  /** The length that the column cuts a text to, in characters or in bytes. */
  lengthOf?(column: Column): Length | undefined
  /** Tells which values the database or its driver would change or misread beyond lengths and scales, such as integers out of range. */
  alters?(column: Column): ((sent: unknown) => boolean) | undefined
  /** Converts what is sent into what the column stores, where the database or its driver would do it in another way. */
  asStored?(column: Column): ((sent: unknown) => unknown) | undefined
}

export interface Length {
  characters?: number
  bytes?: number
}
