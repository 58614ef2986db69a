// What is read off Drizzle's objects. The private details of Drizzle are in this file: there is no public way to know or to do these things.
// What is read off a column is in `columns.ts`, and the part of a database that all versions have in `drizzle.ts`.

import type { Column, Table } from 'drizzle-orm'
import type { Database, Query } from './drizzle.js'
import { getTableName } from './drizzle.js'
import { configError } from './errors.js'

export type DialectName = 'pg' | 'mysql' | 'sqlite'

/** The database to query. With `withReplicas` it is always the primary, so that no read is stale. */
export function primaryOf(db: unknown, caller: string): Database {
  const { $primary: primary = db } = Object(db) as { $primary?: unknown }
  return typeof (primary as Partial<Database> | null)?.select === 'function' ? (primary as Database) : notDatabase(caller)
}

export function notDatabase(caller: string): never {
  return configError(`${caller}: the first argument is not a Drizzle database. Pass the result of drizzle({ client })`)
}

/** Whether this is a Drizzle table. */
export function isTable(value: unknown): value is Table {
  return kindsOf(value).includes('Table')
}

// Drivers of SQLite that answer at once cannot wait inside a transaction. The others send each statement by itself.
const withoutTransactions = /^(SQLiteD1|SQLiteRemote|NeonHttp|PostgresHttp|PgRemote|MySqlRemote|XataHttp)Session$/

/** Whether the driver has transactions in which an app can wait between two statements. */
export function hasTransactions(db: Database): boolean {
  return db.resultKind !== 'sync' && !kindsOf(db.session).some((kind) => withoutTransactions.test(kind))
}

/** Whether this is a Drizzle transaction. */
export function isTransaction(db: object): boolean {
  return typeof (db as { rollback?: unknown }).rollback === 'function'
}

// Drizzle names its classes. The names survive two installed copies of Drizzle; `instanceof` does not.
const entityKind = Symbol.for('drizzle:entityKind')

/** Drizzle's name for the class of one of its objects. */
function kindOf(value: unknown): unknown {
  return (Object(value).constructor as { [entityKind]?: unknown } | undefined)?.[entityKind]
}

/** The names of an object's class and of the classes it extends. */
export function kindsOf(value: unknown): string[] {
  const kinds: string[] = []
  for (let type = Object.getPrototypeOf(Object(value))?.constructor; type; type = Object.getPrototypeOf(type))
    if (Object.hasOwn(type, entityKind)) kinds.push(String(type[entityKind]))
  return kinds
}

const dialects: Record<string, DialectName> = { Pg: 'pg', MySql: 'mysql', SQLite: 'sqlite' }

// Class names begin with the dialect: PgTable, MySqlDialect.
function dialectOf(value: unknown, suffix: 'Table' | 'Dialect', what: string, thing: string): DialectName {
  const kinds = kindsOf(value).filter((kind) => kind.endsWith(suffix) && kind !== suffix)
  const name = kinds.map((kind) => dialects[kind.slice(0, -suffix.length)]).find(Boolean)
  const unsupported = `${what} has a dialect that is not supported (${kinds[0]}). Supported are PostgreSQL, MySQL and SQLite`
  return name ?? configError(kinds[0] ? unsupported : `${what} is not a Drizzle ${thing}`)
}

export function dialectOfTable(table: unknown, what: string): DialectName {
  return dialectOf(table, 'Table', what, 'table')
}

export function dialectOfDatabase(db: unknown, caller: string): DialectName {
  return dialectOf(primaryOf(db, caller).dialect, 'Dialect', `${caller}: the database`, 'database')
}

/** Throws if this is not a Drizzle database of the dialect. */
export function checkDatabase(caller: string, db: unknown, dialect: DialectName): void {
  const found = dialectOfDatabase(db, caller)
  if (found !== dialect)
    configError(
      `${caller}: the database is ${found}, the tables are of ${dialect}. Define them with drizzle-auth-adapter/${found}, or your own with drizzle-orm/${found}-core`,
    )
}

// Drizzle 0.45 and 1.0 keep these of a table under symbols. test/unit/checks.test.ts fails if they change.
const property = (table: object, name: string) => (table as { [key: symbol]: unknown })[Symbol.for(`drizzle:${name}`)]

export function isAlias(table: object): boolean {
  return property(table, 'IsAlias') === true
}

export function schemaOf(table: object): string | undefined {
  return property(table, 'Schema') as string | undefined
}

/** A table's name with its schema, as an SQL identifier in double quotes. */
export function quotedNameOf(table: Table): string {
  const names = [schemaOf(table), getTableName(table)].filter((name) => name !== undefined)
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.')
}

/** The columns of a table that have a foreign key of their own. */
export function referringColumnsOf(table: object): ReadonlySet<Column> {
  type ForeignKey = { reference(): { columns: Column[] } }
  const keys = Object.keys(dialects).flatMap((name) => (property(table, `${name}InlineForeignKeys`) ?? []) as ForeignKey[])
  return new Set(keys.flatMap((key) => key.reference().columns))
}

