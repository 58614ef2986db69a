import type { CustomAdapter } from '@better-auth/core/db/adapter'
import type { Connection } from '../query/connection.js'
import type { Dialect } from '../query/dialect.js'
import type { Values } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import type { OnError } from '../query/errors.js'
import { Failure } from '../query/errors.js'
import { redactErrors } from '../query/failures.js'
import type { ModelTable } from '../query/table.js'
import { joinRows, joinsOf, lookupJoined, wholeNumber } from './joins.js'
import type { Protect } from './tables.js'
import { openTables } from './tables.js'
import { columnOf, conditionOf } from './where.js'

/** The name of a field in the database, by its name in Better Auth. */
type FieldName = (target: { model: string; field: string }) => string

/** The operations that Better Auth's adapter factory calls, with the names of models and fields in the schema. */
export function createOperations(
  connection: Connection<Dialect>,
  schema: Readonly<Record<string, unknown>>,
  fieldName: FieldName,
  onError?: OnError,
  protect?: Protect,
): CustomAdapter {
  const open = openTables(connection, schema, protect)

  const operations = {
    async create({ model, data }) {
      const table = open(model)
      return table.insert(knownFields(data, table))
    },

    async findOne({ model, where, join }) {
      const table = open(model)
      const condition = conditionOf(where, table)
      const joins = joinsOf(join, table, open)
      const key = table.stored.uniqueKeyIn(table.stored.where(condition))
      // The database must compare the other fields of the condition.
      if (!key || where.length > key.length) return (await joinRows(await table.list(condition, { limit: 1 }), joins))[0] ?? null
      return lookupJoined(table, key, joins)(Object.fromEntries(where.map(({ field, value }) => [field, value])))
    },

    async findMany({ model, modelKey = model, where, limit, select, sortBy, offset = 0, join }) {
      const table = open(model)
      const named = (field: string) => columnOf(fieldName({ model: modelKey, field }), table)
      const orderBy = sortBy && named(sortBy.field)
      const joins = joinsOf(join, table, open)
      const found = await table.list(conditionOf(where, table), {
        limit: wholeNumber('limit', limit),
        offset: wholeNumber('offset', offset),
        ...(orderBy && { orderBy, descending: sortBy.direction === 'desc' }),
      })
      const rows = await joinRows(found, joins)
      if (!select?.length) return rows
      const selected = [...select.map(named), ...joins.map((each) => each.model)]
      return rows.map((row) => Object.fromEntries(selected.map((name) => [name, row[name]])))
    },

    async count({ model, where }) {
      const table = open(model)
      return table.count(conditionOf(where, table))
    },

    async update({ model, where, update }) {
      const table = open(model)
      return table.updateOne(conditionOf(where, table), knownFields(update as Values, table))
    },

    async updateMany({ model, where, update }) {
      const table = open(model)
      return table.updateAll(conditionOf(where, table), knownFields(update, table))
    },

    async delete({ model, where }) {
      const table = open(model)
      await table.deleteAll(conditionOf(where, table))
    },

    async deleteMany({ model, where }) {
      const table = open(model)
      return table.deleteAll(conditionOf(where, table))
    },

    async consumeOne({ model, where }) {
      const table = open(model)
      return table.deleteOne(conditionOf(where, table))
    },

    async incrementOne({ model, where, increment, set = {} }) {
      const table = open(model)
      const values = { ...knownFields(set, table) }
      for (const [field, by] of Object.entries(increment)) {
        const step = typeof by === 'number' ? table.stored.definition.of(columnOf(field, table)).encodeValue(by) : undefined
        if (typeof step !== 'number' && typeof step !== 'bigint') throw new Failure('invalid', { column: field })
        // A counter that was added to the table later has no value yet.
        values[field] = sql`coalesce(${table.columns[field]}, 0) + ${step}`
      }
      return table.updateOne(conditionOf(where, table), values)
    },
  } satisfies { [Name in keyof Operations]: (given: Parameters<Operations[Name]>[0]) => Promise<unknown> }

  // Better Auth's types promise the caller's own row type. The rows are those of the schema.
  return redactErrors(operations, connection.dialect.failures, onError) as unknown as CustomAdapter
}

type Operations = Required<Omit<CustomAdapter, 'createSchema' | 'options'>>

/** The values of a write. Fails if the table lacks one of the fields, which Drizzle would silently leave out. */
function knownFields(data: Values, table: ModelTable): Values {
  for (const field of Object.keys(data)) if (data[field] !== undefined) columnOf(field, table)
  return data
}
