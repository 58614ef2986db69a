import type { DialectName } from './dialect.js'
import { misconfigured } from './errors.js'
import type { Database } from './statements.js'

const entityKind = Symbol.for('drizzle:entityKind')

const dialects: Record<string, DialectName> = { Pg: 'pg', MySql: 'mysql', SQLite: 'sqlite' }

/** The database to talk to: of one with replicas always the primary, so that nothing is ever read stale. */
export function primaryOf(db: unknown, caller = 'DrizzleAdapter'): Database {
  const primary = (db as { $primary?: unknown } | null | undefined)?.$primary ?? db
  if (Object(primary) !== primary || typeof (primary as { select?: unknown }).select !== 'function') {
    misconfigured(`${caller}: the first argument is no Drizzle database. Pass what drizzle(…) returned, or a transaction`)
  }
  return primary as Database
}

/** Whether this is a transaction of Drizzle's. */
export function isTransaction(db: object): boolean {
  return typeof (db as { rollback?: unknown }).rollback === 'function'
}

/** The dialect of a Drizzle database. */
export function dialectOfDatabase(db: object, caller = 'DrizzleAdapter'): DialectName {
  return dialectOf((db as { dialect?: unknown }).dialect, 'Dialect', `${caller}: the database is`, 'database')
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
  return dialectOf(table, 'Table', `${what} is`, 'table')
}

// Drizzle's classes are named after their dialect: PgTable, MySqlDialect.
function dialectOf(value: unknown, suffix: string, what: string, thing: string): DialectName {
  const kinds = kindsOf(value).filter((kind) => kind.endsWith(suffix) && kind !== suffix)
  const name = kinds.map((kind) => dialects[kind.slice(0, -suffix.length)]).find(Boolean)
  const isOther = `of a dialect that is not supported (${kinds[0]}). Supported are PostgreSQL, MySQL and SQLite`
  return name ?? misconfigured(`${what} ${kinds[0] ? isOther : `no Drizzle ${thing}`}`)
}

// Read from the classes' own names, not by `instanceof`: an app may have two copies of Drizzle installed.
export function kindsOf(value: unknown): string[] {
  const kinds: string[] = []
  for (let type = Object.getPrototypeOf(Object(value))?.constructor; type; type = Object.getPrototypeOf(type))
    if (Object.hasOwn(type, entityKind)) kinds.push(String(type[entityKind]))
  return kinds
}
