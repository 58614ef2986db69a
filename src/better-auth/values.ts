import type { DBAdapterFactoryConfig } from '@better-auth/core/db/adapter'
import type { Column } from 'drizzle-orm'
import { AdapterOperationError } from '../query/errors.js'
import type { DialectName } from '../query/internals.js'
import { isTable } from '../query/internals.js'
import { dataOf, decodeDate, toDate, typeOf } from '../query/kinds.js'

type Config = Required<Pick<DBAdapterFactoryConfig, 'customTransformInput' | 'customTransformOutput'>>

/** Converts the values of a field whose column has another type, such as a date in a text column. */
interface FieldCodec {
  toColumn(value: unknown): unknown
  /** The value, which is not null. `undefined` if it cannot be read. */
  fromColumn(value: unknown): unknown
}

/** How the values of fields are stored in columns of other types: as the official adapter stores them. */
export function transformsFor(dialect: DialectName, schema: Readonly<Record<string, unknown>>): Config {
  const codecs = new WeakMap<Column, FieldCodec>()
  const columnOf = (model: string, field: string): Column | undefined => {
    const table = Object.hasOwn(schema, model) ? schema[model] : undefined
    return isTable(table) && Object.hasOwn(table, field) ? (table as unknown as Record<string, Column>)[field] : undefined
  }
  const codecOf = (type: unknown, column: Column | undefined): FieldCodec => {
    if (!column || !isConverted(type)) return unchanged
    const codec = codecs.get(column) ?? createFieldCodec(type, column, dialect)
    codecs.set(column, codec)
    return codec
  }
  return {
    customTransformInput: ({ data, fieldAttributes: { type }, model, field }) => codecOf(type, columnOf(model, field)).toColumn(data),
    customTransformOutput({ data, fieldAttributes: { type, fieldName }, model, field }) {
      if (data == null) return data
      const value = codecOf(type, columnOf(model, fieldName ?? field)).fromColumn(data)
      if (value === undefined) throw new AdapterOperationError('read', 'garbled', { table: model, column: fieldName ?? field })
      return value
    },
  }
}

const unchanged: FieldCodec = { toColumn: (value) => value, fromColumn: (value) => value }

type ConvertedType = 'date' | 'json' | 'string[]' | 'number[]'

const isConverted = (type: unknown): type is ConvertedType => /^(date|json|string\[\]|number\[\])$/.test(String(type))

function createFieldCodec(type: ConvertedType, column: Column, dialect: DialectName): FieldCodec {
  const data = dataOf(column)
  if (type === 'date') return data === 'string' ? dateAsText(column, dialect) : unchanged
  // On PostgreSQL, the official adapter leaves every type to its column.
  if (data === 'array' || (dialect === 'pg' && data !== 'string')) return unchanged
  const isJson = data === 'json'
  return type === 'json' ? jsonAsText(isJson) : listAsText(isJson)
}

/** Dates in UTC. Text without an offset is in UTC as well, as it is in Drizzle's columns of dates. */
function dateAsText(column: Column, dialect: DialectName): FieldCodec {
  // A column of days has no time. MySQL does not accept T and Z.
  const isDay = /^date\b/.test(typeOf(column))
  const textOf = (date: Date) => {
    const text = date.toISOString()
    return isDay ? text.slice(0, -14) : dialect === 'mysql' ? text.slice(0, -1).replace('T', ' ') : text
  }
  const convert = (value: unknown) => {
    const date = toDate(value)
    return date ? textOf(date) : value
  }
  return {
    toColumn: (value) => (Array.isArray(value) ? value.map(convert) : convert(value)),
    fromColumn: (value) => decodeDate(value, column) ?? toDate(value),
  }
}

/**
 * JSON in a column of text, or in one of JSON where the official adapter stores objects as a JSON text within JSON. A text that is not JSON
 * stands for itself; one that is JSON is quoted once more.
 */
function jsonAsText(isJson: boolean): FieldCodec {
  return {
    toColumn(value) {
      if (value == null) return value
      if (typeof value === 'string') return parse(value) === undefined ? value : JSON.stringify(value)
      return isJson ? value : JSON.stringify(value)
    },
    fromColumn(value) {
      const parsed = typeof value === 'string' ? parse(value) : undefined
      return parsed === undefined ? value : parsed
    },
  }
}

function listAsText(isJson: boolean): FieldCodec {
  const { fromColumn } = jsonAsText(isJson)
  return { fromColumn, toColumn: (value) => (Array.isArray(value) && !isJson ? JSON.stringify(value) : value) }
}

/** Parses JSON. Returns `undefined` if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
