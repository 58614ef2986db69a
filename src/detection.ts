import type { DialectName } from './dialect.js'
import { misconfigured } from './errors.js'
import type { Database } from './statements.js'

/** The database to talk to: of one with replicas always the primary, so that nothing is ever read stale. */
export function primaryOf(db: unknown, caller: string): Database {
  const primary = (db as { $primary?: Database } | null | undefined)?.$primary ?? (db as Partial<Database> | null | undefined)
  if (typeof primary?.select !== 'function') misconfigured(`${caller}: the first argument is no Drizzle database`)
  return primary as Database
}

/** Whether this is a transaction of Drizzle's. */
export function isTransaction(db: object): boolean {
  return typeof (db as { rollback?: unknown }).rollback === 'function'
}

// Drizzle's classes have names. They are read, and not `instanceof`: an app may have two copies of Drizzle installed.
const entityKind = Symbol.for('drizzle:entityKind')

/** What Drizzle calls the class of an object of its own. */
export function kindOf(value: object | undefined): unknown {
  return (value?.constructor as { [entityKind]?: unknown } | undefined)?.[entityKind]
}

/** The same, and the classes that it extends. */
export function kindsOf(value: unknown): string[] {
  const kinds: string[] = []
  for (let type = Object.getPrototypeOf(Object(value))?.constructor; type; type = Object.getPrototypeOf(type))
    if (Object.hasOwn(type, entityKind)) kinds.push(String(type[entityKind]))
  return kinds
}

const dialects: Record<string, DialectName> = { Pg: 'pg', MySql: 'mysql', SQLite: 'sqlite' }

export function dialectOfDatabase(db: Database, caller: string): DialectName {
  return dialectOf((db as { dialect?: unknown }).dialect, 'Dialect', `${caller}: the database is`, 'database')
}

export function dialectOfTable(table: unknown, what: string): DialectName {
  return dialectOf(table, 'Table', `${what} is`, 'table')
}

// They are named after their dialect: PgTable, MySqlDialect.
function dialectOf(value: unknown, suffix: string, what: string, thing: string): DialectName {
  const kinds = kindsOf(value).filter((kind) => kind.endsWith(suffix) && kind !== suffix)
  const name = kinds.map((kind) => dialects[kind.slice(0, -suffix.length)]).find(Boolean)
  const isOther = `of a dialect that is not supported (${kinds[0]}). Supported are PostgreSQL, MySQL and SQLite`
  return name ?? misconfigured(`${what} ${kinds[0] ? isOther : `no Drizzle ${thing}`}`)
}
