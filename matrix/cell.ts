import type { AdapterOptions } from '../src/index.js'
import type { RuntimeName } from './runtimes.js'
import type { ServerName } from './servers.js'

/** The versions of drizzle-orm, and the packages that this project has them under. */
export const drizzles = { '0.45.4': 'drizzle-orm', '1.0.0-rc.5': 'drizzle-orm-v1' } as const

export type Drizzle = keyof typeof drizzles

/** Why a cell cannot do all. */
interface Limit {
  /** A sentence, with the issue where that is discussed, if there is one. */
  reason: string
  /** What the adapter says at run time: each failure holds it. */
  says: string
}

/** One row of the table: a driver, in one setting, on one runtime. */
export interface Cell {
  dialect: 'pg' | 'mysql' | 'sqlite'
  /** The driver, as people call it. */
  title: string
  /** How to open it: a file of `drivers/`, for each Drizzle where they differ. */
  driver: string | Record<Drizzle, string>
  /** The package that the driver is, for its version. */
  package?: string
  runtime: RuntimeName
  server?: ServerName
  /** What is special about it. */
  setting?: string
  /** `loose`: tables of somebody's own that compare loosely. */
  tables?: 'default' | 'loose'
  /** Ends each statement that makes a table. */
  suffix?: string
  foreignKeys?: boolean
  prepare?: boolean
  options?: AdapterOptions
  /** Variables of the server while the cell runs, such as `sql_mode`. */
  variables?: Record<string, string>
  /** Whether a TCP proxy counts the round trips; otherwise the driver's own proxy or Drizzle's logger counts statements. */
  throughProxy?: boolean
  /** Where the driver itself takes more than one trip for a statement. */
  tripsPerStatement?: { trips: number; reason: string }
  /** Drizzles that have no such driver: a module that is missing there. */
  missing?: Partial<Record<Drizzle, string>>
  /** What it cannot do, and why; the run holds that it still cannot. */
  limit?: Limit
  /**
   * Whether the part for CI has it, with both Drizzles, or with the one that is named: a driver whose statements take milliseconds each
   * needs a minute for the suite. `npm test` runs the same suite on the most common drivers.
   */
  ci?: true | Drizzle
}

export function idOf({ title, server, setting, runtime }: Cell): string {
  return [title, server, setting, runtime].filter(Boolean).join(', ')
}
