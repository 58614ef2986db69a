import type { Column, SQL } from 'drizzle-orm'
import { is, SQLClass } from './drizzle.js'

/** Caches what is read off a column: columns never change, and every value needs it. */
export function ofColumn<T>(read: (column: Column) => T): (column: Column) => T {
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

/** The column's SQL type, in lower case. */
export const typeOf = ofColumn((column) => column.getSQLType().toLowerCase())

/** The SQL types that hold whole numbers only. */
export const isInteger = ofColumn((column) => /^(tiny|small|medium|big)?(int(eger)?|serial)\d?\b/.test(typeOf(column)))

export const isDecimal = ofColumn((column) => /^(dec(imal)?|num(eric)?)\b/.test(typeOf(column)))

/** The digits after the point of a decimal type. */
export function scaleOf(column: Column): number | undefined {
  const scale = /\(\d+,\s*(\d+)\)/.exec(typeOf(column))?.[1]
  return scale === undefined ? undefined : Number(scale)
}

/** Decimal numbers with so many digits after the point. */
export function decimalOf(scale: number): RegExp {
  return new RegExp(`^-?(0|[1-9]\\d*)${scale > 0 ? `\\.\\d{${scale}}` : ''}$`)
}

/** The SQL types that hold floating-point numbers, which are not exact anyway. */
export const isFloat = ofColumn((column) => /^(real|float|double)/.test(typeOf(column)))

/** char(n), by all its names: the padding is not part of its value. */
export const isPadded = ofColumn((column) => /^(bpchar|(national )?(n?char|character)(?! varying))\b/.test(typeOf(column)))

/** Columns that hold numbers in code. Their keys have one spelling, so that `=` is exact. */
export const isNumber = ofColumn((column) => ['number', 'bigint'].includes(dataOf(column)))

/** The values that an enum column accepts. */
export const enumOf = ofColumn((column) => (column.columnType.includes('Enum') && column.enumValues) || null)

export function isGenerated(column: Column): boolean {
  return column.generated !== undefined || column.generatedIdentity?.type === 'always'
}

/** Whether an integer fits into so many bits. */
export function fitsBits(value: number | bigint, bits: number, unsigned: boolean): boolean {
  const integer = BigInt(value)
  return unsigned ? BigInt.asUintN(bits, integer) === integer : BigInt.asIntN(bits, integer) === integer
}

/** Whether a value is an SQL expression, such as `` sql`now()` ``. */
export function isSql(value: unknown): value is SQL {
  // Drizzle 0.45 cannot be asked about an object without a prototype.
  return Object(value) === value && Object.getPrototypeOf(value) !== null && is(value, SQLClass)
}
