import type { Column, SQL, Table } from 'drizzle-orm'
import { and, eq, getTableColumns, is, SQL as SQLClass, sql } from 'drizzle-orm'
import type { Dialect } from './dialect.js'

/** A row as Drizzle maps it, and values by column, in the column's own terms. */
export type Row = Record<string, unknown>
export type Values = Record<string, unknown>

/** The part of Drizzle's query builders that is the same in all dialects and versions. */
export interface Query {
  from(table: Table): Query
  innerJoin(table: Table, on: SQL): Query
  where(condition: SQL): Query
  values(values: Values): Query
  set(values: Values): Query
  returning(fields?: object): Query
  orderBy(column: Column): Query
  limit(rows: number): Query
  $withCache(config: false): Query
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
  delete(table: Table): Query
}

// Callers choose which columns a row sets, so there are more shapes of inserts and of updates than should be kept, here or in the database.
const statementsKept = 64

/** The statements of one table, each built at its first use and run many times. */
export class TableStatements {
  readonly columns: Record<string, Column>
  readonly #statements: Record<string, Map<string, Statement>> = {}
  readonly #db: Database
  readonly #dialect: Dialect

  constructor(
    db: Database,
    dialect: Dialect,
    readonly table: Table,
    /** The columns that name one row. */
    readonly key: readonly string[],
  ) {
    this.#db = db
    this.#dialect = dialect
    this.columns = getTableColumns(table) as Record<string, Column>
  }

  /** The rows that have the very key. Drizzle's cache is passed by: what it holds may be stale, and a revoked session must not be. */
  select(key: Values): Awaitable<Row[]> {
    const build = () => this.#db.select().from(this.table).where(this.#where(key)).$withCache(false)
    return this.#statement('select', key, build, true)(key) as Awaitable<Row[]>
  }

  /** The rows whose key the database takes for this one: the caller compares. Plainer, so that PostgreSQL plans it once. */
  selectAlike(key: Values): Awaitable<Row[]> {
    const build = () => this.#db.select().from(this.table).where(this.#where(key, eq)).$withCache(false)
    return this.#statement('select alike', key, build, true)(key) as Awaitable<Row[]>
  }

  /** The same, each row under its own name beside the user that the database takes for its own. */
  selectAlikeWithUser(key: Values, name: string, users: TableStatements): Awaitable<Record<string, Row>[]> {
    const build = () =>
      this.#db
        .select({ [name]: this.columns, user: users.columns })
        .from(this.table)
        .innerJoin(users.table, eq(users.#column('id'), this.#column('userId')))
        .where(this.#where(key, eq))
        .$withCache(false)
    return this.#statement('select alike with user', key, build, true)(key) as Awaitable<Record<string, Row>[]>
  }

  /** What the database makes of an expression. */
  async evaluate(expression: SQL, column: Column): Promise<unknown> {
    const query = this.#db.select({ value: sql`${expression}`.mapWith(column) }).from(sql`(select 1) as one` as unknown as Table)
    const [row] = (await this.#dialect.once(query.$withCache(false), true)({})) as [Row]
    return row.value
  }

  async insert(values: Values): Promise<unknown> {
    const build = () => this.#dialect.answering(this.#db.insert(this.table).values(this.#cells(values)))
    return this.#statement('insert', values, build, true)(values)
  }

  async update(key: Values, values: Values): Promise<unknown> {
    const build = () => this.#dialect.answering(this.#db.update(this.table).set(this.#cells(values)).where(this.#where(key)))
    const all = { ...values, ...key }
    return this.#statement('update', all, build, true)(all)
  }

  async delete(key: Values): Promise<unknown> {
    const build = () => this.#dialect.answering(this.#db.delete(this.table).where(this.#where(key)))
    return this.#statement('delete', key, build, true)(key)
  }

  /** Deletes without an answer, however many rows it is. */
  async deleteAll(key: Values): Promise<void> {
    await this.#statement('delete all', key, () => this.#db.delete(this.table).where(this.#where(key)), false)(key)
  }

  #column(name: string): Column {
    return this.columns[name] as Column
  }

  #where(key: Values, same: Dialect['same'] = this.#dialect.same): SQL {
    return and(...Object.entries(this.#cells(key)).map(([name, cell]) => same(this.#column(name), cell as SQL))) as SQL
  }

  /** Each value as a placeholder, or as the part of the statement that it is. */
  #cells(values: Values): Values {
    const cell = ([name, value]: [string, unknown]) => [name, this.#inline(name, value) ?? sql`${placeholder(name, this.#column(name))}`]
    return Object.fromEntries(Object.entries(values).map(cell))
  }

  #inline(name: string, value: unknown): SQL | undefined {
    if (value === null) return undefined
    const sent = is(value, SQLClass) ? value : this.#column(name).mapToDriverValue(value)
    return is(sent, SQLClass) ? sent : this.#dialect.literal(sent)
  }

  // A statement that values are part of serves once.
  #statement(kind: string, values: Values, build: () => Query, answers: boolean): Statement {
    let shape = ''
    for (const name in values) {
      if (this.#inline(name, values[name])) return this.#dialect.once(build(), answers)
      shape = shape ? `${shape}\n${name}` : name
    }
    this.#statements[kind] ??= new Map()
    const kept = this.#statements[kind]
    let statement = kept.get(shape)
    if (!statement) {
      if (kept.size >= statementsKept) return this.#dialect.once(build(), answers)
      statement = this.#dialect.prepare(build(), answers)
      kept.set(shape, statement)
    }
    return statement
  }
}

function placeholder(name: string, column: Column) {
  return sql.param(sql.placeholder(name), acceptingNull(column))
}

// Drizzle 0.45 hands a placeholder's null to the column's encoder, and many encoders cannot take it.
function acceptingNull(column: Column): Column {
  return Object.create(column, {
    mapToDriverValue: { value: (value: unknown) => (value === null ? null : column.mapToDriverValue(value)) },
  })
}
