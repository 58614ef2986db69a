import type { Column, SQL, Table } from 'drizzle-orm'
import { getTableColumns, is, SQLClass } from './drizzle.js'
import { referringColumnsOf } from './internals.js'

/** The kinds of columns. `other` has Drizzle's own mapping in both directions, and cannot be a key. */
export type Kind = 'text' | 'uuid' | 'integer' | 'boolean' | 'date' | 'json' | 'list' | 'custom' | 'other'

const textTypes = /^(citext|enum|(n?var|bp|n)?char|character|national|\w*text|(var)?binary|\w*blob)\b/

export function kindOf(column: Column): Kind {
  const data = dataOf(column)
  if (data === 'custom' || data === 'boolean' || data === 'date') return data
  if (data === 'json') return /^(json|text)/.test(typeOf(column)) ? 'json' : 'other'
  if (data === 'array') return /^(\w*vec|point|line|geometry)/.test(typeOf(column)) ? 'other' : 'list'
  if (isInteger(column)) return 'integer'
  if (data !== 'string') return 'other'
  return isUuid(column) ? 'uuid' : isDateType(column) ? 'date' : textTypes.test(typeOf(column)) ? 'text' : 'other'
}

/** The JavaScript type that a column holds: `string`, `number`, `bigint`, `boolean`, `date`, `json`, `array`, `custom`, … */
export function dataOf(column: Column): string {
  // Drizzle 1.0 gives an array the type of its elements, and says `object date` and `number int32` where 0.45 says `date` and `number`.
  // The dimensions of its bit(n) are another thing.
  const isOfV1 = hasCodec(column) || column.dataType === 'custom'
  if (isOfV1 && ((column as { dimensions?: number }).dimensions ?? 0) > 0) return 'array'
  const [data, detail] = column.dataType.split(' ') as [string, string?]
  return data === 'object' && detail ? detail : data
}

/** Whether Drizzle converts the column's values once more. Only in 1.0. */
export function hasCodec(column: Column): boolean {
  return (column as { codec?: unknown }).codec !== undefined
}

/** The column's SQL type, in lower case. `enum` for enums, also in arrays: those of PostgreSQL have names of the app, and one may be `date`. */
export function typeOf(column: Column): string {
  const { baseColumn = column } = column as { baseColumn?: Column }
  return isEnum(baseColumn) ? 'enum' : column.getSQLType().toLowerCase()
}

export const isEnum = (column: Column) => column.columnType.includes('Enum')

const hasType = (type: RegExp) => (column: Column) => type.test(typeOf(column))

export const isInteger = hasType(/^(tiny|small|medium|big)?(int(eger)?|serial)\d?\b/)
/** The SQL types of other numbers. */
export const isNumeric = hasType(/^(dec(imal)?|num(eric)?|real|float[48]?|double|money|year)\b/)
export const isUuid = hasType(/^uuid\b/)
/** In code, dates may be text. */
export const isDateType = hasType(/^(date(time)?|timestamp(tz)?)\b/)
/** char(n), by all its names. */
export const isPadded = hasType(/^(bpchar|(national )?(n?char|character)(?! varying))\b/)
const isOfBytes = hasType(/^((var)?binary|bytea|\w*blob)\b/)
const isOtherExact = hasType(/^(bool(ean)?|jsonb)\b/)

/** Columns of bytes that hold text in code. Only MySQL has them. */
export const isTextOfBytes = (column: Column) => dataOf(column) === 'string' && isOfBytes(column)

/** Whether values are text whose `=` depends on a collation. A custom type over an unknown SQL type may store text. */
export function isCollated(column: Column): boolean {
  const isExactType = [isInteger, isNumeric, isUuid, isDateType, isOfBytes, isOtherExact].some((hasExactType) => hasExactType(column))
  return ['text', 'custom', 'json'].includes(kindOf(column)) && !isExactType
}

/** The names in code of the columns that are keys or refer to one. Their values have one spelling. */
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

/** Marks columns whose SQL type compares exactly, so that `=` needs no second comparison. `defineTables` marks its keys. */
export function markExact<T extends Table>(table: T, names: readonly string[]): T {
  return Object.defineProperty(table, exactColumns, { value: names })
}

/** The names in code of the columns that are marked as exact. */
export function exactColumnsOf(table: Table): readonly string[] {
  return (table as { [exactColumns]?: readonly string[] })[exactColumns] ?? []
}

/** How values of one kind are converted. `data` is the JavaScript type of the column. `undefined` is returned for values of another kind. */
interface Conversion {
  /** Converts a caller's value for the column. */
  encode(value: unknown, data: string): unknown
  /** Converts the driver's value, which is not null, for callers. */
  decode(raw: unknown, column: Column, data: string): unknown
}

const unchanged = (value: unknown) => value
const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
const asDrizzle = (raw: unknown, column: Column) => column.mapFromDriverValue(raw)
const booleans: Readonly<Record<string, boolean>> = { true: true, t: true, 1: true, false: false, f: false, 0: false }
/** The canonical spelling of a uuid. */
export const uuidForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

