import type { Table } from 'drizzle-orm'
import type { Model } from '../models.js'
import type { Codec } from './codec.js'
import { createCodec, toText } from './codec.js'
import { isSql } from './columns.js'
import type { Comparison, Condition } from './conditions.js'
import { equal, isMembership, isNever, isOrdered, isPlace, mapCondition, never } from './conditions.js'
import type { Join, JoinedRow, ListOptions, Selection, Statements } from './dialect.js'
import type { Columns, Row, Values } from './drizzle.js'
import { getTableName, sql } from './drizzle.js'
import { Failure } from './errors.js'
import type { Connection } from './statements.js'
import { createStatements } from './statements.js'
import { decimalText, isStorableText, reasonToReject } from './storable.js'

/**
 * The rows of one table, in the contract's terms. A key is an object with the columns of the table's key, or those that are named.
 * Conditions have values as callers give them.
 */
export interface Rows {
  readonly columns: Columns
  readonly key: readonly string[]
  /** The key as a row has it. `null` if no row can have it. */
  keyOf(given: object, by?: readonly string[]): Values | null
  find(given: object, by?: readonly string[]): Promise<Row | null>
  /** A row and the row of another table that it refers to. `null` if one of them does not exist. */
  findWith(given: object, other: Rows, join: Join, by?: readonly string[]): Promise<JoinedRow | null>
  list(where: Condition, options?: ListOptions): Promise<Row[]>
  insert(input: object): Promise<Row>
  /** The changed row, or `null` if no row has the key. */
  update(input: object): Promise<Row | null>
  /** The number of rows that satisfy the condition. */
  count(where: Condition): Promise<number>
  /** Changes one of the rows that satisfy the condition. Returns it, or `null` if there is none. */
  updateOne(where: Condition, input: object): Promise<Row | null>
  /** Changes all rows that satisfy the condition. Returns their number. */
  updateAll(where: Condition, input: object): Promise<number>
  /** Deletes one of the rows that satisfy the condition. Of concurrent callers one gets it. */
  removeOne(where: Condition): Promise<Row | null>
  /** Changes a row that satisfies the condition, its key included. Returns whether there was one. */
  change(where: Condition, input: object): Promise<boolean>
  /** The deleted row. Of concurrent callers one gets it, the others get `null`. */
  remove(given: object): Promise<Row | null>
  /** Deletes all rows that satisfy the condition. Returns the number deleted. */
  removeAll(where: Condition): Promise<number>
  /** Deletes at most `limit` rows, in the order of a column. Returns the number deleted. */
  removeSome(where: Condition, orderBy: string, limit: number): Promise<number>
  /** Deletes a user and the rows of other tables that belong to it. If the user stays, everything does. */
  removeWith(belongings: readonly Rows[], id: string): Promise<Row | null>
  /** The rows as they are stored, where that differs from what callers see: with `secretsAtRest`. */
  readonly stored: Rows
  /** What is stored for these values of the row with this key. */
  seal(values: object, given: object): Promise<object>
  /** What callers see of a stored row. */
  open(row: Row): Promise<Row>
  /** For what works on several tables, or on all rows of one. */
  readonly codec: Codec
  readonly statements: Statements
}

interface Key {
  readonly given: Values
  readonly sent: Values
}

