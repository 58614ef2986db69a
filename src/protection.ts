import type { AccountNames, ModelName } from './models.js'
import type { Table } from './query/table.js'

/** The adapter's part of what `secretsAtRest` returns. The core knows no more of it. */
export interface Protections {
  /**
   * The table as callers see it, if its rows are stored differently. Throws if the columns cannot hold what is stored. For the
   * adapter alone.
   *
   * @internal
   */
  protect(model: ModelName, table: Table): Table | undefined

  /**
   * For a library that needs its session tokens as they are: wraps its accounts table. Throws if session tokens are to be protected.
   *
   * @internal
   */
  protectAccountsOf(caller: string): (table: Table, names: AccountNames) => Table
}
