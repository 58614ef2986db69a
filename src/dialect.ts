import type { Column, SQL, SQLWrapper } from 'drizzle-orm'
import type { FailureCodes, FailureKind } from './errors.js'
import type { Database, Query, Row, Selected, Statement, TableStatements, Values } from './statements.js'
import type { AdapterOptions, Tables } from './types.js'

export type DialectName = 'pg' | 'mysql' | 'sqlite'

/** All that the databases do differently. No operation asks which of them it runs on. */
export interface Dialect {
  readonly name: DialectName

  /**
   * Throws where tables, or options of the adapter if given, cannot be right. Absent from the dialect that tables of `defineTables`
   * bring with them into bundles where every byte counts.
   */
  readonly check?: (caller: string, db: Database, tables: Partial<Tables>, options?: AdapterOptions) => void

  /** The same, as the database's driver and the options need it. */
  suited?(db: Database, options: AdapterOptions): Dialect

  /** The failures that this database's codes stand for, and what each leaves behind. */
  readonly failures: FailureCodes

  /** Builds a query once, to be run many times; `answers` says whether it gives rows. */
  prepare(query: Query, answers: boolean): Statement

  /** A query that is not worth keeping, neither here nor in the database. */
  once(query: Query, answers: boolean): Statement

  /** A query that writes, completed so that it tells what it wrote where the database can. */
  answering(query: Query): Query

  /** A condition that holds for the very same value alone: case, accents, trailing spaces and Unicode form count. */
  same(column: Column, value: SQLWrapper): SQL

  /** Why the column cannot keep what is to be sent as it is, if so: asked before the database sees it. */
  misfit(column: Column, sent: unknown): FailureKind | undefined

  /** What is sent as part of the statement, where the driver cannot be trusted to send it apart. */
  literal(sent: unknown): SQL | undefined

  insert(table: TableStatements, values: Values): Promise<Row>

  /** The changed row, or `null` where no row has the key. */
  update(table: TableStatements, key: Values, values: Values): Promise<Row | null>

  /** The deleted row; of many callers at once, one gets it and the others `null`. */
  remove(table: TableStatements, key: Values): Promise<Row | null>

  /** The same, and with it rows of other tables in the same statement: all of them go, or none. Absent where no statement can. */
  readonly removeWith?: ((table: TableStatements, key: Values, others: readonly Selected[]) => Promise<Row | null>) | undefined

  /** How a sub-select that picks rows to delete leaves those to others that they are deleting. Absent where a DELETE itself takes a LIMIT. */
  readonly picking?: SQL

  /** How many rows a DELETE deleted, by its answer. */
  deletedBy(answer: unknown): number
}

/** For drivers that lose a byte order mark at the start of a text: such text is refused before it is stored. */
export function withoutByteOrderMarks(dialect: Dialect): Dialect {
  const isMarked = (sent: unknown) => typeof sent === 'string' && sent.startsWith('\ufeff')
  return { ...dialect, misfit: (column, sent) => (isMarked(sent) ? 'garbled' : dialect.misfit(column, sent)) }
}
