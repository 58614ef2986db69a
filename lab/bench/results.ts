import type { Product } from '../../test/support/products.js'
import type { Machine } from '../../test/support/versions.js'
import type { BetterAuthName, ContenderName, OperationName } from './contenders/contender.js'

/** Medians in microseconds. */
export type Times = Partial<Record<ContenderName, number>>

export type OperationTimes = Partial<Record<OperationName, Times>>

/** CPU time of this process, of `getSessionAndUser`; medians in microseconds. */
export interface CpuTimes {
  /** Compared with Drizzle's own prepared query. */
  session: Times
  /** With a new `db` on the same client and a new adapter, compared with the official adapter. */
  perRequest: Times
}

/** `getSessionAndUser` without and with hashed sessions; medians in microseconds. */
export interface SecretTimes {
  plain: number
  hashed: number
  /** With hashed sessions, for a token that the adapter has not seen before. */
  first: number
}

/** Adapters for Better Auth; medians in microseconds. */
export interface BetterAuthTimes {
  /** A session with its user. `layer` is Better Auth without a database, `authjs` is our `getSessionAndUser`. */
  session: Record<BetterAuthName | 'layer' | 'authjs', number>
  operations: Record<string, Record<BetterAuthName, number>>
}

export interface DatabaseResults {
  version: string
  /** `getSessionAndUser` with one connection. */
  session?: Times
  cpu?: CpuTimes
  operations?: OperationTimes
  secrets?: SecretTimes
  betterAuth?: BetterAuthTimes
}

export interface Results extends Partial<Record<Product, DatabaseResults>> {
  /** With the versions of the measured packages and their dependencies. */
  machine: Machine & { packages: Record<string, string> }
}
