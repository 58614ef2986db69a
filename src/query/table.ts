import type { Table as DrizzleTable } from 'drizzle-orm'
import type { Model } from '../models.js'
import type { Awaitable } from './awaitable.js'
import { settle } from './awaitable.js'
import { isSql } from './columns.js'
import type { Condition, Where } from './conditions.js'
import type { Connection } from './connection.js'
import type { Dialect, Selection } from './dialect.js'
import type { Columns, Row, Values } from './drizzle.js'
import { getTableName } from './drizzle.js'
import { Failure } from './errors.js'
import type { Finder, First, Join, ListOptions } from './stored-table.js'
import { StoredTable } from './stored-table.js'

/** What becomes of a row and the row of another table that it refers to. `null` only where the join says that it may be missing. */
export type Combine<Found> = (row: Row, other: Row | null) => Found

/** For callers that need both rows before they can combine them. */
export const asPair: Combine<readonly [row: Row, other: Row | null]> = (row, other) => [row, other]

/** Finds a row by the values of a key. `null` if there is none. */
export type Lookup<Found = Row> = (given: object) => Awaitable<Found | null>

/** One table, in the terms of its callers: values as they give them, rows as they get them. */
export interface Table {
  readonly name: string
  readonly columns: Columns
  readonly key: readonly string[]
  /** Prepares a lookup by the columns of a key. */
  lookup(by: readonly string[]): Lookup
  /** The same with the row of another table that the row refers to. `null` if one of them does not exist, unless the join is optional. */
  lookupWith<Found>(by: readonly string[], other: Table, join: Join, combine: Combine<Found>): Lookup<Found>
  list(where: Condition, options?: ListOptions): Promise<Row[]>
  count(where: Condition): Promise<number>
  insert(input: object): Promise<Row>
  /** Changes the row that has the key of the input. Returns it, or `null` if there is none. */
  updateByKey(input: object): Promise<Row | null>
  /** Changes one of the rows that satisfy the condition. Returns it, or `null` if there is none. */
  updateOne(where: Condition, input: object): Promise<Row | null>
  /** Changes all rows that satisfy the condition. Returns their number. */
  updateAll(where: Condition, input: object): Promise<number>
  /** Deletes the row with this key. Of concurrent callers one gets it, the others get `null`. */
  deleteByKey(given: object): Promise<Row | null>
  /** Deletes one of the rows that satisfy the condition. Of concurrent callers one gets it. */
  deleteOne(where: Condition): Promise<Row | null>
  /** Deletes all rows that satisfy the condition, or the first by a column. Returns the number deleted. */
  deleteAll(where: Condition, first?: First): Promise<number>
  /** Deletes a user and the rows of other tables that belong to it. If the user stays, everything does. */
  deleteUser(id: string, belongings: readonly Table[]): Promise<Row | null>

  /** The key as a row has it. `null` if no row can have it. */
  keyOf(given: object): Values | null
  /** The table without `secretsAtRest`. */
  readonly unprotected: Table
  /** What is stored for these values of the row with this key. */
  seal(values: object, given: object): Promise<object>
  /** What callers see of a stored row. Unless `isStrict` is true, what cannot be decrypted is left out. */
  open(row: Row, isStrict: boolean): Promise<Row>
  /** For what works on several tables, or on all rows of one. */
  readonly stored: StoredTable
}

/** A key as it is given and as it is sent, in the order of its columns. */
interface Key {
  readonly given: readonly unknown[]
  readonly sent: readonly unknown[]
}

