import type { Column, SQL, Table } from 'drizzle-orm'
import { getTableColumns, is, SQLClass } from './drizzle.js'
import { referringColumnsOf } from './internals.js'

/** Caches what is read off a column: columns never change, and every value needs it. */
function ofColumn<T>(read: (column: Column) => T): (column: Column) => T {
  const cache = new WeakMap<Column, T>()
  return (column) => {
    let value = cache.get(column)
    if (value === undefined) {
      value = read(column)
      cache.set(column, value)
    }
    return value
  }
}

/** The JavaScript type that a column holds: `string`, `number`, `bigint`, `boolean`, `date`, `json`, `array`, `custom`, … */
export const dataOf = ofColumn((column) => {
  // Drizzle 1.0 gives an array the type of its elements, and says `object date` and `number int32` where 0.45 says `date` and `number`.
  if (((column as { dimensions?: number }).dimensions ?? 0) > 0) return 'array'
  const [data, detail] = column.dataType.split(' ') as [string, string?]
  return data === 'object' && detail ? detail : data
})

/** Whether Drizzle converts the column's values once more. Only in 1.0. */
export function hasCodec(column: Column): boolean {
  return (column as { codec?: unknown }).codec !== undefined
}

/** The column's SQL type, in lower case. */
export const typeOf = ofColumn((column) => column.getSQLType().toLowerCase())

/** The SQL types that hold whole numbers only. */
export const isInteger = ofColumn((column) => /^(tiny|small|medium|big)?(int(eger)?|serial)\d?\b/.test(typeOf(column)))

export const isDecimal = ofColumn((column) => /^(dec(imal)?|num(eric)?)\b/.test(typeOf(column)))

/** The SQL types that hold floating-point numbers, which are not exact anyway. */
export const isFloat = ofColumn((column) => /^(real|float|double)/.test(typeOf(column)))

export const isUuid = ofColumn((column) => /^uuid\b/.test(typeOf(column)))

/** char(n), by all its names: the padding is not part of its value. */
export const isPadded = ofColumn((column) => /^(bpchar|(national )?(n?char|character)(?! varying))\b/.test(typeOf(column)))

/** The number in the parentheses of a type, such as 255 in `varchar(255)`, and the one after a comma. */
export const sizesOf = ofColumn((column) => {
  const [, ...sizes] = /\((\d+)(?:,\s*(\d+))?\)/.exec(typeOf(column)) ?? []
  return sizes.filter((size) => size !== undefined).map(Number)
})

/** The SQL types of dates and times. In code they may be text. */
export const isTime = ofColumn((column) => /^(date|time)/.test(typeOf(column)))

/** Columns that may hold text, whose `=` depends on a collation. What a custom type stores, nobody knows. */
export const isText = ofColumn((column) => ['string', 'custom'].includes(dataOf(column)) && !isTime(column))

/** Columns of JSON that are read as text. */
export const isJsonText = ofColumn((column) => dataOf(column) === 'json' && /^(json|text)/.test(typeOf(column)))

/** The names in code of the columns that identify rows, or refer to such a column: only their values have one spelling. */
export function keysOf(table: Table, key: readonly string[]): ReadonlySet<string> {
  const columns = getTableColumns(table) as Record<string, Column>
  const referring = referringColumnsOf(table)
  const isKey = (name: string) => columns[name]?.primary || columns[name]?.isUnique || referring.has(columns[name] as Column)
  return new Set([...key, ...Object.keys(columns).filter(isKey)])
}

/** Columns that hold numbers in code. Their keys have one spelling, so that `=` is exact. */
export const isNumber = ofColumn((column) => ['number', 'bigint'].includes(dataOf(column)))

/** The one spelling of an integer that counts as a key, and that is stored. */
export const integerText = /^(0|-?[1-9]\d*)$/

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
