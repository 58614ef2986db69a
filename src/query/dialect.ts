import type { Where } from './conditions.js'
import type { Row, Values } from './drizzle.js'
import type { StatementDialect } from './statement-dialect.js'
import type { First, StoredTable } from './stored-table.js'

/** All differences between the databases. Operations never ask which database they run on. */
export interface Dialect extends StatementDialect {
  /** Inserts a row and returns it. */
  insert(table: StoredTable, values: Values): Promise<Row>

  /** Updates one of the rows that satisfy the condition, even if it already has these values. Returns it, or `null`. */
  updateOne(table: StoredTable, where: Where, values: Values): Promise<Row | null>

  /** Deletes one of the rows that satisfy the condition. Of concurrent callers, only one gets the row, and the others get `null`. */
  deleteOne(table: StoredTable, where: Where): Promise<Row | null>

  /** Deletes the first rows that satisfy the condition, in the order of a column. Returns the number deleted. */
  deleteFirst(table: StoredTable, where: Where, first: First): Promise<number>
}
