import type { DialectName } from './dialect.js'
import { misconfigured } from './errors.js'
import type { Database } from './statements.js'

const entityKind = Symbol.for('drizzle:entityKind')

const dialects: Record<string, DialectName> = { Pg: 'pg', MySql: 'mysql', SQLite: 'sqlite' }

/** The database to talk to: of one with replicas always the primary, so that nothing is ever read stale. */
export function primaryOf(db: unknown): Database {
  return (db as { $primary?: Database } | null | undefined)?.$primary ?? (db as Database)
}

/** Whether this is a transaction of Drizzle's. */
export function isTransaction(db: object): boolean {
  return typeof (db as { rollback?: unknown }).rollback === 'function'
}

/** The dialect of one of Drizzle's objects, whose class is named after it: `PgTable`, `MySqlDialect`. */
export function dialectOf(value: unknown, suffix: 'Table' | 'Dialect', what: string, none: string): DialectName {
  const kinds = kindsOf(value).filter((kind) => kind.endsWith(suffix) && kind !== suffix)
  const name = kinds.map((kind) => dialects[kind.slice(0, -suffix.length)]).find(Boolean)
  const isOther = `of a dialect that is not supported (${kinds[0]}). Supported are PostgreSQL, MySQL and SQLite`
  return name ?? misconfigured(`${what} is ${kinds[0] ? isOther : none}`)
}

// Read from the classes' own names, not by `instanceof`: an app may have two copies of Drizzle installed.
export function kindsOf(value: unknown): string[] {
  const kinds: string[] = []
  for (let type = Object.getPrototypeOf(Object(value))?.constructor; type; type = Object.getPrototypeOf(type))
    if (Object.hasOwn(type, entityKind)) kinds.push(String(type[entityKind]))
  return kinds
}
