import type { SQL, Table } from 'drizzle-orm'
import type { Model } from '../models.js'
import type { ColumnCodec } from './codec.js'
import { createCodec } from './codec.js'
import type { AnyColumn, Columns, Row, Values } from './drizzle.js'
import { getTableColumns, getTableName } from './drizzle.js'
import type { Purpose } from './errors.js'
import { Failure } from './errors.js'
import { isGenerated, keysOf } from './kinds.js'
import type { StatementDialect } from './statement-dialect.js'
import type { SelectedColumns } from './statements.js'
import { keep, mostKept, Statement } from './statements.js'

/** The codecs, keys and statements of a table. Cached by table, because an app may create an adapter for each request. */
export type TableDefinition = ReturnType<typeof createDefinition>

const definitions = new WeakMap<Table, TableDefinition[]>()
let definitionCount = 0

export function define(table: Table, model: Model, key: readonly string[], dialect: StatementDialect): TableDefinition {
  const known = definitions.get(table) ?? []
  const same = known.find((each) => each.model === model && each.key.join() === key.join())
  if (same) return same
  const definition = createDefinition(table, model, key, dialect)
  definitions.set(table, [...known, definition])
  return definition
}

function createDefinition(table: Table, model: Model, key: readonly string[], dialect: StatementDialect) {
  const columns: Columns = getTableColumns(table)
  const keys = keysOf(table, key)
  const codecs = Object.keys(columns).map((name) => createCodec(table, name, model[name], dialect, keys.has(name)))
  const byName = new Map(codecs.map((codec) => [codec.name, codec]))
  const kept = new Map<string, Statement>()
  let created = 0
  const unique = codecs.filter(({ column, kind }) => column.isUnique && kind !== 'other')

  return {
    /** Identifies the table in the ids of statements. */
    id: definitionCount++,
    dialect,
    model,
    key,
    /** The keys that identify one row: that of the model, and unique columns. */
    uniqueKeys: [key, ...unique.map(({ name }) => [name])],
    columns,
    /** The names of the columns in code, in the order in which rows have their values. */
    names: Object.keys(columns),
    /** The codec of a column, by its name in code. */
    of: (name: string) => byName.get(name) as ColumnCodec,
    fields: Object.fromEntries(codecs.map(({ name, selection }) => [name, selection])) as Record<string, AnyColumn | SQL>,
    isRaw: codecs.every((codec) => codec.isRaw),

    /** A statement of the table. `id` identifies its SQL and purpose. Without an id, the statement is not kept. */
    statement(id: string | undefined, purpose: Purpose, selected: SelectedColumns | undefined): Statement {
      const create = () => new Statement(table, purpose, dialect, selected, id !== undefined, id !== undefined && created++ < mostKept)
      return id === undefined ? create() : keep(kept, id, create)
    },

    /** Encodes a new row, with its defaults. */
    toInsert(input: unknown): Values {
      if (Object(input) !== input) throw new Failure('invalid', { table: getTableName(table) })
      const values: Values = {}
      for (const { name, column, field, callAppFunction, encodeValue, reject } of codecs) {
        if (isGenerated(column)) continue
        let value = (input as Values)[name]
        // A new user keeps its id or gets a random one, unless the column has a default.
        if (name === 'id' && model.id) value = column.hasDefault ? undefined : (value ?? crypto.randomUUID())
        // Called for each row, because Drizzle would call them once for each prepared statement.
        if (value === undefined && column.defaultFn) value = callAppFunction('$defaultFn', () => column.defaultFn?.())
        else if (value === undefined && column.onUpdateFn && !column.default)
          value = callAppFunction('$onUpdate', () => column.onUpdateFn?.())
        if (value !== undefined) values[name] = encodeValue(value)
        else if (field && !field.optional && column.notNull && !column.hasDefault) reject('missing-value')
      }
      return values
    },

    /** Encodes changes, without the columns that are named. Empty if there is nothing to change. */
    toUpdate(input: unknown, except: readonly string[] = []): Values {
      const given: Values = {}
      const automatic: Values = {}
      for (const { name, column, callAppFunction, encodeValue } of codecs) {
        if (isGenerated(column) || except.includes(name)) continue
        const value = (input as Values | null | undefined)?.[name]
        if (value !== undefined) given[name] = encodeValue(value)
        else if (column.onUpdateFn) automatic[name] = encodeValue(callAppFunction('$onUpdate', () => column.onUpdateFn?.() ?? null))
      }
      return Object.keys(given).length > 0 ? { ...given, ...automatic } : {}
    },

    /** Decodes the row whose values begin at a place of an array. */
    decode(values: ArrayLike<unknown>, start = 0): Row {
      const row: Row = {}
      for (let at = 0; at < codecs.length; at++) {
        const codec = codecs[at] as ColumnCodec
        const value = values[start + at]
        if (value != null) row[codec.name] = codec.decode(value)
        else if (!codec.isOmittedIfNull) row[codec.name] = null
      }
      return row
    },
  }
}
