// Everything that relies on private details of Drizzle. Properties of columns are read in `kinds.ts`, and `drizzle.ts` has the interfaces
// that all versions share.

import type { Column, Table } from 'drizzle-orm'
import type { Database, Prepared, Query } from './drizzle.js'
import { configError } from './errors.js'

export type DialectName = 'pg' | 'mysql' | 'sqlite'

/** The database to query. With `withReplicas` it is always the primary, so that no read is stale. */
export function primaryOf(db: unknown, caller: string): Database {
  const { $primary: primary = db } = Object(db) as { $primary?: unknown }
  if (typeof (primary as Partial<Database> | null)?.select === 'function') return primary as Database
  return configError(`${caller}: the first argument is not a Drizzle database. Pass the result of drizzle({ client })`)
}

/** Whether this is a database already. Before the first request, a proxy of the app may throw or have no properties. */
export function isKnown(db: unknown): boolean {
  try {
    return kindsOf(primaryOf(db, '').dialect).length > 0
  } catch {
    return false
  }
}

/** Whether this is a Drizzle table. */
export function isTable(value: unknown): value is Table {
  return kindsOf(value).includes('Table')
}

// Synchronous drivers of SQLite cannot wait inside a transaction. The drivers below send each statement on its own.
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
  return name ?? configError(`${what} is not a Drizzle ${thing} of PostgreSQL, MySQL or SQLite`)
}

export const dialectOfTable = (table: unknown, what: string) => dialectOf(table, 'Table', what, 'table')

export const dialectOfDatabase = (db: unknown, caller: string) =>
  dialectOf(primaryOf(db, caller).dialect, 'Dialect', `${caller}: the database`, 'database')

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

export const isAlias = (table: object) => property(table, 'IsAlias') === true

export const schemaOf = (table: object) => property(table, 'Schema') as string | undefined

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

/** Sets properties of a custom column, because drizzle-zod would accept any value for it. `build` creates the column of a table. */
export function describeColumn<Builder extends object>(builder: Builder, description: object): Builder {
  const { build } = builder as { build(table: unknown): object }
  return Object.assign(builder, { build: (table: unknown) => Object.assign(build.call(builder, table), description) })
}

const identity = Object.assign((value: unknown) => value, { isNoop: true })

/**
 * The column, to be selected without decoding it. With `isRaw`, the value is what the driver returned: Drizzle 1.0 converts some types before
 * it calls a column's decoder, unless the column has no `codec`. test/integration/drivers and test/integration/values fail if this changes.
 */
export function withRawValues(column: Column, isRaw: boolean): Column {
  return Object.create(column, { mapFromDriverValue: { value: identity }, ...(isRaw && { codec: { value: undefined } }) })
}

/** The column as the type of a parameter that is sent without encoding. */
export function withoutEncoder(column: Column): Column {
  return Object.create(column, { mapToDriverValue: { value: identity } })
}

// Two optimizations. If a version of Drizzle has changed these details, `reusable` returns `undefined` and `returnArrays` returns false, and
// Drizzle builds and maps as usual. test/integration/internals.test.ts fails if that happens.

/** A query whose SQL was built once, for all sessions of its driver. */
export type Reusable = NonNullable<ReturnType<typeof reusable>>

/** Makes a query reusable for several sessions. A query builder keeps its session, and its dialect, which turns the SQL into text. */
export function reusable(query: Query) {
  const builder = query as unknown as { session?: object | undefined; dialect?: DialectObject; getSQL?(isWhole: true): unknown }
  const { session, dialect } = builder
  if (!session || typeof dialect?.sqlToQuery !== 'function' || typeof builder.getSQL !== 'function') return undefined
  const built = builder.getSQL(true)
  const text = dialect.sqlToQuery(built)
  builder.getSQL = () => built
  builder.dialect = Object.create(dialect, { sqlToQuery: { value: () => text } })
  const driver = session.constructor
  return {
    /** The query for the session of this database. `undefined` if its driver or its settings need other SQL. */
    for(db: Database): Query | undefined {
      const other = db.dialect as DialectObject | undefined
      const isSameDriver = db.session?.constructor === driver && other?.constructor === dialect.constructor
      const writesAlike = other?.casing?.convert === dialect.casing?.convert && other?.codecs?.codecs === dialect.codecs?.codecs
      if (!isSameDriver || !writesAlike) return undefined
      builder.session = db.session
      return query
    },
    /** Forgets the session, so that a statement that is kept does not keep a connection. */
    forget(): void {
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

/** Makes a prepared query return rows as arrays of values, without mapping them. False if it cannot. */
export function returnArrays(prepared: object): boolean {
  const query = prepared as { customResultMapper?: unknown; fields?: unknown; mapper?: unknown }
  // Drizzle 0.45
  if ('customResultMapper' in query && query.fields) query.customResultMapper = identity
  // Drizzle 1.0
  else if (typeof query.mapper === 'function') query.mapper = identity
  else return false
  return true
}

/** Prepares a query of PostgreSQL without asking the server to keep it. A name, even an empty one, makes postgres.js ask for that. */
export function prepareWithoutServer(query: Query): Prepared {
  const { _prepare } = query as { _prepare?: () => Prepared }
  return _prepare ? _prepare.call(query) : query.prepare('')
}

/** The name of the session's class in Drizzle. It identifies the driver. */
export function sessionKindOf(db: Database): string {
  return String(kindsOf(db.session)[0])
}

interface CallbackClient {
  query(options: object, values: unknown, callback: (error: unknown, ...answer: unknown[]) => void): void
  readonly config?: { readonly typeCast?: unknown; readonly connectionConfig?: { readonly typeCast?: unknown } }
}

/**
 * Makes a query of mysql2 use the callbacks of its client, which cost a quarter less than promises, without Drizzle's conversion of each
 * value. Other clients, such as an app's wrapper, are left unchanged. test/integration/internals.test.ts fails if this does not apply.
 */
export function withCallbacks(query: Query): Query {
  const { session } = query as { session?: { readonly client?: { readonly pool?: CallbackClient; readonly connection?: CallbackClient } } }
  const { client } = session ?? {}
  const isOwn =
    /^Promise(Pool|Connection|PoolConnection)$/.test(String(client?.constructor?.name)) &&
    Object(client).query === Object.getPrototypeOf(Object(client)).query
  const callbacks = client?.pool ?? client?.connection
  if (!session || !isOwn || !callbacks) return query
  const { config } = callbacks
  // A function in the client's settings would be replaced by these options. Drizzle's own function converts like them.
  const isConverting = typeof (config?.connectionConfig ?? config)?.typeCast === 'function'
  const conversion = isConverting ? {} : { typeCast: true, dateStrings: true }
  const run = (options: object, values: unknown) =>
    new Promise((resolve, reject) => {
      callbacks.query({ ...options, ...conversion }, values, (error, ...answer) => (error ? reject(error) : resolve(answer)))
    })
  query.session = Object.create(session, { client: { value: { query: run } } })
  return query
}
