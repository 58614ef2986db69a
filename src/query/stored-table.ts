import type { Column, SQL, Table } from 'drizzle-orm'
import type { Model } from '../models.js'
import { placeholder } from './codec.js'
import { isSql } from './columns.js'
import type { Condition, Where } from './conditions.js'
import { compile, idOfName, whereEqual } from './conditions.js'
import type { Connection } from './connection.js'
import { attempt } from './connection.js'
import type { Awaitable, Database, Query, Row, Values } from './drizzle.js'
import { asc, desc, getTableName, sql } from './drizzle.js'
import type { Purpose } from './errors.js'
import { Failure } from './errors.js'
import { isTransaction } from './internals.js'
import type { StatementDialect } from './statement-dialect.js'
import type { Build, SelectedColumns } from './statements.js'
import type { TableDefinition } from './table-definition.js'
import { define } from './table-definition.js'

/** Which rows of a list, and in which order. */
export interface ListOptions {
  readonly orderBy?: string
  readonly descending?: boolean
  readonly limit?: number
  readonly offset?: number
  /** At most this many rows for each value of a column. */
  readonly perValue?: { readonly column: string; readonly limit: number }
  /**
   * Whether the rows are about to be written, or were. A transaction then locks them and reads them as they are now: MySQL would show them as
   * they were at its first read.
   */
  readonly forUpdate?: true
}

/** The first rows in the order of a column. */
export interface First {
  readonly orderBy: string
  readonly limit: number
}

/** How rows are written. */
export interface WriteOptions {
  /** Writes only the first rows. */
  readonly first?: First
  /** How the first rows are locked before they are written. */
  readonly lockClause?: SQL
  /** Whether the row that was written is wanted, and not only the number of rows. Only with RETURNING. */
  readonly returning?: boolean
}

/** What a write did. */
export interface Written {
  readonly count: number
  /** `null` unless it was asked for. */
  readonly row: Row | null
  /** What the driver returned. */
  readonly result: unknown
}

/** How a statement is run. */
interface RunOptions {
  readonly values?: readonly unknown[]
  /** What it returns. By default no rows. */
  readonly selected?: SelectedColumns | undefined
  /** Tells its SQL from that of others in the table. One with an id is kept, any other is built for this call. */
  readonly id?: string | undefined
}

/** A value for each row, which nobody reads. */
export const oneEach: SelectedColumns = { fields: { one: sql`1` }, isRaw: true }
const total: SelectedColumns = { fields: { total: sql`count(*)` }, isRaw: true }
const numberInGroup = sql.identifier('number_in_group')

/** Runs the statements of one table. Takes conditions and values that are encoded already, and returns decoded rows. */
export class StoredTable {
  readonly dialect: StatementDialect
  readonly definition: TableDefinition

  constructor(
    readonly connection: Connection,
    readonly drizzleTable: Table,
    model: Model,
    /** The columns that identify one row. */
    readonly key: readonly string[],
  ) {
    this.dialect = connection.dialect
    this.definition = define(drizzleTable, model, key, connection.dialect, connection.namedStatements)
  }

  /** The database of this moment. */
  get db(): Database {
    return this.connection.current()
  }

  get name(): string {
    return getTableName(this.drizzleTable)
  }

  column(name: string): Column {
    return this.definition.columns[name] as Column
  }

  // Conditions

  /** Encodes a condition. */
  where(condition: Condition): Where {
    return compile(condition, this.definition)
  }

  /** The condition that a row has these values of key columns, which are encoded already and not null. */
  whereEqual(sent: Values): Where {
    return whereEqual(sent, this.definition)
  }

  /** The unique key that a condition requires, among other things. `undefined` if several rows can satisfy it. */
  uniqueKeyIn({ required }: Where): readonly string[] | undefined {
    return this.definition.uniqueKeys.find((names) => names.every((name) => name in required))
  }

  // Statements

  /** Builds a statement, unless one with this id is kept, and runs it. */
  run(purpose: Purpose, build: Build, { values = [], selected, id }: RunOptions = {}): Promise<unknown> {
    return attempt(this.connection, this.definition.statements.get(id, purpose, selected), { build, values })
  }

  /** Runs a SELECT that is built for this call. Rows are arrays. */
  async select(fields: SelectedColumns['fields'], complete: (query: Query) => Query, isRaw = true): Promise<unknown[][]> {
    const build = (db: Database) => complete(db.select(fields)).$withCache(false)
    return (await this.run('read', build, { selected: { fields, isRaw } })) as unknown[][]
  }

  /** Runs anything that the database does as a whole or not at all, with the same failures and retries as a statement. */
  runWhole(purpose: Purpose, run: (db: Database, sessionKey: object) => Awaitable<unknown>): Promise<unknown> {
    return attempt(this.connection, { table: this.drizzleTable, purpose, run }, undefined)
  }

  // Reads. Drizzle's cache is bypassed in every one of them: it may be stale, and a revoked session must not be.

