import type { Table as DrizzleTable } from 'drizzle-orm'
import type { Model } from '../models.js'
import { isSql } from './columns.js'
import type { Condition, Where } from './conditions.js'
import { noRow } from './conditions.js'
import type { Connection } from './connection.js'
import type { Dialect, Selection } from './dialect.js'
import type { Columns, Row, Values } from './drizzle.js'
import { Failure, ViolatedReference } from './errors.js'
import type { Combine, Join, Lookup } from './lookup.js'
import { createLookup, keyFrom, rethrowUnlessImpossible } from './lookup.js'
import type { First, ListOptions } from './stored-table.js'
import { StoredTable } from './stored-table.js'

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
  keyOf(input: object): Values | null
  /** The table without `secretsAtRest`. */
  readonly unprotected: Table
  /** What is stored for these values of the row with this key. */
  seal(values: object, given: object): Promise<object>
  /** What callers see of a stored row. Unless `isStrict` is true, what cannot be decrypted is left out. */
  open(row: Row, isStrict: boolean): Promise<Row>
  /** For what works on several tables, or on all rows of one. */
  readonly stored: StoredTable
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
  const { definition } = stored
  const { columns } = definition
  const { dialect } = connection

  /** The condition for the row with the key of the input. `null` if no row can have it. */
  const keyIn = (input: object): Where | null => {
    const wanted = keyFrom(definition, key, input)
    return wanted && stored.whereEqual(wanted.sent)
  }

  /** Runs a statement with a condition. Returns `otherwise` if no row can satisfy it. */
  const matching = async <T>(where: Where, run: (where: Where) => Promise<T>, otherwise: T): Promise<T> => {
    if (where === noRow) return otherwise
    try {
      return await run(where)
    } catch (failure) {
      await rethrowUnlessImpossible(dialect, stored, failure, where.required)
      return otherwise
    }
  }

  /** Says which reference a write violated: to the user, or one of the app's own. SQLite never tells, so the user is looked up. */
  const withReference = async <T>(values: object, write: () => Promise<T>): Promise<T> => {
    try {
      return await write()
    } catch (failure) {
      const { userId } = values as Values
      const column = columns.userId?.name
      const canBeUser = users && userId !== undefined && failure instanceof ViolatedReference
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

  // Those that encode values are async, so that what they refuse is a rejection.
  const table: Table = {
    name: stored.name,
    columns,
    key,
    stored,
    seal: async (values) => values,
    open: async (row) => row,
    get unprotected() {
      return table
    },

    keyOf(input) {
      const wanted = keyFrom(definition, key, input)
      if (!wanted) return null
      const { given, sent } = wanted
      return Object.fromEntries(key.map((name) => [name, isSql(sent[name]) ? given[name] : definition.of(name).fromDriver(sent[name])]))
    },

    lookup: (by) => createLookup(dialect, stored, by, (row) => row),

    lookupWith: (by, { stored: other }, join, combine) => createLookup(dialect, stored, by, combine, { other, join }),

    list: async (condition, options) => matching(stored.where(condition), (where) => stored.list(where, options), []),

    count: async (condition) => matching(stored.where(condition), (where) => stored.count(where), 0),

    async insert(input) {
      const values = definition.toInsert(input)
      return withReference(input, () => dialect.insert(stored, values))
    },

    async updateByKey(input) {
      const where = keyIn(input)
      const values = definition.toUpdate(input, key)
      return where && updateOne(where, values, input)
    },

    updateOne: async (condition, input) => updateOne(stored.where(condition), definition.toUpdate(input), input),

    async updateAll(condition, input) {
      const values = definition.toUpdate(input)
      if (Object.keys(values).length === 0) return table.count(condition)
      const update = async (where: Where) => (await stored.update(where, values)).count
      return matching(stored.where(condition), (where) => withReference(input, () => update(where)), 0)
    },

    async deleteByKey(given) {
      const where = keyIn(given)
      return where && matching(where, () => dialect.deleteOne(stored, where), null)
    },

    deleteOne: async (condition) => matching(stored.where(condition), (where) => dialect.deleteOne(stored, where), null),

    async deleteAll(condition, first) {
      const run = async (where: Where) => (first ? dialect.deleteFirst(stored, where, first) : (await stored.delete(where)).count)
      return matching(stored.where(condition), run, 0)
    },

    async deleteUser(id, belongings) {
      const where = keyIn({ id })
      if (!where) return null
      const user: Selection = { table: stored, where }
      const owned: Selection[] = []
      for (const { stored: other } of belongings) {
        const userId = other.definition.of('userId').toKey(id)
        if (userId !== undefined) owned.push({ table: other, where: other.whereEqual({ userId }) })
      }
      return matching(where, () => dialect.deleteUser(user, owned), null)
    },
  }
  return table
}

/** Fails if no row was changed. */
export function orNotFound(row: Row | null, { name }: Table): Row {
  if (!row) throw new Failure('not-found', { table: name })
  return row
}