export const conversions: Readonly<Record<Kind, Conversion>> = {
  text: { encode: toText, decode: text },
  uuid: { encode: (value) => (typeof value === 'string' && uuidForm.test(value) ? value : undefined), decode: text },
  integer: { encode: toInteger, decode: decodeInteger },
  boolean: { encode: (value) => (typeof value === 'boolean' ? value : undefined), decode: (raw) => booleans[String(raw)] },
  date: {
    encode: (value, data) => (data === 'string' ? dateText(value) : toDate(value)),
    decode: (raw, column, data) => (data === 'string' ? dateText(asDrizzle(raw, column)) : decodeDate(raw, column)),
  },
  json: { encode: (value) => JSON.stringify(value), decode: (raw) => JSON.parse(raw as string) },
  list: { encode: (value) => (isList(value) ? value : undefined), decode: decodeList },
  custom: { encode: unchanged, decode: asDrizzle },
  // Its values arrive as Drizzle has mapped them.
  other: { encode: unchanged, decode: unchanged },
}

/** A text, or the decimal text of a whole number: some providers return ids as numbers. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : undefined
}

// A byte order mark is part of the text, like any other character.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** The text of a column that holds its bytes in UTF-8. Some drivers return text, and a proxy may return bytes as JSON. */
export function textOfBytes(raw: unknown): string {
  if (typeof raw === 'string') return raw
  const { data } = Object(raw) as { data?: unknown }
  return decoder.decode(Array.isArray(data) ? Uint8Array.from(data) : (raw as Uint8Array))
}

/** The canonical spelling of an integer. */
export const integerForm = /^(0|-?[1-9]\d*)$/

/** A safe integer for columns that hold numbers, and one of 64 bits, signed or unsigned, for those that hold bigints or text. */
function toInteger(value: unknown, data: string): unknown {
  // Some token endpoints send integers as text.
  const digits = toText(value)
  if (digits === undefined || !integerForm.test(digits)) return undefined
  if (data !== 'bigint' && data !== 'string') return safe(Number(digits))
  const integer = BigInt(digits)
  if (integer < -(2n ** 63n) || integer >= 2n ** 64n) return undefined
  return data === 'bigint' ? integer : digits
}

/** A larger number may have been rounded. */
const safe = (number: unknown) => (Number.isSafeInteger(number) ? number : undefined)

function decodeInteger(raw: unknown, _column: Column, data: string): unknown {
  if (typeof raw === 'number' && data === 'number') return safe(raw)
  const digits = toText(raw)
  if (digits === undefined || !/^-?\d+$/.test(digits)) return undefined
  return data === 'bigint' ? BigInt(digits) : data === 'number' ? safe(Number(digits)) : digits
}

// Drivers would store objects in an array as `[object Object]`, and return null as the text NULL.
const isList = (value: unknown) =>
  Array.isArray(value) && value.flat(Number.POSITIVE_INFINITY).every((each) => each != null && typeof each !== 'object')

function decodeList(raw: unknown, column: Column): unknown {
  const list: unknown = column.mapFromDriverValue(raw)
  return Array.isArray(list) && list.every((each) => !Number.isInteger(each) || Number.isSafeInteger(each)) ? list : undefined
}

/** Whether this is a valid date, of this realm or another. */
export function isDate(value: unknown): value is Date {
  const isDateObject = typeof value === 'object' && Object.prototype.toString.call(value) === '[object Date]'
  return isDateObject && Number.isFinite((value as Date).getTime())
}

/** A copy of a date, or the date of its JSON text: in a sign-up with a passkey, the new user is sent as JSON. */
export function toDate(value: unknown): Date | undefined {
  const date = typeof value === 'string' || isDate(value) ? new Date(value) : undefined
  return isDate(date) && (typeof value !== 'string' || date.toJSON() === value) ? date : undefined
}

/** A date as text. Databases would read other texts as a wrong date or time. */
const dateText = (value: unknown) => (typeof value === 'string' && parseDate(value) ? value : undefined)

/** The date that a driver returned. `undefined` if it has an unknown form, because a guess could be another day. */
export function decodeDate(raw: unknown, column: Column): Date | undefined {
  if (isDate(raw)) return new Date(raw.getTime())
  // SQLite's columns count seconds or milliseconds. Drivers may return a bigint or text.
  const { mode } = column as { mode?: string }
  if (!mode?.startsWith('timestamp')) return typeof raw === 'string' ? parseDate(raw) : undefined
  const count = typeof raw === 'number' || /^-?\d+$/.test(String(raw)) ? Number(raw) : undefined
  const date = new Date(Number.isInteger(count) ? (count as number) * (mode === 'timestamp' ? 1_000 : 1) : Number.NaN)
  return isDate(date) ? date : undefined
}

// The form of dates in PostgreSQL's style ISO, in any time zone, and in MySQL.
const dateForm = /^(\d{4,6}-\d\d-(\d\d))(?:[ T](\d\d:\d\d:\d\d(?:\.\d+)?))?(?:Z|([+-])(\d\d)(?::?(\d\d)(?::(\d\d))?)?)?$/

function parseDate(written: string): Date | undefined {
  const [, day, dayOfMonth, time = '00:00:00', sign = '+', hours = 0, minutes = 0, seconds = 0] = dateForm.exec(written) ?? []
  // JavaScript writes years beyond 9999 with a sign and six digits.
  const date = new Date(`${day?.length === 10 ? day : `+${day?.padStart(12, '0')}`}T${time}Z`)
  // Rejects days that JavaScript would roll over, such as 31 February, and MySQL's zero date.
  if (date.getUTCDate() !== Number(dayOfMonth)) return undefined
  const offset = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
  return new Date(date.getTime() - Number(`${sign}1000`) * offset)
}
