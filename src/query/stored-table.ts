import type { Column, SQL, Table } from 'drizzle-orm'
import type { Model } from '../models.js'
import type { Awaitable } from './awaitable.js'
import { placeholder } from './codec.js'
import { exactColumnsOf, isSql, isText, keysOf } from './columns.js'
import type { Condition, ConditionContext, Where } from './conditions.js'
import { compile, equal, idOfName, WhereEqual } from './conditions.js'
import type { Connection, Work } from './connection.js'
import { attempt } from './connection.js'
import type { Columns, Database, Query, Row, Values } from './drizzle.js'
import { asc, desc, eq, getTableName, sql } from './drizzle.js'
import type { Purpose } from './errors.js'
import { Failure } from './errors.js'
import { isTransaction } from './internals.js'
import type { RowCodec } from './rows.js'
import { createRowCodec } from './rows.js'
import type { StatementDialect } from './statement-dialect.js'
import type { Build, RowGroup } from './statements.js'
import { fieldName, KeptStatements, Statement } from './statements.js'

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
   * they were at its first read. Not for SQLite.
   */
  readonly forUpdate?: true
}

/** The columns that connect a row to one of another table. */
export interface Join {
  readonly from: string
  readonly to: string
  /** Whether the other row may be missing. */
  readonly isOptional?: true
}

/** The first rows in the order of a column. */
export interface First {
  readonly orderBy: string
  readonly limit: number
}

/** What a write returns, where the database supports RETURNING: the row that it wrote, or only a sign for each of them. */
type Returned = 'row' | 'count'

/** Finds the rows of a key by what is sent for it. */
export type Finder = (sent: readonly unknown[]) => Awaitable<unknown[][]>

/** What is known about a table without a database. It is kept as long as the table, because an adapter may be made for each request. */
interface Definition extends ConditionContext {
  /** Tells it from other tables in the ids of statements. */
  readonly id: number
  readonly model: Model
  readonly codec: RowCodec
  readonly key: readonly string[]
  /** The keys that identify one row: that of the model, and unique columns. */
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly areNamed: boolean
  readonly statements: KeptStatements
}

const definitions = new WeakMap<Table, Definition[]>()
let definitionCount = 0

function define({ dialect, namedStatements: areNamed }: Connection, table: Table, model: Model, key: readonly string[]): Definition {
  const known = definitions.get(table) ?? []
  definitions.set(table, known)
  let definition = known.find((each) => each.model === model && each.areNamed === areNamed && each.key.join() === key.join())
  if (!definition) {
    const codec = createRowCodec(table, model, dialect)
    const { names, columns } = codec
    const unique = names.filter((name) => columns[name]?.isUnique)
    const isId = (name: string) => model[name]?.kind === 'id'
    const keys = keysOf(table, key)
    const exactColumns = exactColumnsOf(table)
    definition = {
      id: definitionCount++,
      dialect,
      model,
      codec,
      key,
      uniqueKeys: [key, ...unique.map((name) => [name])],
      codecOf: codec.of,
      isId,
      isKey: (name) => keys.has(name) || isId(name),
      isExact: (name) => exactColumns.includes(name) || !isText(columns[name] as Column),
      areNamed,
      statements: new KeptStatements(areNamed),
    }
    known.push(definition)
  }
  return definition
}

const counted: RowGroup = { names: ['one'], isRaw: true }
const one = { one: sql`1` }
const numberInGroup = sql.identifier('number_in_group')

/** A table as a dialect works with it: conditions may be of any kind, values are encoded, and rows are decoded. */
export class StoredTable {
  /** Tells it from other tables in the ids of statements. */
  readonly id: number
  readonly dialect: StatementDialect
  readonly drizzleTable: Table
  readonly columns: Columns
  readonly codec: RowCodec
  /** The columns that identify one row. */
  readonly key: readonly string[]
  readonly #connection: Connection
  readonly #definition: Definition

