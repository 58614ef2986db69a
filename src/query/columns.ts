import type { Column, SQL, Table } from 'drizzle-orm'
import { getTableColumns, is, SQLClass } from './drizzle.js'
import { referringColumnsOf } from './internals.js'

/** The JavaScript type that a column holds: `string`, `number`, `bigint`, `boolean`, `date`, `json`, `array`, `custom`, … */
export function dataOf(column: Column): string {
  // Drizzle 1.0 gives an array the type of its elements, and says `object date` and `number int32` where 0.45 says `date` and `number`.
  // The dimensions of its bit(n) are another thing.
  const isOfV1 = hasCodec(column) || column.dataType === 'custom'
  if (isOfV1 && ((column as { dimensions?: number }).dimensions ?? 0) > 0) return 'array'
  const [data, detail] = column.dataType.split(' ') as [string, string?]
  return data === 'object' && detail ? detail : data
}

/** Columns that hold numbers in code. Their keys have one spelling, so that `=` is exact. */
export function isNumber(column: Column): boolean {
  return ['number', 'bigint'].includes(dataOf(column))
}

/** Columns that may hold text, whose `=` depends on a collation. What a custom type stores, nobody knows. */
export function isText(column: Column): boolean {
  return ['string', 'custom'].includes(dataOf(column)) && !isTime(column)
}

/** Columns of JSON that are read as text. */
export function isJsonText(column: Column): boolean {
  return dataOf(column) === 'json' && /^(json|text)/.test(typeOf(column))
}

/** Columns of bytes that hold text in code. Only MySQL has them. */
export function isTextOfBytes(column: Column): boolean {
  return dataOf(column) === 'string' && /^(var)?binary\b|blob\b/.test(typeOf(column))
}

/** Whether Drizzle converts the column's values once more. Only in 1.0. */
export function hasCodec(column: Column): boolean {
  return (column as { codec?: unknown }).codec !== undefined
}

/** The column's SQL type, in lower case. `enum` for enums, also in arrays: those of PostgreSQL have names of the app, and one may be `date`. */
export function typeOf(column: Column): string {
  const { baseColumn = column } = column as { baseColumn?: Column }
  return baseColumn.columnType.includes('Enum') ? 'enum' : column.getSQLType().toLowerCase()
}

/** The number in the parentheses of a type, such as 255 in `varchar(255)`, and the one after a comma. */
export function sizesOf(column: Column): number[] {
  const [, ...sizes] = /\((\d+)(?:,\s*(\d+))?\)/.exec(typeOf(column)) ?? []
  return sizes.filter((size) => size !== undefined).map(Number)
}

const hasType = (type: RegExp) => (column: Column) => type.test(typeOf(column))

/** The SQL types that hold whole numbers only. */
export const isInteger = hasType(/^(tiny|small|medium|big)?(int(eger)?|serial)\d?\b/)

export const isDecimal = hasType(/^(dec(imal)?|num(eric)?)\b/)

/** The SQL types that hold floating-point numbers, which are not exact anyway. */
export const isFloat = hasType(/^(real|float[48]?|double)\b/)

export const isUuid = hasType(/^uuid\b/)

/** char(n), by all its names: the padding is not part of its value. */
export const isPadded = hasType(/^(bpchar|(national )?(n?char|character)(?! varying))\b/)

/** The SQL types of dates and times. In code they may be text. */
export const isTime = hasType(/^(date(time)?|time(tz|stamp(tz)?)?)\b/)

/** The names in code of the columns that identify rows, or refer to such a column: only their values have one spelling. */
export function keysOf(table: Table, key: readonly string[]): ReadonlySet<string> {
  const columns = getTableColumns(table) as Record<string, Column>
  const referring = referringColumnsOf(table)
  const isKey = (name: string) => columns[name]?.primary || columns[name]?.isUnique || referring.has(columns[name] as Column)
  return new Set([...key, ...Object.keys(columns).filter(isKey)])
}

export function isGenerated(column: Column): boolean {
  return column.generated !== undefined || column.generatedIdentity?.type === 'always'
}

/** Whether a value is an SQL expression, such as `` sql`now()` ``. */
export function isSql(value: unknown): value is SQL {
  // Drizzle 0.45 cannot be asked about an object without a prototype.
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) !== null && is(value, SQLClass)
}

// A symbol of the registry, because an app may bundle two copies of this package.
const exactColumns = Symbol.for('drizzle-auth-adapter:exactColumns')

/** Marks columns of a table whose type compares exactly: `=` needs no second comparison. `defineTables` does so for its keys. */
export function markExact<T extends Table>(table: T, names: readonly string[]): T {
  return Object.defineProperty(table, exactColumns, { value: names })
}

/** The names in code of the columns that are marked as exact. */
export function exactColumnsOf(table: Table): readonly string[] {
  return (table as { [exactColumns]?: readonly string[] })[exactColumns] ?? []
}
