import type { ModelName } from './models.js'
import type { Rows } from './query/rows.js'

/** The adapter's part of what `secretsAtRest` returns. The core knows no more of it. */
export interface Protections {
  /**
   * The rows of a table as callers see them, if they are stored differently. Throws if the columns cannot hold what is stored. For the
   * adapter alone.
   *
   * @internal
   */
  protect(model: ModelName, rows: Rows): Rows | undefined
}
