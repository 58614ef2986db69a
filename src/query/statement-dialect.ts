import type { Column, SQL } from 'drizzle-orm'
import type { Awaitable, Database, Prepared, Query } from './drizzle.js'
import type { Purpose } from './errors.js'
import type { FailureRules } from './failures.js'
import type { DialectName } from './internals.js'

/** The differences between databases in values and statements. `Dialect` adds those in writes. */
export interface StatementDialect {
  readonly name: DialectName
  /** The meaning of its error codes. */
  readonly failures: FailureRules
  /** What to change if a driver rounds integers, or returns lists as text. */
  readonly driverHints: { readonly integers: string; readonly lists?: string }
  /** Whether it pads char(n) with spaces that do not belong to the value. */
  readonly padsText?: true

  /** Whether the driver sends the value unchanged, and an integer fits into the column. */
  canSend(sent: unknown, column?: Column): boolean

  /** Finds unsupported settings of a connection. Called before the first statement of a client. */
  findProblems?(db: Database): Promise<readonly Problem[]>

  /** Prepares a query for its session. PostgreSQL keeps it if `isOnServer` is true and the driver asks for it. */
  prepare(query: Query, returnsRows: boolean, isOnServer: boolean): { readonly prepared: Prepared; readonly method: keyof Prepared }

  /** How to run a query with its values, if the driver must not prepare it. */
  runUnprepared?(db: Database, purpose: Purpose): ((query: Query) => Awaitable<unknown>) | undefined

  /** The number of rows in the result of a write. Absent for databases with RETURNING, where the returned rows are counted. */
  countWritten?(result: unknown): number

  /** Locks the rows that a query reads, until the transaction ends. Absent for SQLite, which has one writer at a time. */
  lockRows?(query: Query): Query

  /** Whether one statement can delete from several tables, each in a common table expression. */
  readonly deletesInCtes?: true

  /** A column or a value as text whose `=` compares bytes, in lower case if case is ignored. */
  bytesOf(value: Column | SQL, ignoresCase: boolean): SQL

  /** Whether the first text contains the second one at a place. Both are results of `bytesOf`, and the second is not empty. */
  readonly hasText: Readonly<Record<Place, (text: SQL, part: SQL) => SQL>>

  /** How to send a list of values as one parameter. Absent if each value must be a parameter of its own. */
  readonly lists?: {
    /** The list as one value. `undefined` if one of its values cannot be a part of it. */
    pack(sent: readonly unknown[]): unknown
    /** Whether the column has one of the values of the list, in all of these forms. */
    isIn(column: Column, is: Membership, packed: SQL, forms: readonly Form[]): SQL
  }

  /**
   * How JSON is read, written and compared as text. Drivers that convert JSON confuse the text `"1"` with the number 1, and JSON's booleans
   * with SQL's. Absent if JSON is text.
   */
  readonly json?: {
    toText(column: Column): SQL
    fromText(text: SQL, column: Column): SQL
    /** JSON in the canonical spelling that is compared. */
    normalized?(value: Column | SQL): SQL
  }
}

/** An unsupported setting, and how to change it. */
export interface Problem {
  readonly setting: 'sql-mode' | 'autocommit' | 'character-set'
  readonly message: string
  readonly fix: string
  readonly isHarmlessInTransactions?: true
}

/** Where a text must contain another one. */
export type Place = 'contains' | 'startsWith' | 'endsWith'
/** Whether a column must have one of several values, or must not. */
export type Membership = 'in' | 'notIn'

/** Converts both the column and the values before they are compared. */
export type Form = (value: Column | SQL) => SQL