// Column builders have no public way to be named or described. test/integration/tables/casing.test.ts and the tests `zod.test.ts` fail if
// these details change.

/** Names a column that has no name yet. Drizzle 0.45 takes the name, 1.0 a function that converts it as well. */
export function nameColumn(builder: object, name: string): void {
  const { setName } = builder as { setName(name: string, convert: (name: string) => string): void }
  setName.call(builder, name, (each) => each)
}

/** Says what a custom column holds. Otherwise drizzle-zod accepts any value for it. `build` makes the column of a table. */
export function describeColumn<Builder extends object>(builder: Builder, description: object): Builder {
  const { build } = builder as { build(table: unknown): object }
  return Object.assign(builder, { build: (table: unknown) => Object.assign(build.call(builder, table), description) })
}

const asItIs = Object.assign((value: unknown) => value, { isNoop: true })

/**
 * The column, to be selected without decoding it. With `isRaw`, the value is what the driver returned: Drizzle 1.0 converts some types before
 * it calls a column's decoder, unless the column has no `codec`. test/drivers and test/integration/values fail if this changes.
 */
export function withRawValues(column: Column, isRaw: boolean): Column {
  return Object.create(column, { mapFromDriverValue: { value: asItIs }, ...(isRaw && { codec: { value: undefined } }) })
}

/** The column as the type of a parameter that is sent as it is. */
export function withoutEncoder(column: Column): Column {
  return Object.create(column, { mapToDriverValue: { value: asItIs } })
}

// The two ways in which a statement that was built once is used again. Where Drizzle has changed them, `reusable` answers `undefined` and
// `returnArrays` false, and Drizzle builds and maps as usual. test/unit/query/internals.test.ts fails if that happens.

/** A query whose SQL was built once, for all sessions of its driver. */
export interface Reusable {
  /** The query for the session of this database. `undefined` if its driver or its settings need other SQL. */
  for(db: Database): Query | undefined
  /** Forgets the session, so that a statement that is kept does not keep a connection. */
  forget(): void
}

/** Lets a query be prepared for several sessions. Query builders keep their session, and their dialect, which turns the SQL into text. */
export function reusable(query: Query): Reusable | undefined {
  const builder = query as unknown as { session?: object | undefined; dialect?: DialectObject; getSQL?(isWhole: true): unknown }
  const { session, dialect } = builder
  if (!session || typeof dialect?.sqlToQuery !== 'function' || typeof builder.getSQL !== 'function') return undefined
  const built = builder.getSQL(true)
  const text = dialect.sqlToQuery(built)
  builder.getSQL = () => built
  builder.dialect = Object.create(dialect, { sqlToQuery: { value: () => text } })
  const driver = session.constructor
  return {
    for(db) {
      const other = db.dialect as DialectObject | undefined
      if (db.session?.constructor !== driver || !other || !writesAlike(dialect, other)) return undefined
      builder.session = db.session
      return query
    },
    forget() {
      builder.session = undefined
    },
  }
}

interface DialectObject {
  sqlToQuery?(sql: unknown): unknown
  /** In Drizzle 0.45, how names are converted. */
  readonly casing?: { readonly convert?: unknown }
  /** In Drizzle 1.0, how a driver reads and writes types. */
  readonly codecs?: { readonly codecs?: unknown }
}

/** Whether two dialect objects write the same SQL. */
function writesAlike(one: DialectObject, other: DialectObject): boolean {
  return (
    one.constructor === other.constructor && one.casing?.convert === other.casing?.convert && one.codecs?.codecs === other.codecs?.codecs
  )
}

/** Makes a prepared query return rows as arrays of values, without mapping them. False if it cannot. */
export function returnArrays(prepared: object): boolean {
  const query = prepared as { customResultMapper?: unknown; fields?: unknown; mapper?: unknown }
  // Drizzle 0.45
  if ('customResultMapper' in query && query.fields) query.customResultMapper = asItIs
  // Drizzle 1.0
  else if (typeof query.mapper === 'function') query.mapper = asItIs
  else return false
  return true
}

/** Prepares a query of PostgreSQL without asking the server to keep it. A name, even an empty one, makes postgres.js ask for that. */
export function prepareWithoutServer(query: Query): ReturnType<Query['prepare']> {
  const { _prepare } = query as { _prepare?: () => ReturnType<Query['prepare']> }
  return _prepare ? _prepare.call(query) : query.prepare('')
}

/** The driver's client of a database, and whether it is in a transaction of libSQL. test/integration/processes fails if this changes. */
export function driverOf({ session }: { session?: object }): { kind: unknown; client: unknown; isInTransaction: boolean } {
  const { client, tx } = (session ?? {}) as { readonly client?: unknown; readonly tx?: unknown }
  return { kind: kindOf(session), client, isInTransaction: tx !== undefined }
}

/** Makes a query of ours run through another client. The app's session stays as it is. */
export function replaceClient<T extends { session?: object }>(query: T, client: unknown): T {
  query.session = Object.create(query.session as object, { client: { value: client } })
  return query
}
