import type { Column } from 'drizzle-orm'
import { dataOf, isDecimal, isInteger, isNumber, isPadded, isSql, isTime, isUuid, sizesOf, typeOf } from './columns.js'
import type { FailureKind } from './errors.js'
import type { Length, StorageLimits } from './statement-dialect.js'
import { toBigint } from './values.js'

/** What a value is sent for: to be compared with, to be stored, or to identify rows. */
export type Use = 'operand' | 'value' | 'key'

/** What a column does with what is sent for it. */
export interface ColumnLimits {
  /**
   * Why the column cannot store the value unchanged. Databases cut spaces off a text that is too long, round fractions and pad char(n), even in
   * their strict modes. What they refuse by themselves is left to them. An operand may be longer than what the column stores, or have more
   * digits after the point. A key must be in the one spelling that counts: the database accepts others of numbers and UUIDs, too.
   */
  reasonToReject(sent: unknown, use: Use): FailureKind | undefined
  /** Whether the database pads what the column stores. */
  readonly isPadding: boolean
}

export function limitsOf(column: Column, limits: StorageLimits): ColumnLimits {
  const alters = limits.alters?.(column)
  // MySQL accepts the values of an enum in any case.
  const enumValues: readonly unknown[] | undefined = column.columnType.includes('Enum') ? column.enumValues : undefined
  const length = limits.lengthOf?.(column)
  // A database that does not know lengths pads nothing.
  const isPadding = limits.lengthOf !== undefined && isPadded(column)
  const isWhole = isInteger(column)
  // MySQL's double(10, 2) has a scale as well.
  const scale = isDecimal(column) || sizesOf(column).length > 1 ? scaleOf(column, limits) : Number.POSITIVE_INFINITY
  const isCanonical = isUuid(column) ? isUuidKey : isDecimal(column) ? isDecimalKey(isNumber(column) ? undefined : scale) : () => true

  const reasonToReject = (sent: unknown, use: Use): FailureKind | undefined => {
    if (isSql(sent)) return undefined
    if (alters?.(sent)) return 'invalid'
    if (Array.isArray(sent)) {
      // Arrays are compared by the database alone.
      const ofEach = use === 'key' ? 'value' : use
      return sent.some((each) => reasonToReject(each, ofEach) !== undefined) ? 'invalid' : undefined
    }
    const isText = typeof sent === 'string'
    if (isText && (!isStorableText(limits, sent) || enumValues?.includes(sent) === false)) return 'invalid'
    if (use === 'operand') return undefined
    if (isText && ((use === 'key' && !isCanonical(sent)) || (isPadding && sent.endsWith(' ')))) return 'invalid'
    if (isText && length && isTooLong(length, sent)) return 'too-long'
    if (!isText && typeof sent !== 'number') return undefined
    if (isWhole) return Number.isSafeInteger(sent) || toBigint(sent) !== undefined ? undefined : 'invalid'
    if (scale === Number.POSITIVE_INFINITY) return undefined
    const [number, fraction = ''] = decimalDigits.exec(String(sent)) ?? []
    return number === undefined || fraction.length > scale ? 'invalid' : undefined
  }

  return { reasonToReject, isPadding }
}

/** Whether the database can hold the text. Drivers replace half a character by another one. */
export function isStorableText({ storesNul }: StorageLimits, text: string): boolean {
  return text.isWellFormed() && (storesNul || !text.includes('\0'))
}

function isTooLong({ characters = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY }: Length, text: string): boolean {
  // A character is one or two UTF-16 units, and up to three bytes for each of them: most texts need not be measured.
  if (text.length <= characters && text.length * 3 <= bytes) return false
  return [...text].length > characters || new TextEncoder().encode(text).length > bytes
}

function isUuidKey(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)
}

/**
 * How text for a column of dates or times looks. In other forms, databases drop the time or the zone, and take a time for a date. `undefined`
 * for columns that hold no text in code.
 */
export function timeFormOf(column: Column): RegExp | undefined {
  if (!isTime(column) || dataOf(column) === 'date') return undefined
  const type = typeOf(column)
  const date = String.raw`\d{4,7}-\d\d-\d\d`
  const zone = /tz|with time zone/.test(type) ? String.raw`(Z| ?[+-]\d\d(:?\d\d)*)?` : 'Z?'
  const time = String.raw`-?\d{1,3}:\d\d(:\d\d(\.\d+)?)?${zone}`
  const form = /^date\b/.test(type) ? date : /^time(tz)?\b/.test(type) ? time : `${date}([T ]${time})?`
  return new RegExp(`^(${form}|-?infinity)$`)
}

/** A decimal in the one spelling that it has before its point. */
export const decimalDigits = /^(?!-[0.]+$)-?(?:0|[1-9]\d*)(?:\.(\d+))?$/

/** Tells the spelling of a decimal that is a key. Without a scale, it is the one of the number in code. */
const isDecimalKey = (scale: number | undefined) => (text: string) => {
  const [number, fraction = ''] = decimalDigits.exec(text) ?? []
  if (number === undefined) return false
  return scale === undefined || (scale === Number.POSITIVE_INFINITY ? !fraction.endsWith('0') : fraction.length === scale)
}

/** The digits after the point that a decimal column keeps. */
function scaleOf(column: Column, { defaultScale }: StorageLimits): number {
  const [precision, scale = 0] = sizesOf(column)
  return defaultScale === undefined ? Number.POSITIVE_INFINITY : precision === undefined ? defaultScale : scale
}

/** The text of a decimal that a driver returned as a number. `undefined` if the column can hold more digits than a number. */
export function decimalText(column: Column, limits: StorageLimits, number: number): string | undefined {
  if (limits.defaultScale === undefined || !Number.isFinite(number)) return String(number)
  // MySQL's decimal has 10 digits unless the type says otherwise. A number holds 15.
  const [precision = 10] = sizesOf(column)
  const scale = scaleOf(column, limits)
  return precision <= 15 && Number.isFinite(scale) ? number.toFixed(scale) : undefined
}

/** Whether an integer, as a number, a bigint or digits, fits into so many bits with a sign. JavaScript compares these with bigints exactly. */
export function fitsInto(bits: number, integer: unknown): boolean {
  const limit = 2n ** BigInt(bits - 1)
  return (integer as bigint) >= -limit && (integer as bigint) < limit
}
