import type { Column, SQL, SQLWrapper, Table } from 'drizzle-orm'

/** Everything the adapter uses of Drizzle's root at run time: functions that 0.45 and 1.0 have in common. */
export { and, asc, desc, eq, getTableColumns, getTableName, is, or, SQL as SQLClass, sql } from 'drizzle-orm'

/** Some SQLite drivers return results synchronously. */
export type Awaitable<T> = T | PromiseLike<T>

/** The part of Drizzle's query builders that is the same in all dialects and versions. */
export interface Query {
  from(table: Table | SQL): Query
  innerJoin(table: Table, on: SQL): Query
  leftJoin(table: Table, on: SQL): Query
  where(condition: SQL | undefined): Query
  values(values: object): Query
  set(values: object): Query
  returning(fields?: object): Query
  orderBy(...columns: SQLWrapper[]): Query
  limit(rows: number | SQL): Query
  offset(rows: number | SQL): Query
  for(lock: 'update'): Query
  $withCache(config: false): Query
  execute(): PromiseLike<unknown>
  prepare(name?: string): Prepared
  toSQL(): { sql: string; params: unknown[] }
  /** What the query will run in. */
  session?: object
}

/** A prepared query. Those of SQLite have `all` and `run` as well. */
export type Prepared = { [method in 'execute' | 'all' | 'run']: (placeholders: object) => Awaitable<unknown> }

/** A Drizzle database, as far as the adapter uses it. */
export interface Database {
  select(fields?: object): Query
  insert(table: Table): Query
  update(table: Table): Query
  delete(table: Table | SQL): Query
  $with(name: string): { as(query: Query): SQL }
  with(...queries: SQL[]): Pick<Database, 'select' | 'delete'>
  transaction<T>(run: (transaction: Database) => T): T
  /** Some drivers of SQLite have it. */
  batch(queries: Query[]): Promise<unknown[]>
  /** Only in SQLite. */
  readonly resultKind?: 'sync' | 'async'
  readonly dialect?: object
  readonly session?: object
  readonly $client?: unknown
  readonly $cache?: { readonly onMutate?: unknown; invalidate?(changed: { tables: Table[] }): Promise<unknown> }
}

/** Values by the name of their column in code. */
export type Values = Record<string, unknown>
export type Row = Record<string, unknown>
/** Drizzle's column. As an interface, it keeps its name in declarations: 0.45 and 1.0 have other type parameters. */
export interface AnyColumn extends Column {}
export interface Columns extends Readonly<Record<string, AnyColumn>> {}
