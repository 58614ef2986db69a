/** What a driver is told when it is to open its database. */
export interface Setting {
  /** A new database on the cell's server, its tables in place. Empty for drivers that bring a database of their own. */
  url: string
  /** What makes the tables in a database that a driver brings. */
  statements: string[]
  /** Where such a database is kept: the path of a file that is not there yet, or the name of a binding of a Worker. */
  file: string
  foreignKeys: boolean
  /** How many connections at most. */
  connections: number
  /** Whether statements may be kept on the server, where the driver asks. */
  prepare: boolean
  logger: { logQuery(query: string): void }
  /** Options of the driver's own, such as how it gives integers. */
  driver?: Record<string, unknown>
  /** The bindings of a Worker. */
  bindings: Record<string, unknown>
}

export interface Opened {
  db: unknown
  close(): Promise<unknown> | unknown
  /** The round trips so far, where the driver itself can tell. */
  trips?(): number
}

/** Opens a database through one driver. What is written need not survive the machine, so no driver waits for the disk. */
export type Open = (setting: Setting) => Promise<Opened>

/** What one run of a cell found. */
export interface Outcome {
  runtime: string
  total: number
  failures: { name: string; error: string }[]
  /** Of each operation whose round trips are not those that it should take. */
  excess: Record<string, { counted: number; expected: number }>
}