  /** Rows that satisfy the condition exactly. */
  async list(where: Where, { orderBy, descending, limit, offset, perValue, forUpdate }: ListOptions = {}): Promise<Row[]> {
    const { definition } = this
    const isLocking = forUpdate && isTransaction(this.db)
    const values = [...where.values]
    const bound = (count: number | undefined) => (count === undefined ? undefined : placeholder(values.push(count) - 1))
    const [first, skipped, most] = [bound(limit), bound(offset), bound(perValue?.limit)]
    const names = `${idOfName(orderBy ?? '')} ${idOfName(perValue?.column ?? '')}`
    const id = where.id && `list ${!!first} ${!!skipped} ${!!descending} ${!!isLocking} ${names} ${where.id}`
    const build = (db: Database) => {
      const selected = db.select(definition.fields)
      let query =
        perValue && most
          ? selected.from(this.#numbered(db, where, perValue.column)).where(sql`${numberInGroup} <= ${most}`)
          : selected.from(this.drizzleTable).where(where.toSql())
      if (orderBy !== undefined) query = query.orderBy((descending ? desc : asc)(this.column(orderBy)))
      if (first) query = query.limit(first)
      if (skipped) query = query.offset(skipped)
      if (isLocking) query = this.dialect.lockRows?.(query) ?? query
      return query.$withCache(false)
    }
    const rows = (await this.run('read', build, { values, selected: definition, id })) as unknown[][]
    return rows.map((each) => definition.fromDriver(each))
  }

  /** The rows that satisfy the condition, numbered among those with the same value of a column. */
  #numbered(db: Database, where: Where, column: string): SQL {
    const number = sql`row_number() over (partition by ${this.column(column)})`.as('number_in_group')
    return db
      .select({ ...this.definition.columns, number })
      .from(this.drizzleTable)
      .where(where.toSql())
      .as(this.name)
  }

  /** The number of rows that satisfy the condition exactly. */
  async count(where: Where): Promise<number> {
    const id = where.id && `count ${where.id}`
    const build = (db: Database) => db.select(total.fields).from(this.drizzleTable).where(where.toSql()).$withCache(false)
    return Number(((await this.run('read', build, { values: where.values, selected: total, id })) as [[unknown]])[0][0])
  }

  // Writes

  /** Returns what the database reports: the new row, where it supports RETURNING. */
  insert(values: Values): Promise<unknown> {
    const { cells, sent, id } = this.#cells(values, 0)
    return this.#runWrite('write', (db) => db.insert(this.drizzleTable).values(cells()), sent, true, id && `insert ${id}`)
  }

  /** Changes the rows that satisfy the condition. */
  update(where: Where, values: Values, options: WriteOptions = {}): Promise<Written> {
    const { cells, sent, id } = this.#cells(values, where.values.length)
    return this.#write('write', (db) => db.update(this.drizzleTable).set(cells()), where, sent, id && `update ${id}`, options)
  }

  /** Deletes the rows that satisfy the condition. */
  delete(where: Where, options: WriteOptions = {}): Promise<Written> {
    return this.#write('delete', (db) => db.delete(this.drizzleTable), where, [], 'delete', options)
  }

  async #write(
    purpose: Purpose,
    start: Build,
    where: Where,
    sent: readonly unknown[],
    startId: string | undefined,
    { first, lockClause = sql``, returning = false }: WriteOptions,
  ): Promise<Written> {
    const values = [...where.values, ...sent]
    const limit = first && placeholder(values.push(first.limit) - 1)
    const id = startId && where.id && `${startId} ${idOfName(first?.orderBy ?? '')} ${returning} ${where.id}`
    const build = (db: Database) =>
      start(db).where(first && limit ? this.#isAmongFirst(where, first.orderBy, limit, lockClause) : where.toSql())
    const result = await this.#runWrite(purpose, build, values, returning, id)
    const count = this.dialect.countWritten?.(result) ?? (result as unknown[]).length
    return { count, row: returning ? this.firstWritten(result) : null, result }
  }

  #runWrite(purpose: Purpose, build: Build, values: readonly unknown[], returning: boolean, id: string | undefined): Promise<unknown> {
    if (this.dialect.countWritten) return this.run(purpose, build, { values, id })
    const selected = returning ? this.definition : oneEach
    return this.run(purpose, (db) => build(db).returning(selected.fields), { values, selected, id })
  }

  /**
   * The values of a write, as parameters from a place on. `id` names the columns. It is `undefined` if a value is an SQL expression, which is a
   * part of the statement.
   */
  #cells(values: Values, start: number) {
    const names = Object.keys(values)
    const sent = Object.values(values).filter((value) => !isSql(value))
    const id = sent.length === names.length ? ` ${names.map(idOfName).join('')}` : undefined
    const cells = () => {
      let place = start
      const cellOf = (name: string) => (isSql(values[name]) ? values[name] : this.definition.of(name).toPlaceholder(place++))
      return Object.fromEntries(names.map((name) => [name, cellOf(name)]))
    }
    return { cells, sent, id }
  }

  /**
   * Whether a row is among the first that satisfy the condition. The outer condition is checked again on the row that is written, which may
   * have changed meanwhile. The rows are selected in a common table expression, because PostgreSQL may run a plain sub-select more than once
   * and then write more rows than it selected.
   */
  #isAmongFirst(where: Where, orderBy: string, limit: SQL, lockClause: SQL): SQL {
    const keys = sql.join(
      this.key.map((name) => this.column(name)),
      sql`, `,
    )
    const condition = () => where.toSql() ?? sql`1 = 1`
    const rows = sql`select ${keys} from ${this.drizzleTable} where ${condition()} order by ${this.column(orderBy)} limit ${limit}${lockClause}`
    return sql`(${keys}) in (with first_rows as (${rows}) select * from first_rows) and ${condition()}`
  }

  /** The first row that a write returned. If it cannot be decoded, the failure says that the write has happened. */
  firstWritten(rows: unknown): Row | null {
    const [values] = rows as unknown[][]
    try {
      return values ? this.definition.fromDriver(values) : null
    } catch (error) {
      return rethrowWritten(error)
    }
  }
}

/** Rethrows an error of what comes after a write. It says that the write has happened. */
export function rethrowWritten(error: unknown): never {
  if (!(error instanceof Failure)) throw error
  throw new Failure(error.kind, { ...error.details, isWritten: true }, { cause: error.cause })
}
