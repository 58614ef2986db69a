import type { Table } from 'drizzle-orm'
import type { Model } from '../models.js'
import type { Condition, Where } from './conditions.js'
import { noRow, whereEqual } from './conditions.js'
import type { Connection } from './connection.js'
import type { Selection } from './delete-user.js'
import { deleteUser } from './delete-user.js'
import type { Dialect } from './dialect.js'
import type { Row, Values } from './drizzle.js'
import { Failure, ViolatedReference } from './errors.js'
import type { Combine, Join, Lookup } from './lookup.js'
import { createLookup, keyFrom } from './lookup.js'
import type { First, ListOptions } from './stored-table.js'
import { StoredTable } from './stored-table.js'

/** The table of a model, as callers see it: it encodes the values that they give, and decodes the rows that they get. */
export interface ModelTable extends ReturnType<typeof openTable> {
  /** The table without `secretsAtRest`. */
  readonly unprotected?: ModelTable
}

export function openTable(connection: Connection<Dialect>, drizzleTable: Table, model: Model, key: readonly string[]) {
  const stored = new StoredTable(connection, drizzleTable, model, key)
  const { definition } = stored
  const { columns } = definition
  const { dialect } = connection

  /** The condition for the row with the key of the input. `null` if no row can have this key. */
  const keyIn = (input: object): Where | null => {
    const sent = keyFrom(definition, key, input)
    return sent && whereEqual(sent, definition)
  }

  /**
   * Turns a violated foreign key of `userId` into `unknown-user`. If the database does not name the column, it must be `userId` unless an added
   * column was given, which could have a foreign key as well.
   */
  const withReference = async <T>(input: object, write: () => Promise<T>): Promise<T> => {
    try {
      return await write()
    } catch (failure) {
      if (!(model.userId && 'userId' in input && failure instanceof ViolatedReference)) throw failure
      const column = columns.userId?.name
      const isOfUser = failure.details.column
        ? failure.details.column === column
        : Object.keys(input).every((name) => name in model || !(name in columns))
      if (!isOfUser) throw failure
      throw new Failure('unknown-user', { ...failure.details, column, hint: undefined }, { cause: failure.cause })
    }
  }

  const updateOne = async (where: Where, values: Values, input: object): Promise<Row | null> => {
    if (where === noRow) return null
    if (Object.keys(values).length === 0) return (await stored.list(where, { limit: 1 }))[0] ?? null
    return withReference(input, () => dialect.updateOne(stored, where, values))
  }

  // Methods that encode values are async, so that an invalid value rejects their promise.
  return {
    name: stored.name,
    columns,
    key,
    /** For code that works on several tables, or on all rows of one. */
    stored,

    /** The stored form of these values of the row with this key. */
    seal: async (values: object, _given: object): Promise<object> => values,
    /** A stored row as callers see it. Unless `isStrict` is true, tokens that cannot be decrypted are left out. */
    open: async (row: Row, _isStrict: boolean): Promise<Row> => row,
    /** The key in the form that a row has. `null` if no row can have this key. */
    keyOf(input: object): Values | null {
      const sent = keyFrom(definition, key, input)
      return sent && Object.fromEntries(key.map((name) => [name, definition.of(name).decode(sent[name])]))
    },

    /** Prepares a lookup by the columns of a key. */
    lookup: (by: readonly string[]): Lookup => createLookup(stored, by, (row) => row),
    /** The same, joined with the row of another table. `null` if one of the rows does not exist, unless the join is optional. */
    lookupWith: <Found>(
      by: readonly string[],
      { stored: other }: { stored: StoredTable },
      join: Join,
      combine: Combine<Found>,
    ): Lookup<Found> => createLookup(stored, by, combine, { other, join }),
    list: async (condition: Condition, options?: ListOptions): Promise<Row[]> => stored.list(stored.where(condition), options),
    count: async (condition: Condition): Promise<number> => stored.count(stored.where(condition)),

    async insert(input: object): Promise<Row> {
      const values = definition.toInsert(input)
      return withReference(input, () => dialect.insert(stored, values))
    },

    /** Updates the row with the key of the input. Returns it, or `null`. */
    async updateByKey(input: object): Promise<Row | null> {
      const where = keyIn(input)
      const values = definition.toUpdate(input, key)
      return where && updateOne(where, values, input)
    },
    /** Updates one of the rows that satisfy the condition. Returns it, or `null`. */
    updateOne: async (condition: Condition, input: object): Promise<Row | null> =>
      updateOne(stored.where(condition), definition.toUpdate(input), input),
    /** Updates all rows that satisfy the condition. Returns their number. */
    async updateAll(condition: Condition, input: object): Promise<number> {
      const values = definition.toUpdate(input)
      const where = stored.where(condition)
      if (Object.keys(values).length === 0) return stored.count(where)
      return withReference(input, async () => (await stored.update(where, values)).count)
    },

    /** Deletes the row with this key. Of concurrent callers, one gets it, and the others get `null`. */
    async deleteByKey(given: object): Promise<Row | null> {
      const where = keyIn(given)
      return where && dialect.deleteOne(stored, where)
    },
    /** Deletes one of the rows that satisfy the condition. Of concurrent callers, one gets it. */
    async deleteOne(condition: Condition): Promise<Row | null> {
      const where = stored.where(condition)
      return where === noRow ? null : dialect.deleteOne(stored, where)
    },
    /** Deletes all rows that satisfy the condition, or the first by a column. Returns the number deleted. */
    async deleteAll(condition: Condition, first?: First): Promise<number> {
      const where = stored.where(condition)
      return first ? dialect.deleteFirst(stored, where, first) : (await stored.delete(where)).count
    },
    /** Deletes a user and the rows of other tables that belong to it, or nothing. */
    async deleteUser(id: string, belongings: readonly { stored: StoredTable }[]): Promise<Row | null> {
      const where = keyIn({ id })
      if (!where) return null
      const owned: Selection[] = []
      for (const { stored: table } of belongings) {
        const userId = table.definition.of('userId').encodeKey(id)
        if (userId !== undefined) owned.push({ table, where: whereEqual({ userId }, table.definition) })
      }
      return deleteUser(dialect, { table: stored, where }, owned)
    },
  }
}

/** Fails if no row was changed. */
export function orNotFound(row: Row | null, { name }: ModelTable): Row {
  if (!row) throw new Failure('not-found', { table: name })
  return row
}