/** Opens a table. `users` is the table that its `userId` refers to. */
export function openTable(
  connection: Connection<Dialect>,
  drizzleTable: DrizzleTable,
  model: Model,
  key: readonly string[],
  users?: Table,
): Table {
  const stored = new StoredTable(connection, drizzleTable, model, key)
  const { codec, columns } = stored
  const { dialect } = connection

  /** `null` if no row can have the key. */
  const keyFrom = (input: object, by: readonly string[]): Key | null => {
    const given: unknown[] = []
    const sent: unknown[] = []
    for (const name of by) {
      const value = Object.hasOwn(Object(input), name) ? (input as Values)[name] : undefined
      const encoded = codec.of(name).toKey(value)
      if (encoded === undefined) return null
      given.push(value)
      sent.push(encoded)
    }
    return { given, sent }
  }

  const withKey = ({ sent }: Key): Where => {
    const values: Values = {}
    for (let at = 0; at < key.length; at++) values[key[at] as string] = sent[at]
    return stored.whereEqual(values)
  }

  /** Whether a row has exactly this key: the database's `=` may ignore case, accents, spaces, and how a number is written. */
  const hasKey = (row: Row, by: readonly string[], { given, sent }: Key): boolean => {
    for (let at = 0; at < by.length; at++) {
      const name = by[at] as string
      const value = String(row[name])
      if (value === String(given[at])) continue
      // What a custom type sends as SQL, only the database can evaluate.
      if (isSql(sent[at]) || value !== String(codec.of(name).fromDriver(sent[at]))) return false
    }
    return true
  }

  /** Rethrows a failure, unless the database confirms that no row can have the values that the statement requires. */
  const rethrowUnlessImpossible = async (failure: unknown, required: Values): Promise<void> => {
    const isImpossible =
      failure instanceof Failure && failure.kind === 'invalid' && (await dialect.isImpossible?.(stored, required, failure))
    if (!isImpossible) throw failure
  }

  /** Runs a statement with a condition. Returns `otherwise` if no row can satisfy it. */
  const matching = async <T>(where: Where, run: (where: Where) => Promise<T>, otherwise: T): Promise<T> => {
    if (where.isNever) return otherwise
    try {
      return await run(where)
    } catch (failure) {
      await rethrowUnlessImpossible(failure, where.required)
      return otherwise
    }
  }

  /** Finds the rows of a key, and chooses among them. `separately` is for tables that cannot be joined. */
  const lookupBy = <Found>(
    by: readonly string[],
    find: Finder,
    choose: (rows: readonly unknown[][], key: Key) => Found | null,
    separately?: Lookup<Found>,
  ): Lookup<Found> => {
    return (given) => {
      const key = keyFrom(given, by)
      if (!key) return null
      return settle(
        () => find(key.sent),
        (rows) => choose(rows, key),
        async (failure) => {
          if (separately && failure instanceof Failure && dialect.isUnjoinable?.(failure)) return separately(given)
          await rethrowUnlessImpossible(failure, Object.fromEntries(by.map((name, at) => [name, key.sent[at]])))
          return null
        },
      )
    }
  }

  /** Says which reference a write violated: to the user, or one of the app's own. SQLite never tells, so the user is looked up. */
  const withReference = async <T>(values: object, write: () => Promise<T>): Promise<T> => {
    try {
      return await write()
    } catch (failure) {
      const { userId } = values as Values
      const column = columns.userId?.name
      const canBeUser = users && userId !== undefined && failure instanceof Failure && failure.isReference
      if (!canBeUser || (failure.details.column ?? column) !== column) throw failure
      const isKnown = failure.details.column === undefined && (await users.lookup(['id'])({ id: userId }))
      if (isKnown) throw failure
      throw new Failure('unknown-user', { ...failure.details, column, hint: undefined }, { cause: failure.cause })
    }
  }

  const updateOne = (condition: Where, values: Values, input: object): Promise<Row | null> =>
    matching(
      condition,
      async (where) => {
        if (Object.keys(values).length === 0) return (await stored.list(where, { limit: 1 }))[0] ?? null
        return withReference(input, () => dialect.updateOne(stored, where, values))
      },
      null,
    )

  const table: Table = {
    name: getTableName(drizzleTable),
    columns,
    key,
    stored,
    seal: async (values) => values,
    open: async (row) => row,
    get unprotected() {
      return table
    },

    keyOf(given) {
      const wanted = keyFrom(given, key)
      const decode = (name: string, at: number) =>
        isSql(wanted?.sent[at]) ? wanted?.given[at] : codec.of(name).fromDriver(wanted?.sent[at])
      return wanted && Object.fromEntries(key.map((name, at) => [name, decode(name, at)]))
    },

    lookup: (by) =>
      lookupBy(by, stored.finder(by), (rows, wanted) => {
        for (const values of rows) {
          const row = codec.fromDriver(values)
          if (hasKey(row, by, wanted)) return row
        }
        return null
      }),

    lookupWith<Found>(by: readonly string[], { stored: other, unprotected }: Table, join: Join, combine: Combine<Found>) {
      const place = codec.names.length + other.codec.names.indexOf(join.to)
      const choose = (rows: readonly unknown[][], wanted: Key): Found | null => {
        let withoutOther: Row | null = null
        for (const values of rows) {
          const row = codec.fromDriver(values)
          if (!hasKey(row, by, wanted)) continue
          const otherRow = values[place] == null ? null : other.codec.fromDriver(values, codec.names.length)
          // The join's own `=` may be as inexact as any other.
          if (otherRow && String(otherRow[join.to]) === String(row[join.from])) return combine(row, otherRow)
          if (join.isOptional) withoutOther ??= row
        }
        return withoutOther && combine(withoutOther, null)
      }
      const separately = async (given: object): Promise<Found | null> => {
        const row = await table.lookup(by)(given)
        const otherRow = row && (await unprotected.lookup([join.to])({ [join.to]: row[join.from] }))
        return row && (otherRow || join.isOptional) ? combine(row, otherRow) : null
      }
      return lookupBy(by, stored.finder(by, other, join), choose, separately)
    },

    list: async (condition, options) => matching(stored.where(condition), (where) => stored.list(where, options), []),

    count: async (condition) => matching(stored.where(condition), (where) => stored.count(where), 0),

    async insert(input) {
      const values = codec.toInsert(input)
      return withReference(input, () => dialect.insert(stored, values))
    },

    async updateByKey(input) {
      const wanted = keyFrom(input, key)
      const values = codec.toUpdate(input, key)
      return wanted && updateOne(withKey(wanted), values, input)
    },

    updateOne: async (condition, input) => updateOne(stored.where(condition), codec.toUpdate(input), input),

    async updateAll(condition, input) {
      const values = codec.toUpdate(input)
      if (Object.keys(values).length === 0) return table.count(condition)
      return matching(stored.where(condition), (where) => withReference(input, () => stored.updateAll(where, values)), 0)
    },

    async deleteByKey(given) {
      const wanted = keyFrom(given, key)
      return wanted && matching(withKey(wanted), (where) => dialect.deleteOne(stored, where), null)
    },

    deleteOne: async (condition) => matching(stored.where(condition), (where) => dialect.deleteOne(stored, where), null),

    async deleteAll(condition, first) {
      const run = (where: Where) => (first ? dialect.deleteFirst(stored, where, first) : stored.deleteAll(where))
      return matching(stored.where(condition), run, 0)
    },

    async deleteUser(id, belongings) {
      const wanted = keyFrom({ id }, key)
      if (!wanted) return null
      const user: Selection = { table: stored, where: withKey(wanted) }
      const owned: Selection[] = []
      for (const { stored: other } of belongings) {
        const userId = other.codec.of('userId').toKey(id)
        if (userId !== undefined) owned.push({ table: other, where: other.whereEqual({ userId }) })
      }
      return matching(user.where, () => dialect.deleteUser(user, owned), null)
    },
  }
  return table
}

/** Fails if no row was changed. */
export function orNotFound(row: Row | null, { name }: Table): Row {
  if (!row) throw new Failure('not-found', { table: name })
  return row
}
