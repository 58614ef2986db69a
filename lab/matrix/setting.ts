/** The settings with which a driver opens its database. */
export interface Setting {
  /** A new database with tables on the cell's server. Empty for drivers that create their own database. */
  url: string
  /** The statements that create the tables, for drivers that create their own database. */
  statements: string[]
  /** The location of such a database: the path of a file that does not exist yet, or the name of a binding of a Worker. */
  file: string
  foreignKeys: boolean
  /** The maximum number of connections. */
  connections: number
  /** Whether the driver may prepare statements on the server. */
  prepare: boolean
  logger: { logQuery(query: string): void }
  /** Options of the driver, such as how it returns integers. */
  driver?: Record<string, unknown>
  /** The bindings of a Worker. */
  bindings: Record<string, unknown>
}

interface Opened {
  db: unknown
  close(): Promise<unknown> | unknown
}

/** Opens a database with one driver. Writes need not be durable, so no driver waits for the disk. */
export type Open = (setting: Setting) => Promise<Opened>

/** The outcome of one run of a cell. */
export interface Outcome {
  runtime: string
  total: number
  failures: { name: string; error: string }[]
}
