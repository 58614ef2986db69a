import type { Column } from 'drizzle-orm'
import type { Dialect } from './dialect.js'
import type { FailureKind } from './errors.js'

/** Reads something off a column once: columns never change, and are asked about for every value. */
export function ofColumn<T>(read: (column: Column) => T): (column: Column) => T {
  const known = new WeakMap<Column, T>()
  return (column) => {
    let value = known.get(column)
    if (value === undefined) {
      value = read(column)
      known.set(column, value)
    }
    return value
  }
}

/** What a column holds: `string`, `number`, `bigint`, `boolean`, `date`, `json`, `array`, `custom`, … */
export const dataOf = ofColumn((column) => {
  // Drizzle 1.0 gives an array the type of its elements, and says `object date` and `number int32` where 0.45 says `date` and `number`.
  if (((column as { dimensions?: number }).dimensions ?? 0) > 0) return 'array'
  const [data, detail] = column.dataType.split(' ') as [string, string?]
  return data === 'object' && detail ? detail : data
})

/** The column's type in the database, in one spelling. */
export const typeOf = ofColumn((column) => column.getSQLType().toLowerCase())

/** The integers that fit into so many bits. */
export function fitsBits(value: number | bigint, bits: number, unsigned: boolean): boolean {
  const integer = BigInt(value)
  return unsigned ? BigInt.asUintN(bits, integer) === integer : BigInt.asIntN(bits, integer) === integer
}

/** What the database would take in more than one spelling, by the beginning of its type; only the first of them is a key. */
const spellings: [RegExp, RegExp][] = [
  [/^(tiny|small|medium|big)?(int|serial)/, /^(0|-?[1-9]\d*)$/],
  [/^(dec|num)/, /^-?(0|[1-9]\d*)(\.\d+)?$/],
  [/^uuid/, /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/],
]
const integer = (spellings[0] as [RegExp, RegExp])[1]

type Misfits = Pick<Dialect, 'misfit'>

/** A key in the column's own terms, or `undefined` where no row can have it. */
export type KeyParser = (key: unknown) => unknown

/**
 * Reads the keys of a column.
 *
 * Only the one way in which the column writes a value stands for it: `007` is not 7, and an upper-case UUID is no key.
 */
export function keyParser(column: Column, dialect: Misfits): KeyParser {
  const parse = parserOf(column)
  const spelling = spellings.find(([type]) => type.test(typeOf(column)))?.[1]
  const isCustom = dataOf(column) === 'custom'
  return (key) => {
    if (typeof key !== 'string' || !key.isWellFormed()) return undefined
    const value = parse(key)
    const sent = isCustom ? sentFor(column, value) : value
    const isOther = typeof sent === 'string' && spelling?.test(sent) === false
    return sent === undefined || isOther || dialect.misfit(column, sent) ? undefined : value
  }
}

function parserOf(column: Column): (key: string) => unknown {
  const data = dataOf(column)
  if (data === 'number') return (key) => (integer.test(key) && Number.isSafeInteger(Number(key)) ? Number(key) : undefined)
  if (data === 'bigint') return (key) => (integer.test(key) ? BigInt(key) : undefined)
  const allowed = column.columnType.includes('Enum') && column.enumValues
  return (key) => (!allowed || allowed.includes(key) ? key : undefined)
}

/** What a column sends for a value: a custom type sends something of its own. `undefined` where the type cannot. */
function sentFor(column: Column, value: unknown): unknown {
  if (dataOf(column) !== 'custom') return value
  try {
    return column.mapToDriverValue(value)
  } catch {
    return undefined
  }
}

/** Whether a column's two values are the very same one. Types that send bytes compare them exactly in the database. */
export function isSame(column: Column, stored: unknown, asked: unknown): boolean {
  if (stored === asked) return true
  const [one, other] = [sentFor(column, stored), sentFor(column, asked)]
  if (Object(one) === one || Object(other) === other) return true
  // The padding of PostgreSQL's char(n) is no part of its value.
  const bare = (value: unknown) => (/^(char|bpchar)/.test(typeOf(column)) ? String(value).replace(/ +$/, '') : String(value))
  return bare(one) === bare(other)
}

export function isDate(value: unknown): boolean {
  return Number.isFinite((value as Partial<Date>).getTime?.())
}

const scalars = new Set(['string', 'number', 'bigint', 'boolean'])

/** Why a value must not be sent to the column, if so. Objects are refused: a driver that interpolates would make SQL of them. */
export function unfit(column: Column, value: unknown, dialect: Misfits): FailureKind | undefined {
  const data = dataOf(column)
  if (data === 'date' && !isDate(value)) return 'invalid'
  if (data === 'number' && !Number.isFinite(Number(value))) return 'invalid'
  if (scalars.has(data) && Object(value) === value && !ArrayBuffer.isView(value)) return 'invalid'
  const sent = sentFor(column, value)
  if (sent === undefined || !isWellFormed(sent)) return 'invalid'
  return dialect.misfit(column, sent)
}

function isWellFormed(sent: unknown): boolean {
  if (Array.isArray(sent)) return sent.every(isWellFormed)
  return typeof sent !== 'string' || sent.isWellFormed()
}
