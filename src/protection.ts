import type { AccountNames, ModelName } from './models.js'
import type { ModelTable } from './query/table.js'

/** The methods of `secretsAtRest` that the adapters call. */
export interface Protections {
  /**
   * The table as callers see it, if its rows are stored differently. Throws if the columns cannot hold what is stored. For the
   * adapter alone.
   *
   * @internal
   */
  protect(model: ModelName, table: ModelTable): ModelTable | undefined

  /**
   * For a library that needs its session tokens as they are: wraps its accounts table. Throws if session tokens are to be protected.
   *
   * @internal
   */
  protectAccountsOf(caller: string): (table: ModelTable, names: AccountNames) => ModelTable
}
