import type { Column, SQL } from 'drizzle-orm'
import type { Awaitable, Database, Prepared, Query } from './drizzle.js'
import type { Purpose } from './errors.js'
import type { FailureRules } from './failures.js'
import type { DialectName } from './internals.js'

/** What databases do differently about values and statements. `Dialect` adds what they do differently about rows. */
export interface StatementDialect {
  readonly name: DialectName
  /** What its error codes mean. */
  readonly failures: FailureRules
  /** What to change where a driver rounds integers, or returns lists as text. */
  readonly driverHints: { readonly integers: string; readonly lists?: string }
  /** Whether it fills char(n) with spaces, which are no part of the value. */
  readonly padsText?: true

  /** Whether the driver sends the value as it is, and the column, if there is one, is wide enough for an integer. */
  canSend(sent: unknown, column?: Column): boolean

  /** Finds settings of a connection with which promises cannot be kept. Asked before the first statement of a client. */
  findProblems?(db: Database): Promise<readonly Problem[]>

  /** Prepares a query for its session. PostgreSQL keeps it if `isOnServer` is true and the driver asks for it. */
  prepare(query: Query, returnsRows: boolean, isOnServer: boolean): { readonly prepared: Prepared; readonly method: keyof Prepared }

  /** How a query with its values is run where nothing can be prepared. */
  runUnprepared?(db: Database, purpose: Purpose): ((query: Query) => Awaitable<unknown>) | undefined

  /** The number of rows in what a write reports. Absent where writes have RETURNING: there, the rows are counted. */
  countWritten?(result: unknown): number

  /** Locks the rows that a query reads, until the transaction ends. Absent where there is one writer at a time. */
  lockRows?(query: Query): Query

  /** Whether one statement can delete from several tables, each in a common table expression. */
  readonly deletesInCtes?: true

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

  /**
   * How JSON is read, written and compared as text. Drivers that convert it themselves confuse a text with the value that is spelled like it,
   * and a boolean with one of SQL. Absent where JSON is text.
   */
  readonly json?: {
    toText(column: Column): SQL
    fromText(text: SQL, column: Column): SQL
    /** The one spelling in which JSON is compared. */
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

/** Where a text must contain another. */
export type Place = 'contains' | 'startsWith' | 'endsWith'
/** Whether a column has one of several values, or not. */
export type Membership = 'in' | 'notIn'

/** A form in which a column is compared with values: both are converted in the same way. */
export type Form = (value: Column | SQL) => SQL
