import type { Column, SQL, Table } from 'drizzle-orm'
import type { Model } from '../models.js'
import type { Bind } from './codec.js'
import { untyped } from './codec.js'
import type { Condition, Where } from './conditions.js'
import { compile, idOfName, noRow } from './conditions.js'
import type { Connection } from './connection.js'
import { attempt } from './connection.js'
import type { Query, Row, Values } from './drizzle.js'
import { asc, desc, getTableName, sql } from './drizzle.js'
import type { Purpose } from './errors.js'
import { Failure } from './errors.js'
import { isTransaction } from './internals.js'
import { isSql } from './kinds.js'
import type { Build, SelectedColumns } from './statements.js'
import type { TableDefinition } from './table-definition.js'
import { define } from './table-definition.js'

/** Which rows of a list, and in which order. */
export interface ListOptions {
  readonly orderBy?: string
  readonly descending?: boolean
  readonly limit?: number
  readonly offset?: number
  /** In a transaction, locks the rows and reads their current values. Without a lock, MySQL returns those of its snapshot. */
  readonly forUpdate?: true
}

/** The first rows in the order of a column. */
export interface First {
  readonly orderBy: string
  readonly limit: number
}

/** How rows are written. */
export interface WriteOptions {
  /** Writes only the first rows, and locks them before. */
  readonly first?: First & { readonly lock?: SQL | undefined }
  /** Whether to return the row, not only the number of rows. Only for databases with RETURNING. */
  readonly returning?: boolean
}

/** A constant, to count affected rows. */
export const rowCounter: SelectedColumns = { fields: { one: sql`1` }, isRaw: true }
const total: SelectedColumns = { fields: { total: sql`count(*)` }, isRaw: true }

/** Builds and runs the statements of one table, with encoded conditions and values. Returns decoded rows. */
export class StoredTable {
  readonly definition: TableDefinition
  readonly name: string

  constructor(
    readonly connection: Connection,
    readonly drizzleTable: Table,
    model: Model,
    readonly key: readonly string[],
  ) {
    this.definition = define(drizzleTable, model, key, connection.dialect)
    this.name = getTableName(drizzleTable)
  }

  column(name: string): Column {
    return this.definition.columns[name] as Column
  }

  where(condition: Condition): Where {
    return compile(condition, this.definition)
  }

  /** The unique key whose values a condition requires. `undefined` if several rows can satisfy the condition. */
  uniqueKeyIn({ required }: Where): readonly string[] | undefined {
    return this.definition.uniqueKeys.find((names) => names.every((name) => name in required))
  }

  /** Runs a statement. `id` identifies its SQL among those of the table. Without an id, it is built for this call and not kept. */
  run(purpose: Purpose, build: Build, values: readonly unknown[], selected?: SelectedColumns, id?: string): Promise<unknown> {
    return attempt(this.connection, this.definition.statement(id, purpose, selected), { build, values })
  }

  /** Runs a SELECT that is built for this call. Rows are arrays. */
  async select(fields: SelectedColumns['fields'], complete: (query: Query) => Query, isRaw = true): Promise<unknown[][]> {
    const build: Build = (db) => complete(db.select(fields)).$withCache(false)
    return (await this.run('read', build, [], { fields, isRaw })) as unknown[][]
  }

  // Every read bypasses Drizzle's cache: it may be stale, and a revoked session must not be.

  async list(where: Where, { orderBy, descending, limit, offset, forUpdate }: ListOptions = {}): Promise<Row[]> {
    if (where === noRow) return []
    const { definition } = this
    const { lockRows } = definition.dialect
    const lock = forUpdate && isTransaction(this.connection.current()) ? lockRows : undefined
    const values = [...where.values, ...[limit, offset].filter((count) => count !== undefined)]
    const build: Build = (db, bind) => {
      let place = where.values.length
      let query = db.select(definition.fields).from(this.drizzleTable).where(where.toSql(bind))
      if (orderBy !== undefined) query = query.orderBy((descending ? desc : asc)(this.column(orderBy)))
      if (limit !== undefined) query = query.limit(bind(untyped, place++))
      if (offset !== undefined) query = query.offset(bind(untyped, place++))
      return (lock?.(query) ?? query).$withCache(false)
    }
    const shape = [limit !== undefined, offset !== undefined, !!descending, !!lock, orderBy]
    const id = where.id && `list ${JSON.stringify(shape)} ${where.id}`
    return ((await this.run('read', build, values, definition, id)) as unknown[][]).map((each) => definition.decode(each))
  }

