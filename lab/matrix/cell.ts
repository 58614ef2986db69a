import type { AdapterOptions } from '../../src/index.js'
import type { RuntimeName } from './runtimes.js'
import type { ServerName } from './servers.js'

/** The versions of drizzle-orm, and the names under which this project has installed them. */
export const drizzles = { '0.45.4': 'drizzle-orm', '1.0.0-rc.5': 'drizzle-orm-v1' } as const

export type Drizzle = keyof typeof drizzles

/** One row of the table: a driver with one setting on one runtime. */
export interface Cell {
  dialect: 'pg' | 'mysql' | 'sqlite'
  /** The usual name of the driver. */
  title: string
  /** The file in `drivers/` that opens it, one for each version of Drizzle if they differ. */
  driver: string | Record<Drizzle, string>
  /** The package of the driver, to show its version. */
  package?: string
  runtime: RuntimeName
  /** Whether the Worker runs it in a Durable Object, with the storage of that object as the database. */
  inObject?: boolean
  server?: ServerName
  /** The setting that distinguishes this cell, as shown in the table. */
  setting?: string
  /** Whether the tables of SQLite have names without capitals. */
  snakeCase?: boolean
  foreignKeys?: boolean
  prepare?: boolean
  options?: AdapterOptions
  /** For versions of Drizzle without this driver: the module that is missing. */
  missing?: Partial<Record<Drizzle, string>>
  /**
   * The version of Drizzle with which `--ci` runs it. Absent where the suite is much the same as in another cell, or takes minutes.
   * `npm test` runs the suite on the most common drivers, with both versions.
   */
  ci?: Drizzle
}

export function idOf({ title, server, setting, runtime }: Cell): string {
  return [title, server, setting, runtime].filter(Boolean).join(', ')
}
