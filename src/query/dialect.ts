import type { Where } from './conditions.js'
import type { Database, Row, Values } from './drizzle.js'
import type { Failure } from './errors.js'
import type { StatementDialect } from './statement-dialect.js'
import type { First, StoredTable } from './stored-table.js'

/** Everything that databases do differently. No operation asks which one it runs on. */
export interface Dialect extends StatementDialect {
  /** The database with transactions that can be tried again if they could not begin. Absent where all can. */
  withSafeTransactions?(db: Database): Pick<Database, 'batch' | 'transaction'>

  /**
   * Whether a statement failed because no row can have one of the values that it requires, such as a text outside the column's character
   * set. Asked without the table's rows: a policy or a trigger can fail any statement on them.
   */
  isImpossible?(table: StoredTable, required: Values, failure: Failure): Promise<boolean>

  /** Whether two columns could not be compared because of their collations. Each table can be asked by itself. */
  isUnjoinable?(failure: Failure): boolean

  /** The new row. */
  insert(table: StoredTable, values: Values): Promise<Row>

  /** Changes one of the rows that satisfy the condition, even if it has these values already. Returns it, or `null` if there is none. */
  updateOne(table: StoredTable, where: Where, values: Values): Promise<Row | null>

  /** Deletes one of the rows that satisfy the condition. Of concurrent callers one gets it, the others get `null`. */
  deleteOne(table: StoredTable, where: Where): Promise<Row | null>

  /** Deletes the first rows that satisfy the condition, in the order of a column. Returns the number deleted. */
  deleteFirst(table: StoredTable, where: Where, first: First): Promise<number>

  /** Deletes a user and everything that belongs to it. If the user stays, everything does. */
  deleteUser(user: Selection, belongings: readonly Selection[]): Promise<Row | null>
}

/** The rows of a table that satisfy a condition. */
export interface Selection {
  readonly table: StoredTable
  readonly where: Where
}
