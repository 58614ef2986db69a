import type { DialectName } from './dialect.js'
import { AdapterConfigError } from './errors.js'
import type { Database } from './statements.js'

const entityKind = Symbol.for('drizzle:entityKind')

const dialects: Record<string, DialectName> = {
  PgTable: 'pg',
  PgDialect: 'pg',
  MySqlTable: 'mysql',
  MySqlDialect: 'mysql',
  SQLiteTable: 'sqlite',
  SQLiteDialect: 'sqlite',
}

/** The database to talk to: of one with replicas always the primary, so that nothing is ever read stale. */
export function primaryOf(db: unknown, caller = 'DrizzleAdapter'): Database {
  const primary = (db as { $primary?: unknown } | null | undefined)?.$primary ?? db
  if (Object(primary) !== primary || typeof (primary as { select?: unknown }).select !== 'function') {
    throw new AdapterConfigError(`${caller}: the first argument is no Drizzle database. Pass what drizzle(…) returned, or a transaction.`)
  }
  return primary as Database
}

/** Whether this is a transaction of Drizzle's. */
export function isTransaction(db: object): boolean {
  return typeof (db as { rollback?: unknown }).rollback === 'function'
}

/** The dialect of a Drizzle database. */
export function dialectOfDatabase(db: object, caller = 'DrizzleAdapter'): DialectName {
  return supported(kindsOf((db as { dialect?: unknown }).dialect), `${caller}: the database`, 'Dialect')
}

/** Whether the driver loses a byte order mark at the start of a text, as those of PGlite and sql.js do. */
export function losesByteOrderMark(db: object): boolean {
  const { session } = db as { session?: { client?: { getRowsModified?: unknown } } }
  const kinds = kindsOf(session)
  // Drizzle 1.0 gives node:sqlite's session the name of sql.js's: what only the client of sql.js can do tells them apart.
  return kinds.includes('PgliteSession') || (kinds.includes('SQLJsSession') && typeof session?.client?.getRowsModified === 'function')
}

/** The dialect of a Drizzle table. */
export function dialectOfTable(table: unknown, what: string): DialectName {
  return supported(kindsOf(table), what, 'Table')
}

function supported(kinds: string[], what: string, suffix: string): DialectName {
  const kind = kinds.find((kind) => kind in dialects)
  if (kind) return dialects[kind] as DialectName
  const other = kinds.find((kind) => kind.endsWith(suffix) && kind !== suffix)
  throw new AdapterConfigError(
    other
      ? `${what} is of a dialect that is not supported (${other}). Supported are PostgreSQL, MySQL and SQLite.`
      : `${what} is no Drizzle ${suffix === 'Table' ? 'table' : 'database'}.`,
  )
}

// Read from the classes' own names, not by `instanceof`: an app may have two copies of Drizzle installed.
export function kindsOf(value: unknown): string[] {
  const kinds: string[] = []
  if (typeof value !== 'object' || value === null) return kinds
  let type = Object.getPrototypeOf(value)?.constructor
  while (type) {
    if (Object.hasOwn(type, entityKind)) kinds.push(String(type[entityKind]))
    type = Object.getPrototypeOf(type)
  }
  return kinds
}
