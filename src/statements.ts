import type { Column, SQL, Table } from 'drizzle-orm'
import type { Dialect } from './dialect.js'
import { and, eq, getTableColumns, is, SQL as SQLClass, sql } from './drizzle.js'

/** A row as Drizzle maps it, and values by column, in the column's own terms. */
export type Row = Record<string, unknown>
export type Values = Record<string, unknown>

/** The part of Drizzle's query builders that is the same in all dialects and versions. */
export interface Query {
  from(table: Table | SQL): Query
  innerJoin(table: Table, on: SQL): Query
  where(condition: SQL): Query
  values(values: Values): Query
  set(values: Values): Query
  returning(fields?: object): Query
  orderBy(column: Column): Query
  limit(rows: number): Query
  $withCache(config: false): Query
  joinsNotNullableMap?: unknown
  session?: { readonly client?: unknown }
  prepare(name?: string): { [method in 'execute' | 'all' | 'run']: Statement }
  execute(values: Values): PromiseLike<unknown>
  toSQL(): { sql: string }
}

/** A query that was built once, to be run many times. */
export type Statement = (values: Values) => Awaitable<unknown>

// Some drivers of SQLite answer at once; a promise for each answer would cost more than the answer.
type Awaitable<T> = T | PromiseLike<T>

/** A Drizzle database, as far as it is used. */
export interface Database {
  select(fields?: object): Query
  insert(table: Table): Query
  update(table: Table): Query
  delete(table: Table | SQL): Query
  $with(name: string): { as(query: Query): object }
  with(...queries: object[]): Pick<Database, 'delete'>
  readonly session?: { readonly client?: { readonly getRowsModified?: unknown } }
  readonly $cache?: { invalidate?(mutated: { tables: Table[] }): Promise<void> }
}

/** The rows of a table that have a key. */
export type Selected = readonly [table: TableStatements, key: Values]

// Callers choose which columns a row sets, so there are more shapes of inserts and of updates than should be kept, here or in the database.
const statementsKept = 64

/** The statements of one table, each built at its first use and run many times. */
export interface TableStatements {
  readonly db: Database
  readonly table: Table
  readonly columns: Record<string, Column>
  /** The columns that name one row. */
  readonly key: readonly string[]
  /** The rows that have the very key. Drizzle's cache is passed by: what it holds may be stale, and a revoked session must not be. */
  select(key: Values): Awaitable<Row[]>
  /** The rows whose key the database takes for this one: the caller compares. Plainer, so that PostgreSQL plans it once. */
  selectAlike(key: Values): Awaitable<Row[]>
  /** The same, each row under its own name beside the user that the database takes for its own. */
  selectAlikeWithUser(key: Values, name: string, users: TableStatements): Awaitable<Record<string, Row>[]>
  insert(values: Values): Promise<unknown>
  update(key: Values, values: Values): Promise<unknown>
  delete(key: Values): Promise<unknown>
  /** Deletes without an answer, however many rows it is. */
  deleteAll(key: Values): Promise<unknown>
  /** Runs a statement that is built anew each time, and is the same text. */
  run(build: (db: Database) => Query): Awaitable<unknown>
  /** That a row has the very key, as a part of such a statement. */
  having(key: Values): SQL
}

export function openStatements(db: Database, dialect: Dialect, table: Table, key: readonly string[]): TableStatements {
  const columns = getTableColumns(table) as Record<string, Column>
  const kept: Record<string, Map<string, Statement>> = {}

  /** A value that is a part of the statement. */
  const inline = (name: string, value: unknown): SQL | undefined => {
    if (value === null) return undefined
    const sent = isSql(value) ? value : (columns[name] as Column).mapToDriverValue(value)
    return isSql(sent) ? sent : dialect.literal(sent)
  }

  /** Each value as the part of the statement that it is, or as a placeholder or parameter. */
  const cells = (values: Values, cell = placeholder): Values =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, inline(name, value) ?? cell(name, columns[name] as Column, value)]),
    )

  const where = (key: Values, same: Dialect['same'] = dialect.same, cell = placeholder): SQL =>
    and(...Object.entries(cells(key, cell)).map(([name, cell]) => same(columns[name] as Column, cell as SQL))) as SQL

  // A statement that values are part of serves once.
  const run = (kind: string, values: Values, build: () => Query, answers = true): Awaitable<unknown> => {
    let shape = ''
    for (const name in values) {
      if (inline(name, values[name])) return dialect.once(build(), answers)(values)
      shape = shape ? `${shape}\n${name}` : name
    }
    kept[kind] ??= new Map()
    let statement = kept[kind].get(shape)
    if (!statement) {
      if (kept[kind].size >= statementsKept) return dialect.once(build(), answers)(values)
      statement = dialect.prepare(build(), answers)
      kept[kind].set(shape, statement)
    }
    return statement(values)
  }

  return {
    db,
    table,
    key,
    columns,

    select: (key: Values) => run('select', key, () => db.select().from(table).where(where(key)).$withCache(false)) as Awaitable<Row[]>,

    selectAlike: (key: Values) =>
      run('selectAlike', key, () => db.select().from(table).where(where(key, eq)).$withCache(false)) as Awaitable<Row[]>,

    selectAlikeWithUser: (key: Values, name: string, users: TableStatements) =>
      run('selectAlikeWithUser', key, () => {
        const fields = { [name]: columns, user: users.columns }
        const on = eq(users.columns.id as Column, columns.userId)
        const query = db.select(fields).from(table).innerJoin(users.table, on).where(where(key, eq)).$withCache(false)
        // An inner join leaves neither side empty: without this map, Drizzle 0.45 does not look for that at each value of each row.
        query.joinsNotNullableMap = undefined
        return query
      }) as Awaitable<Record<string, Row>[]>,

    run: (build: (db: Database) => Query) => dialect.prepare(build(db), true)({}),

    having: (key: Values) => where(key, dialect.same, parameter),

    insert: async (values: Values) => run('insert', values, () => dialect.answering(db.insert(table).values(cells(values)))),

    update: async (key: Values, values: Values) =>
      run('update', { ...values, ...key }, () => dialect.answering(db.update(table).set(cells(values)).where(where(key)))),

    delete: async (key: Values) => run('delete', key, () => dialect.answering(db.delete(table).where(where(key)))),

    deleteAll: async (key: Values) => run('deleteAll', key, () => db.delete(table).where(where(key)), false),
  }
}

/** Whether a value is a part of a statement, as `` sql`now()` `` is. */
export function isSql(value: unknown): value is SQL {
  return is(value, SQLClass)
}

function placeholder(name: string, column: Column, _value: unknown): SQL {
  return sql`${sql.param(sql.placeholder(name), acceptingNull(column))}`
}

function parameter(_name: string, column: Column, value: unknown): SQL {
  return sql`${sql.param(value, column)}`
}

// Drizzle 0.45 hands a placeholder's null to the column's encoder, and many encoders cannot take it.
function acceptingNull(column: Column): Column {
  return Object.create(column, {
    mapToDriverValue: { value: (value: unknown) => (value === null ? null : column.mapToDriverValue(value)) },
  })
}
