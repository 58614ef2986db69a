import type { Where } from './conditions.js'
import type { Row, Values } from './drizzle.js'
import type { StatementDialect } from './statement-dialect.js'
import type { First, StoredTable } from './stored-table.js'

/** Everything that databases do differently. No operation asks which one it runs on. */
export interface Dialect extends StatementDialect {
  /** The new row. */
  insert(table: StoredTable, values: Values): Promise<Row>

  /** Changes one of the rows that satisfy the condition, even if it has these values already. Returns it, or `null` if there is none. */
  updateOne(table: StoredTable, where: Where, values: Values): Promise<Row | null>

  /** Deletes one of the rows that satisfy the condition. Of concurrent callers one gets it, the others get `null`. */
  deleteOne(table: StoredTable, where: Where): Promise<Row | null>

  /** Deletes the first rows that satisfy the condition, in the order of a column. Returns the number deleted. */
  deleteFirst(table: StoredTable, where: Where, first: First): Promise<number>
}
