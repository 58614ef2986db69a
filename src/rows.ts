import type { Column } from 'drizzle-orm'
import { is, SQL } from 'drizzle-orm'
import type { Dialect } from './dialect.js'
import { classify, Refusal } from './errors.js'
import type { Row, TableStatements, Values } from './statements.js'
import type { KeyParser } from './values.js'
import { isSame, keyParser, unfit } from './values.js'

/** The rows of one table, by the keys and values that the contract speaks of. */
export class Rows {
  readonly #parsers: Record<string, KeyParser> = {}
  /** Whether rows expire. An account may have a column of that name which is something else. */
  readonly #expires: boolean

  constructor(
    /** What one row is called. */
    readonly name: string,
    readonly statements: TableStatements,
    readonly dialect: Dialect,
    /** The column that holds a user's id, if there is one: a string outside, whatever it is in the database. */
    readonly userId?: 'id' | 'userId',
  ) {
    this.#expires = name === 'session' || name === 'verificationToken'
  }

  async find(key: Values): Promise<Row | null> {
    return (await this.list(key))[0] ?? null
  }

  async list(key: Values): Promise<Row[]> {
    const where = this.#inside(key)
    if (!where) return []
    try {
      const rows = (await this.statements.selectAlike(where)).filter((row) => this.#has(row, where))
      for (const row of rows) this.#outside(row)
      return rows
    } catch (error) {
      return this.#unlessRefused(error, () => [])
    }
  }

  /** A row under its name, and the user that its `userId` names. */
  async findWithUser(key: Values, users: Rows): Promise<Record<string, Row> | null> {
    const where = this.#inside(key)
    if (!where) return null
    try {
      const answer = this.statements.selectAlikeWithUser(where, this.name, users.statements)
      // Awaiting what is there already would cost as much as a part of the answer.
      const alike = Array.isArray(answer) ? answer : await answer
      for (const found of alike) {
        const [row, user] = [found[this.name] as Row, found.user as Row]
        if (!this.#has(row, where)) continue
        this.#outside(row)
        users.#outside(user)
        if (row.userId === user.id) return found
      }
      return null
    } catch (error) {
      return this.#unlessRefused(error, () => this.#findApart(key, users))
    }
  }

  async insert(input: Values): Promise<Row> {
    return this.#outside(await this.dialect.insert(this.statements, this.#toInsert(input)))
  }

  /** The changed row, or `null` where no row has the key. */
  async update(key: Values, input: Values): Promise<Row | null> {
    const values = this.#toUpdate(key, input)
    if (Object.keys(values).length === 0) return this.find(key)
    const where = this.#inside(key)
    if (!where) return null
    const updating = this.dialect.update(this.statements, where, values)
    const row = await updating.catch((error) => this.#unlessRefused(error, () => this.#nullForKey(key, error)))
    return row && this.#outside(row)
  }

  /** The deleted row; of many callers at once, one gets it and the others `null`. */
  async remove(key: Values): Promise<Row | null> {
    const where = this.#inside(key)
    if (!where) return null
    const row = await this.dialect.remove(this.statements, where).catch((error) => this.#unlessRefused(error, () => null))
    return row && this.#outside(row)
  }

  async removeAll(key: Values): Promise<void> {
    const where = this.#inside(key)
    if (where) await this.statements.deleteAll(where).catch((error) => this.#unlessRefused(error, () => {}))
  }

  // Two tables whose collations cannot be compared with each other can still be asked one after the other.
  async #findApart(key: Values, users: Rows): Promise<Record<string, Row> | null> {
    const row = await this.find(key)
    const user = row && (await users.find({ id: row.userId }))
    return user && { [this.name]: row, user }
  }

  // A key that the database itself refuses to compare with, such as one outside its character set, is the key of no row.
  #unlessRefused<T>(error: unknown, otherwise: () => T): T {
    if (classify(error, this.dialect.failures).kind === 'invalid') return otherwise()
    throw error
  }

  // Was it the key that the database refused, or a value? Where that cannot be told, the error stands.
  async #nullForKey(key: Values, error: unknown): Promise<null> {
    if (await this.find(key).catch(() => true)) throw error
    return null
  }

  // Exactness, whatever the database takes for equal: case, accents, trailing spaces and Unicode form count.
  #has(row: Row, key: Values): boolean {
    for (const name in key) if (!isSame(this.statements.columns[name] as Column, row[name], key[name])) return false
    return true
  }

  /** The key in the columns' terms; `null` where no row can have it. */
  #inside(key: Values): Values | null {
    const values: Values = {}
    for (const name in key) {
      const value = this.#parse(name, key[name])
      if (value === undefined) return null
      values[name] = value
    }
    return values
  }

  #parse(name: string, key: unknown): unknown {
    const parse = this.#parsers[name] ?? keyParser(this.statements.columns[name] as Column, this.dialect)
    this.#parsers[name] = parse
    return parse(key)
  }

  #outside(row: Row): Row {
    const { userId } = this
    // The library compares it with the time: anything but a real date would never expire.
    if (row.expires != null && this.#expires && !isDate(row.expires)) throw new Refusal('garbled', 'expires')
    if (userId && typeof row[userId] !== 'string' && row[userId] != null) row[userId] = String(row[userId])
    return row
  }

  // `$defaultFn` and `$onUpdate` are called here, for each row, because Drizzle would call them once for each statement.
  #toInsert(input: Values): Values {
    const values: Values = {}
    for (const [name, column] of Object.entries(this.statements.columns)) {
      if (isGenerated(column)) continue
      let value = Object.hasOwn(input, name) ? input[name] : undefined
      if (value === undefined) {
        if (column.defaultFn) value = column.defaultFn()
        else if (column.default === undefined && column.onUpdateFn) value = column.onUpdateFn()
      }
      // What has no value is left to the database, which may have a default that Drizzle does not know.
      if (value !== undefined) values[name] = this.#checked(name, column, value)
    }
    return values
  }

  #toUpdate(key: Values, input: Values): Values {
    const given: Values = {}
    const automatic: Values = {}
    for (const [name, column] of Object.entries(this.statements.columns)) {
      if (isGenerated(column) || name in key) continue
      if (Object.hasOwn(input, name) && input[name] !== undefined) given[name] = this.#checked(name, column, input[name])
      else if (column.onUpdateFn) automatic[name] = this.#checked(name, column, column.onUpdateFn() ?? null)
    }
    return Object.keys(given).length > 0 ? { ...given, ...automatic } : {}
  }

  #checked(name: string, column: Column, value: unknown): unknown {
    if (value === null || (typeof value === 'object' && is(value, SQL))) return value
    if (typeof value === 'string' && name === this.userId) {
      const id = this.#parse(name, value)
      if (id === undefined) throw new Refusal(name === 'userId' ? 'unknown-user' : 'invalid', name)
      return id
    }
    const failure = unfit(column, value, this.dialect)
    if (failure) throw new Refusal(failure, name)
    return value
  }
}

function isDate(value: unknown): boolean {
  return Number.isFinite((value as Partial<Date>).getTime?.())
}

function isGenerated(column: Column): boolean {
  return column.generated !== undefined || column.generatedIdentity?.type === 'always'
}
