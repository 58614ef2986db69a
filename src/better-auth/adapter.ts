import type { CustomAdapter, JoinConfig } from '@better-auth/core/db/adapter'
import { operationError } from '../query/classify.js'
import type { Row, Values } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import type { OnError } from '../query/errors.js'
import { AdapterConfigError, Failure } from '../query/errors.js'
import type { Rows } from '../query/rows.js'
import type { Connection } from '../query/statements.js'
import { openTables } from './tables.js'
import { columnOf, conditionOf } from './where.js'

/** The name of a field in the database, by its name in Better Auth. */
type FieldName = (target: { model: string; field: string }) => string

/** What Better Auth's adapter factory asks of a database. Models and fields have the names of the schema by then. */
export function createOperations(
  connection: Connection,
  schema: Readonly<Record<string, unknown>>,
  fieldName: FieldName,
  onError?: OnError,
): CustomAdapter {
  const open = openTables(connection, schema)

  const operations = {
    async create({ model, data }) {
      const rows = open(model)
      return rows.insert(knownFields(data, rows))
    },

    async findOne({ model, where, join }) {
      const rows = open(model)
      const condition = conditionOf(where, rows)
      const key = rows.statements.uniqueKeyIn(condition)
      // What else the condition requires is compared by the database.
      if (!key || where.length > Object.keys(key).length) return (await rows.list(condition, { limit: 1 }))[0] ?? null
      return (await findWithOther(rows, key, join)) ?? rows.find(key, Object.keys(key))
    },

    async findMany({ model, modelKey = model, where, limit, select, sortBy, offset = 0 }) {
      const rows = open(model)
      // Drizzle ignores an invalid limit, and all rows would be returned.
      for (const [hint, count] of Object.entries({ limit, offset }))
        if (!Number.isSafeInteger(count) || count < 0) throw new Failure('invalid', { hint: `the ${hint} must be a whole number` })
      const named = (field: string) => columnOf(fieldName({ model: modelKey, field }), rows)
      const orderBy = sortBy && named(sortBy.field)
      const found = await rows.list(conditionOf(where, rows), {
        limit,
        offset,
        ...(orderBy && { orderBy, descending: sortBy.direction === 'desc' }),
      })
      const selected = select?.map(named)
      return selected?.length ? found.map((row) => Object.fromEntries(selected.map((name) => [name, row[name]]))) : found
    },

    async count({ model, where }) {
      const rows = open(model)
      return rows.count(conditionOf(where, rows))
    },

    async update({ model, where, update }) {
      const rows = open(model)
      return rows.updateOne(conditionOf(where, rows), knownFields(update as Values, rows))
    },

    async updateMany({ model, where, update }) {
      const rows = open(model)
      return rows.updateAll(conditionOf(where, rows), knownFields(update, rows))
    },

    async delete({ model, where }) {
      const rows = open(model)
      await rows.removeAll(conditionOf(where, rows))
    },

    async deleteMany({ model, where }) {
      const rows = open(model)
      return rows.removeAll(conditionOf(where, rows))
    },

    async consumeOne({ model, where }) {
      const rows = open(model)
      return rows.removeOne(conditionOf(where, rows))
    },

    async incrementOne({ model, where, increment, set = {} }) {
      const rows = open(model)
      const values = { ...knownFields(set, rows) }
      for (const [field, by] of Object.entries(increment)) {
        const step = typeof by === 'number' ? rows.codec.encode(columnOf(field, rows), by) : undefined
        if (typeof step !== 'number' && typeof step !== 'bigint') throw new Failure('invalid', { column: field })
        // A counter that was added to the table later has no value yet.
        values[field] = sql`coalesce(${rows.columns[field]}, 0) + ${step}`
      }
      return rows.updateOne(conditionOf(where, rows), values)
    },
  } satisfies { [Name in keyof Operations]: (given: Parameters<Operations[Name]>[0]) => Promise<unknown> }

  /** A row and the one that it refers to, in one statement. `null` if that is not possible: Better Auth then reads the other by itself. */
  async function findWithOther(rows: Rows, key: Values, join: JoinConfig = {}): Promise<Row | null> {
    const [[model, { on, relation }] = ['', { on: { from: '', to: '' } }], ...more] = Object.entries(join)
    if (relation !== 'one-to-one' || more.length > 0) return null
    const other = open(model)
    const found = await rows.findWith(key, other, { from: columnOf(on.from, rows), to: columnOf(on.to, other) }, Object.keys(key))
    return found && { ...found.row, [model]: found.other }
  }

  // Better Auth's types promise the caller's own row type. The rows are those of the schema.
  return redactErrors(operations, connection, onError) as unknown as CustomAdapter
}

type Operations = Required<Omit<CustomAdapter, 'createSchema' | 'options'>>
type Operation = (given: never) => Promise<unknown>

/** The values of a write. Fails if the table lacks one of its fields: Drizzle would leave it out without a word. */
function knownFields(data: Values, rows: Rows): Values {
  for (const field of Object.keys(data)) if (data[field] !== undefined) columnOf(field, rows)
  return data
}

/** The operations, with errors that hold no value. */
function redactErrors(operations: Record<string, Operation>, { dialect }: Connection, onError?: OnError): Record<string, Operation> {
  const redacted: Record<string, Operation> = {}
  for (const [name, operation] of Object.entries(operations))
    redacted[name] = async (given) => {
      try {
        return await operation(given)
      } catch (error) {
        if (error instanceof AdapterConfigError) throw error
        throw operationError(name, error, dialect.sql.failures, onError)
      }
    }
  return redacted
}
