import type { AccountNames, ModelName } from './models.js'
import type { ModelTable } from './query/table.js'

/** The methods of `secretsAtRest` that the adapters call. They are not for apps. */
export interface Protections {
  /** The table as callers see it, if its rows are stored differently. Throws if the columns cannot hold what is stored. */
  protect(model: ModelName, table: ModelTable): ModelTable | undefined

  /** Returns a function that wraps an accounts table. Throws if session tokens are to be protected, which the caller does not support. */
  protectAccountsOf(caller: string): (table: ModelTable, names: AccountNames) => ModelTable
}