/** Opens a table. `users` are the rows that its `userId` refers to. */
export function openTable(connection: Connection, table: Table, model: Model, key: readonly string[], users?: Rows): Rows {
  const { dialect } = connection
  const { storage, integerHint } = dialect.sql
  const codec = createCodec(model, table, {
    integerHint,
    reasonToReject: (column, sent) => reasonToReject(storage, column, sent),
    decimalText: (column, number) => decimalText(storage, column, number),
  })
  const statements = createStatements(connection, table, key, codec)
  const { rows: rowDialect } = dialect
  const { decodeRow } = codec

  /** The key as it is given, read once, and as it is sent. `null` if no row can have it. */
  const encodeKey = (input: object, by: readonly string[]): Key | null => {
    const key: Key = { given: {}, sent: {} }
    for (const name of by) {
      const value = Object.hasOwn(Object(input), name) ? (input as Values)[name] : undefined
      const sent = codec.encodeKey(name, value)
      if (sent === undefined) return null
      key.given[name] = value
      key.sent[name] = sent
    }
    return key
  }

  /** A key as a row has it, from what was sent. What a custom type sends as SQL, only the database can evaluate. */
  const decodeKey = ({ given, sent }: Key, name: string): unknown => (isSql(sent[name]) ? given[name] : codec.decode(name, sent[name]))

  /** Whether a row has exactly this key: the database's `=` may ignore case, accents, spaces, and how a number is written. */
  const hasKey = (row: Row, key: Key): boolean => {
    for (const name in key.sent) {
      const stored = String(row[name])
      if (stored !== String(key.given[name]) && stored !== String(decodeKey(key, name))) return false
    }
    return true
  }

  /** The condition that a comparison with a value comes to if no row has that value: each row that has one has another. */
  const withoutValue = ({ column, is }: Comparison): Condition =>
    is === 'ne' || is === 'notIn' ? { column, is: 'ne', value: null } : never

  /** What is sent for a value of a comparison. `undefined` if no row can have it. */
  const encodeValue = ({ column, is, ignoresCase }: Comparison, value: unknown): unknown => {
    // A part of a text, or one in another case, need not be a value of the column, such as one of an enum.
    if (ignoresCase || isPlace(is)) {
      const text = toText(value)
      return text !== undefined && isStorableText(storage, text) ? text : undefined
    }
    return isOrdered(is) ? codec.encode(column, value) : codec.encodeKey(column, value)
  }

  const encodeList = (comparison: Comparison): Condition => {
    const { column, is, value } = comparison
    const given = value as readonly unknown[]
    const sent = given.map((each) => encodeValue(comparison, each)).filter((each) => each !== undefined)
    const parts: Condition[] = sent.length > 0 ? [{ ...comparison, value: sent }] : []
    if (is === 'in') return { or: given.includes(null) ? [...parts, encodeComparison({ column, is: 'eq', value: null })] : parts }
    return { and: given.length > sent.length ? [...parts, withoutValue(comparison)] : parts }
  }

  const encodeComparison = (comparison: Comparison): Condition => {
    const { column, is, value } = comparison
    if (isMembership(is)) return encodeList(comparison)
    // Nothing is before, after or part of no value.
    if (value === null && is !== 'eq' && is !== 'ne') return never
    // No id is null: rows without a user belong to nobody.
    if (value === null && model[column]?.kind !== 'id') return comparison
    const sent = encodeValue(comparison, value)
    if (sent === undefined) return withoutValue(comparison)
    // Every text contains the empty one.
    if (sent === '' && isPlace(is)) return { column, is: 'ne', value: null }
    return { ...comparison, value: sent }
  }
  const encodeCondition = (where: Condition): Condition => mapCondition(where, encodeComparison)

  /** Whether the database can compare its columns with these values. It cannot if a text is outside the column's character set. */
  const isComparable = async (where: Condition): Promise<boolean> => {
    const build = () => connection.db.select({ one: sql`1` }).from(table).where(statements.matches(where)).limit(0).$withCache(false)
    const compare = async () => statements.run('read', build)
    return compare().then(
      () => true,
      (failure: Failure) => failure.kind !== 'invalid',
    )
  }

  /** The condition without the values that the database cannot compare: no row has them. */
  const withoutIncomparable = async (where: Condition): Promise<Condition> => {
    if ('and' in where) return { and: await Promise.all(where.and.map(withoutIncomparable)) }
    if ('or' in where) return { or: await Promise.all(where.or.map(withoutIncomparable)) }
    // Such a value has no place in the order either.
    if (isOrdered(where.is) || (await isComparable(where))) return where
    const value: unknown[] = []
    if (isMembership(where.is))
      for (const each of where.value as readonly unknown[]) if (await isComparable({ ...where, value: [each] })) value.push(each)
    return value.length > 0 ? { ...where, value } : withoutValue(where)
  }

  /**
   * What to try after a failure because the database cannot compare a column with a value. Everything else is a failure, also where a
   * trigger or a policy fails with the same code.
   */
  const comparablePart = async (failure: unknown, where: Condition): Promise<Condition> => {
    if (!(failure instanceof Failure && failure.kind === 'invalid') || (await isComparable(where))) throw failure
    return withoutIncomparable(where)
  }

  /** Runs what reads or writes rows that satisfy a condition. If there can be none, the answer is the other one. */
  const orIncomparable = async <T>(where: Condition, run: (where: Condition) => PromiseLike<T> | T, otherwise: T): Promise<T> => {
    if (isNever(where)) return otherwise
    try {
      return await run(where)
    } catch (failure) {
      const part = await comparablePart(failure, where)
      return isNever(part) ? otherwise : run(part)
    }
  }

  /** Says which reference a write violated: to the user, or one of the app's own. SQLite never tells, so the user is looked up. */
  const withReference = async <T>(values: object, write: Promise<T>): Promise<T> => {
    try {
      return await write
    } catch (failure) {
      const column = codec.columns.userId?.name
      if (!users || !(failure instanceof Failure && failure.isReference) || (failure.details.column ?? column) !== column) throw failure
      const isKnown = failure.details.column === undefined && (await users.find({ id: (values as Values).userId }))
      if (isKnown) throw failure
      throw new Failure('unknown-user', { ...failure.details, column, hint: undefined }, { cause: failure.cause })
    }
  }

  /** A new row that was deleted before MySQL could read it. */
  const asSent = (values: Values): Row =>
    Object.fromEntries(Object.keys(codec.columns).map((name) => [name, values[name] == null ? null : codec.decode(name, values[name])]))

  const find = async (given: object, by = key): Promise<Row | null> => {
    const wanted = encodeKey(given, by)
    if (!wanted) return null
    const { sent } = wanted
    const rows = await orIncomparable(equal(sent), () => statements.find(sent), [])
    const row = rows.find((each) => hasKey(each, wanted))
    return row ? decodeRow(row) : null
  }

  const rows: Rows = {
    columns: codec.columns,
    key,
    codec,
    statements,
    find,
    seal: async (values) => values,
    open: async (row) => row,
    get stored() {
      return rows
    },

    keyOf(given, by = key) {
      const wanted = encodeKey(given, by)
      return wanted && Object.fromEntries(by.map((name) => [name, decodeKey(wanted, name)]))
    },

    async findWith(given, other, join, by = key) {
      const wanted = encodeKey(given, by)
      if (!wanted) return null
      const { sent } = wanted
      let joined: JoinedRow[]
      try {
        const result = rowDialect.selectWith(statements, sent, other.statements, join)
        // Awaiting what is there already would cost as much as a part of the query.
        joined = Array.isArray(result) ? result : await result
      } catch (failure) {
        await comparablePart(failure, equal(sent))
        joined = []
      }
      const found = joined.find(({ row, other }) => hasKey(row, wanted) && String(other[join.to]) === String(row[join.from]))
      return found ? { row: decodeRow(found.row), other: other.codec.decodeRow(found.other) } : null
    },

    async list(given, options) {
      return (await orIncomparable(encodeCondition(given), (where) => statements.list(where, options), [])).map(decodeRow)
    },

    async insert(input) {
      const values = codec.encodeInsert(input)
      const row = await withReference(input, rowDialect.insert(statements, values))
      return decodeRow(row ?? asSent(values))
    },

    async update(input) {
      const wanted = encodeKey(input, key)
      const values = codec.encodeUpdate(input, key)
      if (!wanted) return null
      if (Object.keys(values).length === 0) return find(wanted.given)
      const where = equal(wanted.sent)
      const row = await orIncomparable(where, () => withReference(input, rowDialect.update(statements, where, values)), null)
      return row && decodeRow(row)
    },

    async count(given) {
      return orIncomparable(encodeCondition(given), (where) => statements.count(where), 0)
    },

    async updateOne(given, input) {
      const condition = encodeCondition(given)
      const values = codec.encodeUpdate(input, [])
      if (Object.keys(values).length === 0) return (await rows.list(given, { limit: 1 }))[0] ?? null
      const row = await orIncomparable(condition, (where) => withReference(input, rowDialect.updateOne(statements, where, values)), null)
      return row && decodeRow(row)
    },

    async updateAll(given, input) {
      const condition = encodeCondition(given)
      const values = codec.encodeUpdate(input, [])
      if (Object.keys(values).length === 0) return rows.count(given)
      return orIncomparable(condition, (where) => withReference(input, rowDialect.updateAll(statements, where, values)), 0)
    },

    async removeOne(given) {
      const row = await orIncomparable(encodeCondition(given), (where) => rowDialect.removeOne(statements, where), null)
      return row && decodeRow(row)
    },

    async change(given, input) {
      const condition = encodeCondition(given)
      const values = codec.encodeUpdate(input, [])
      const change = async (where: Condition) =>
        Object.keys(values).length > 0 ? rowDialect.change(statements, where, values) : (await statements.list(where)).length > 0
      return orIncomparable(condition, change, false)
    },

    async remove(given) {
      const wanted = encodeKey(given, key)
      if (!wanted) return null
      const where = equal(wanted.sent)
      const row = await orIncomparable(where, () => rowDialect.remove(statements, where), null)
      return row && decodeRow(row)
    },

    async removeAll(given) {
      return orIncomparable(encodeCondition(given), (where) => rowDialect.removeAll(statements, where), 0)
    },

    removeSome: async (where, orderBy, limit) => rowDialect.removeSome(statements, encodeCondition(where), orderBy, limit),

    async removeWith(belongings, id) {
      const wanted = encodeKey({ id }, key)
      if (!wanted) return null
      const where = equal(wanted.sent)
      const owned = belongings.flatMap(({ codec, statements }): Selection[] => {
        const userId = codec.encodeKey('userId', id)
        return userId === undefined ? [] : [{ statements, where: equal({ userId }) }]
      })
      const row = await orIncomparable(where, () => rowDialect.removeUser({ statements, where }, owned), null)
      return row && decodeRow(row)
    },
  }
  return rows
}

/** Fails if no row was changed. */
export function orNotFound(row: Row | null, { statements }: Rows): Row {
  if (!row) throw new Failure('not-found', { table: getTableName(statements.table) })
  return row
}