  constructor(connection: Connection, drizzleTable: Table, model: Model, key: readonly string[]) {
    this.#connection = connection
    this.#definition = define(connection, drizzleTable, model, key)
    this.id = this.#definition.id
    this.dialect = connection.dialect
    this.drizzleTable = drizzleTable
    this.codec = this.#definition.codec
    this.columns = this.codec.columns
    this.key = key
  }

  /** The database of this moment. */
  get db(): Database {
    return this.#connection.current()
  }

  // Conditions

  /** Encodes a condition. */
  where(condition: Condition): Where {
    return compile(condition, this.#definition)
  }

  /** The condition that a row has these values of key columns, which are encoded already and not null. */
  whereEqual(sent: Values): Where {
    const compiled = () => this.where(equal(sent, true))
    return Object.values(sent).some(isSql) ? compiled() : new WhereEqual(sent, compiled)
  }

  /** The unique key that a condition requires, among other things. `undefined` if several rows can satisfy it. */
  uniqueKeyIn({ required }: Where): readonly string[] | undefined {
    return this.#definition.uniqueKeys.find((names) => names.every((name) => name in required))
  }

  // Statements

  /** Runs a statement in the database of this moment. One with an id is kept, any other is built for this call. */
  run(
    purpose: Purpose,
    build: Build,
    values: readonly unknown[] = [],
    groups: readonly RowGroup[] = [],
    id?: string | undefined,
  ): Awaitable<unknown> {
    return this.#execute(this.#statement(groups, id), purpose, build, values)
  }

  #statement(groups: readonly RowGroup[], id: string | undefined): Statement {
    const create = (name?: string) => new Statement(groups, name)
    return id === undefined ? create() : this.#definition.statements.get(id, create)
  }

