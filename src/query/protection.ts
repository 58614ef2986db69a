import type { ModelName } from '../contract.js'
import type { Row, SqlDialect, TableStatements, Values } from './dialect.js'
import type { Awaitable } from './drizzle.js'

/** What becomes of a stored row, if it is not just found. `joined` is for callers who want its user alone. */
export type Use = 'joined' | 'inserted' | 'changed' | 'removed'

/** How session tokens are hashed, and which stored ones are. */
export interface TokenHash {
  hash(token: string): Promise<string>
  isHashed(stored: string): boolean
}

/** What stands between callers and the stored rows of one table. `drizzle-auth-adapter/secrets` makes them; the core knows no more of it. */
export interface Protection {
  /** The key as it is stored. If that can be in several forms, the value is a list of them. `null` if no row can have it. */
  storedKey(key: Values | null): Awaitable<Values | null>
  /** What to write of new values, or of changes to the row with this key. */
  storedValues(values: Values, key?: Values | null): Awaitable<Values>
  /** What callers get of a stored row. */
  reveal(row: Row, key: Values | null, use?: Use): Awaitable<Row>
  /** How the tokens of sessions are hashed. */
  readonly tokenHash?: TokenHash
}

/** The adapter's part of what `secretsAtRest` returns. */
export interface Protections {
  /**
   * The protection of a table, if it has one. Throws if its columns cannot hold protected values. For the adapter alone.
   *
   * @internal
   */
  protect(model: ModelName, statements: TableStatements, dialect: SqlDialect): Protection | undefined
}