  async count(where: Where): Promise<number> {
    if (where === noRow) return 0
    const build: Build = (db, bind) => db.select(total.fields).from(this.drizzleTable).where(where.toSql(bind)).$withCache(false)
    const rows = await this.run('read', build, where.values, total, where.id && `count ${where.id}`)
    return Number((rows as [[unknown]])[0][0])
  }

  /** Returns what the database reports: the new row, where it supports RETURNING. */
  insert(values: Values): Promise<unknown> {
    const { cells, sent, id } = this.#cells(values, 0)
    return this.#runWrite('write', (db, bind) => db.insert(this.drizzleTable).values(cells(bind)), sent, true, id && `insert ${id}`)
  }

  update(where: Where, values: Values, options: WriteOptions = {}) {
    const { cells, sent, id } = this.#cells(values, where.values.length)
    return this.#write('write', (db, bind) => db.update(this.drizzleTable).set(cells(bind)), where, sent, id && `update ${id}`, options)
  }

  delete(where: Where, options: WriteOptions = {}) {
    return this.#write('delete', (db) => db.delete(this.drizzleTable), where, [], 'delete', options)
  }

  /** Returns the number of rows that were written, the first of them if `returning` is true, and the result of the driver. */
  async #write(
    purpose: Purpose,
    start: Build,
    where: Where,
    sent: readonly unknown[],
    startId: string | undefined,
    { first, returning = false }: WriteOptions,
  ) {
    if (where === noRow) return { count: 0, row: null, result: undefined }
    const values = [...where.values, ...sent, ...(first ? [first.limit] : [])]
    const build: Build = (db, bind) => {
      const condition = () => where.toSql(bind)
      const isFirst = first && this.#isAmongFirst(condition, first.orderBy, bind(untyped, values.length - 1), first.lock)
      return start(db, bind).where(isFirst ?? condition())
    }
    const id = startId && where.id && `${startId} ${idOfName(first?.orderBy ?? '')} ${returning} ${where.id}`
    const result = await this.#runWrite(purpose, build, values, returning, id)
    const count = this.definition.dialect.countWritten?.(result) ?? (result as unknown[]).length
    return { count, row: returning ? this.firstWritten(result) : null, result }
  }

  #runWrite(purpose: Purpose, build: Build, values: readonly unknown[], returning: boolean, id: string | undefined): Promise<unknown> {
    if (this.definition.dialect.countWritten) return this.run(purpose, build, values, undefined, id)
    const selected = returning ? this.definition : rowCounter
    return this.run(purpose, (db, bind) => build(db, bind).returning(selected.fields), values, selected, id)
  }

  /** The values of a write, as parameters from the place `start` on. The id names the columns. SQL expressions become part of the SQL. */
  #cells(values: Values, start: number) {
    const names = Object.keys(values)
    const sent = Object.values(values).filter((value) => !isSql(value))
    const id = sent.length === names.length ? ` ${names.map(idOfName).join('')}` : undefined
    const cells = (bind: Bind) => {
      let place = start
      const cellOf = (name: string) => (isSql(values[name]) ? values[name] : bind(this.definition.of(name), place++))
      return Object.fromEntries(names.map((name) => [name, cellOf(name)]))
    }
    return { cells, sent, id }
  }

  /**
   * Whether a row is among the first that satisfy the condition. The condition is repeated outside, because the row may have changed before
   * it is written. The rows are selected in a common table expression, because PostgreSQL can run a plain sub-select more than once, and then
   * write more rows than it selected.
   */
  #isAmongFirst(condition: () => SQL | undefined, orderBy: string, limit: SQL, lock: SQL = sql``): SQL {
    const all = () => condition() ?? sql`1 = 1`
    const columns = this.key.map((name) => this.column(name))
    const keys = sql.join(columns, sql`, `)
    const rows = sql`select ${keys} from ${this.drizzleTable} where ${all()} order by ${this.column(orderBy)} limit ${limit}${lock}`
    return sql`(${keys}) in (with first_rows as (${rows}) select * from first_rows) and ${all()}`
  }

  /** The first row that a write returned. If it cannot be decoded, the failure has `isWritten`. */
  firstWritten(rows: unknown): Row | null {
    const [values] = rows as unknown[][]
    try {
      return values ? this.definition.decode(values) : null
    } catch (error) {
      return rethrowWritten(error)
    }
  }
}

/** Rethrows an error that came after a write, with `isWritten`. */
export function rethrowWritten(error: unknown): never {
  if (!(error instanceof Failure)) throw error
  throw new Failure(error.kind, { ...error.details, isWritten: true }, { cause: error.cause })
}