  #execute(statement: Statement, purpose: Purpose, build: Build, values: readonly unknown[]): Awaitable<unknown> {
    const { dialect } = this
    return this.attempt(purpose, (db, session) => statement.preparedFor(db, session, dialect, build)(values))
  }

  /** Runs anything that the database does as a whole or not at all, with the same failures and retries as a statement. */
  attempt(purpose: Purpose, run: Work): Awaitable<unknown> {
    return attempt(this.#connection, this.drizzleTable, purpose, run)
  }

  // Reads. Drizzle's cache is bypassed in every one of them: it may be stale, and a revoked session must not be.

  /**
   * Prepares a lookup by `=`. Rows are arrays: the values of this table, then those of the row that it is joined to. `=` depends on the
   * column's collation, so the caller must compare exactly.
   */
  finder(by: readonly string[], other?: StoredTable, join?: Join): Finder {
    const groups = other ? [this.codec, other.codec] : [this.codec]
    const buildWith = (expressions: readonly unknown[]) => (db: Database) => {
      const sentOf = (name: string, at: number) => (isSql(expressions[at]) ? expressions[at] : this.codec.of(name).toPlaceholder(at))
      const matches = by.map((name, at) => sql`${this.columns[name]} = ${sentOf(name, at)}`)
      const query = other && join ? this.#joined(db, other, join) : db.select(this.codec.fields).from(this.drizzleTable)
      return query.where(sql.join(matches, sql` and `)).$withCache(false)
    }
    const build = buildWith([])
    // Held here, so that no number of other statements displaces it.
    let statement: Statement | undefined
    const find = (sent: readonly unknown[]) => {
      // What a custom type sends as SQL is a part of the statement.
      if (sent.some(isSql)) return this.run('read', buildWith(sent), sent, groups)
      statement ??= this.#statement(groups, JSON.stringify(['find', by, other?.id, join]))
      return this.#execute(statement, 'read', build, sent)
    }
    return find as Finder
  }

  #joined(db: Database, other: StoredTable, { from, to, isOptional }: Join): Query {
    const fields = [this.codec.fields, other.codec.fields].flatMap((each, group) =>
      Object.entries(each).map(([name, field]) => [fieldName(group, name), field]),
    )
    const query = db.select(Object.fromEntries(fields)).from(this.drizzleTable)
    const isOther = eq(other.columns[to] as Column, this.columns[from] as Column)
    return isOptional ? query.leftJoin(other.drizzleTable, isOther) : query.innerJoin(other.drizzleTable, isOther)
  }

  /** Rows that satisfy the condition exactly. */
  async list(where: Where, { orderBy, descending, limit, offset, perValue, forUpdate }: ListOptions = {}): Promise<Row[]> {
    const isLocking = forUpdate && isTransaction(this.db)
    const values = [...where.values]
    const bound = (count: number | undefined) => (count === undefined ? undefined : placeholder(values.push(count) - 1))
    const [first, skipped, most] = [bound(limit), bound(offset), bound(perValue?.limit)]
    const names = `${idOfName(orderBy ?? '')} ${idOfName(perValue?.column ?? '')}`
    const id = where.id && `list ${!!first} ${!!skipped} ${!!descending} ${!!isLocking} ${names} ${where.id}`
    const build = (db: Database) => {
      const selected = db.select(this.codec.fields)
      let query =
        perValue && most
          ? selected.from(this.#numbered(db, where, perValue.column)).where(sql`${numberInGroup} <= ${most}`)
          : selected.from(this.drizzleTable).where(where.toSql())
      if (orderBy !== undefined) query = query.orderBy((descending ? desc : asc)(this.columns[orderBy] as Column))
      if (first) query = query.limit(first)
      if (skipped) query = query.offset(skipped)
      if (isLocking) query = query.for('update')
      return query.$withCache(false)
    }
    const rows = (await this.run('read', build, values, [this.codec], id)) as unknown[][]
    return rows.map((each) => this.codec.fromDriver(each))
  }

  /** The rows that satisfy the condition, numbered among those with the same value of a column. */
  #numbered(db: Database, where: Where, column: string): SQL {
    const number = sql`row_number() over (partition by ${this.columns[column]})`.as('number_in_group')
    return db
      .select({ ...this.columns, number })
      .from(this.drizzleTable)
      .where(where.toSql())
      .as(getTableName(this.drizzleTable))
  }

  /** The number of rows that satisfy the condition exactly. */
  async count(where: Where): Promise<number> {
    const id = where.id && `count ${where.id}`
    const build = (db: Database) => db.select({ one: sql`count(*)` }).from(this.drizzleTable).where(where.toSql()).$withCache(false)
    return Number(((await this.run('read', build, where.values, [counted], id)) as [[unknown]])[0][0])
  }

  // Writes

  /** Returns what the database reports: the new row, where it supports RETURNING. */
  insert(values: Values): Awaitable<unknown> {
    const { cells, sent, id } = this.#cells(values, 0)
    return this.#write(id && `insert ${id}`, 'write', 'row', sent, (db) => db.insert(this.drizzleTable).values(cells()))
  }

  /** Changes all rows that satisfy the condition. Returns their number. */
  async updateAll(where: Where, values: Values): Promise<number> {
    return this.#countWritten(await this.#update(where, values, 'count'))
  }

  /** Changes the row that satisfies the condition, or with `first` the first one by key, and returns it. Only with RETURNING. */
  async updateReturning(where: Where, values: Values, first?: 'first'): Promise<Row | null> {
    return this.firstWritten(await this.#update(where, values, 'row', first))
  }

  /** Deletes all rows that satisfy the condition. Returns their number. */
  async deleteAll(where: Where): Promise<number> {
    return this.#countWritten(await this.#delete(where, 'count'))
  }

  /** Deletes the row that satisfies the condition, or with `first` the first one by key, and returns it. Only with RETURNING. */
  async deleteReturning(where: Where, first?: 'first'): Promise<Row | null> {
    return this.firstWritten(await this.#delete(where, 'row', first))
  }

  /** Deletes the first rows in the order of a column. Returns their number. `lockClause` is for selecting them. Only with RETURNING. */
  async deleteFirst(where: Where, { orderBy, limit }: First, lockClause: SQL): Promise<number> {
    const order = this.columns[orderBy] as Column
    const id = where.id && `delete first by ${idOfName(orderBy)} ${where.id}`
    const deleted = await this.#write(id, 'delete', 'count', [...where.values, limit], (db) =>
      db.delete(this.drizzleTable).where(this.#isAmongFirst(where, order, placeholder(where.values.length), lockClause)),
    )
    return this.#countWritten(deleted)
  }

  #update(where: Where, values: Values, returned: Returned, first?: 'first'): Awaitable<unknown> {
    const { cells, sent, id } = this.#cells(values, where.values.length)
    const updateId = id && where.id && `update ${first} ${returned} ${id} ${where.id}`
    return this.#write(updateId, 'write', returned, [...where.values, ...sent], (db) =>
      db
        .update(this.drizzleTable)
        .set(cells())
        .where(first ? this.#isFirst(where) : where.toSql()),
    )
  }

  #delete(where: Where, returned: Returned, first?: 'first'): Awaitable<unknown> {
    return this.#write(where.id && `delete ${first} ${returned} ${where.id}`, 'delete', returned, where.values, (db) =>
      db.delete(this.drizzleTable).where(first ? this.#isFirst(where) : where.toSql()),
    )
  }

  #write(id: string | undefined, purpose: Purpose, returned: Returned, values: readonly unknown[], build: Build): Awaitable<unknown> {
    if (this.dialect.countWritten) return this.run(purpose, build, values, [], id)
    const [group, fields] = returned === 'row' ? [this.codec, this.codec.fields] : [counted, one]
    return this.run(purpose, (db) => build(db).returning(fields), values, [group], id)
  }

  #countWritten(result: unknown): number {
    return this.dialect.countWritten?.(result) ?? (result as unknown[]).length
  }

  /** The values of a write: as parameters from a place on, unless they are SQL expressions. Without these, they have an id. */
  #cells(values: Values, start: number) {
    const sent: unknown[] = []
    let id: string | undefined = ' '
    for (const name in values) {
      const value = values[name]
      if (isSql(value)) id = undefined
      else sent.push(value)
      if (id !== undefined) id += idOfName(name)
    }
    const cells = () => {
      let place = start
      const cellOf = (name: string) => (isSql(values[name]) ? values[name] : this.codec.of(name).toPlaceholder(place++))
      return Object.fromEntries(Object.keys(values).map((name) => [name, cellOf(name)]))
    }
    return { cells, sent, id }
  }

  #isFirst(where: Where): SQL {
    return this.#isAmongFirst(where, this.columns[this.key[0] as string] as Column, sql`1`, sql``)
  }

  /**
   * Whether a row is among the first that satisfy the condition. The outer condition is checked again on the row that is written, which may
   * have changed meanwhile. The rows are selected in a common table expression, because PostgreSQL may run a plain sub-select more than once
   * and then write more rows than it selected.
   */
  #isAmongFirst(where: Where, orderBy: Column, limit: SQL, lockClause: SQL): SQL {
    const keys = sql.join(
      this.key.map((name) => this.columns[name]),
      sql`, `,
    )
    const condition = () => where.toSql() ?? sql`1 = 1`
    const first = sql`select ${keys} from ${this.drizzleTable} where ${condition()} order by ${orderBy} limit ${limit}${lockClause}`
    return sql`(${keys}) in (with first_rows as (${first}) select * from first_rows) and ${condition()}`
  }

  // Results

  /** The first row that a write returned. If it cannot be decoded, the failure says that the write has happened. */
  firstWritten(rows: unknown): Row | null {
    const [values] = rows as unknown[][]
    try {
      return values ? this.codec.fromDriver(values) : null
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
