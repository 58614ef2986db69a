import type { Column, SQL, Table } from 'drizzle-orm'
import type { Model } from '../models.js'
import type { ColumnCodec } from './codec.js'
import { createCodec } from './codec.js'
import { isGenerated, keysOf } from './columns.js'
import type { Columns, Row, Values } from './drizzle.js'
import { getTableColumns, getTableName } from './drizzle.js'
import { Failure } from './errors.js'
import type { StatementDialect } from './statement-dialect.js'
import { KeptStatements } from './statements.js'

/**
 * What is known about a table without a database: how its rows are converted, its keys, and its statements. It is kept as long as the table,
 * because an adapter may be made for each request.
 */
export interface TableDefinition {
  /** Tells it from other tables in the ids of statements. */
  readonly id: number
  readonly dialect: StatementDialect
  readonly model: Model
  readonly key: readonly string[]
  readonly areNamed: boolean
  readonly statements: KeptStatements
  /** The keys that identify one row: that of the model, and unique columns. */
  readonly uniqueKeys: readonly (readonly string[])[]

  readonly columns: Columns
  /** The names of the columns in code, in the order in which rows have their values. */
  readonly names: readonly string[]
  /** The codec of a column, by its name in code. */
  of(name: string): ColumnCodec
  /** What to select or return, so that values arrive as the driver returned them. */
  readonly fields: Readonly<Record<string, Column | SQL>>
  /** Whether the driver's values can be used without Drizzle's mapping. */
  readonly isRaw: boolean
  /** Encodes a new row, with its defaults. */
  toInsert(input: unknown): Values
  /** Encodes changes, without the columns that are named. Empty if there is nothing to change. */
  toUpdate(input: unknown, except?: readonly string[]): Values
  /** The row whose values stand in an array, from a place on. */
  fromDriver(values: ArrayLike<unknown>, start?: number): Row
}

const definitions = new WeakMap<Table, TableDefinition[]>()
let definitionCount = 0

/** The definition of a table. `areNamed` says whether PostgreSQL keeps its prepared statements under names. */
export function define(table: Table, model: Model, key: readonly string[], dialect: StatementDialect, areNamed: boolean): TableDefinition {
  const known = definitions.get(table) ?? []
  definitions.set(table, known)
  const same = known.find((each) => each.model === model && each.areNamed === areNamed && each.key.join() === key.join())
  if (same) return same

  const columns = getTableColumns(table) as Record<string, Column>
  const names = Object.keys(columns)
  const keys = keysOf(table, key)
  const codecs = names.map((name) => createCodec(table, name, model[name], dialect, keys.has(name)))
  const byName = new Map(codecs.map((codec) => [codec.name, codec]))
  const unique = names.filter((name) => columns[name]?.isUnique)

  const read = (input: Values, name: string) => (Object.hasOwn(input, name) ? input[name] : undefined)
  const isRequired = (name: string, { notNull, hasDefault }: Column) =>
    model[name] !== undefined && !model[name].optional && notNull && !hasDefault

  const definition: TableDefinition = {
    id: definitionCount++,
    dialect,
    model,
    key,
    areNamed,
    statements: new KeptStatements(table, dialect, areNamed),
    uniqueKeys: [key, ...unique.map((name) => [name])],
    columns,
    names,
    of: (name) => byName.get(name) as ColumnCodec,
    fields: Object.fromEntries(codecs.map(({ name, selection }) => [name, selection])),
    isRaw: codecs.every((codec) => codec.isRaw),

    toInsert(input) {
      if (Object(input) !== input) throw new Failure('invalid', { table: getTableName(table) })
      const values: Values = {}
      for (const { name, column, callOwn, toValue, reject } of codecs) {
        if (isGenerated(column)) continue
        let value = read(input as Values, name)
        // A new user keeps its id, or gets a random one. A column with a default generates its own.
        if (name === 'id' && model.id) value = column.hasDefault ? undefined : (value ?? crypto.randomUUID())
        // Called for each row, because Drizzle would call them once for each prepared statement. If the default is 0, '' or false, Drizzle ignores it
        // and calls `$onUpdate`. Here the default counts.
        if (value === undefined && column.defaultFn) value = callOwn('$defaultFn', () => column.defaultFn?.())
        else if (value === undefined && column.onUpdateFn && !column.default)
          value = column.default === undefined ? callOwn('$onUpdate', () => column.onUpdateFn?.()) : column.default
        if (value !== undefined) values[name] = toValue(value)
        else if (isRequired(name, column)) reject('missing-value')
      }
      return values
    },

    toUpdate(input, except = []) {
      const given: Values = {}
      const automatic: Values = {}
      for (const { name, column, callOwn, toValue } of codecs) {
        if (isGenerated(column) || except.includes(name)) continue
        const value = Object(input) === input ? read(input as Values, name) : undefined
        if (value !== undefined) given[name] = toValue(value)
        else if (column.onUpdateFn) automatic[name] = toValue(callOwn('$onUpdate', () => column.onUpdateFn?.() ?? null))
      }
      return Object.keys(given).length > 0 ? { ...given, ...automatic } : {}
    },

    fromDriver(values, start = 0) {
      const row: Row = {}
      for (let at = 0; at < codecs.length; at++) {
        const codec = codecs[at] as ColumnCodec
        const value = values[start + at]
        if (value != null) row[codec.name] = codec.fromDriver(value)
        else if (!codec.isOmittedIfNull) row[codec.name] = null
      }
      return row
    },
  }
  known.push(definition)
  return definition
}
