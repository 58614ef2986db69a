import type { Column } from 'drizzle-orm'
import { integerText, isDecimal, isInteger, isPadded, isSql, sizesOf } from './columns.js'
import type { FailureKind } from './errors.js'
import type { Length, StorageLimits } from './statement-dialect.js'

/** Says why a column cannot store what is sent, or `undefined` if it can. */
type Rejection = (sent: unknown) => FailureKind | undefined

/**
 * What a column cannot store unchanged. Databases cut spaces off a text that is too long, round fractions and pad char(n), even in their
 * strict modes. What they refuse by themselves is left to them.
 */
export function rejectionOf(limits: StorageLimits, column: Column): Rejection {
  const isWhole = isInteger(column)
  // MySQL's double(10, 2) has a scale as well.
  const scale = isDecimal(column) || sizesOf(column).length > 1 ? scaleOf(limits, column) : Number.POSITIVE_INFINITY
  const isPadding = isPadded(column)
  const length = limits.lengthOf(column)
  const values = enumValuesOf(column)

  const ofText = (sent: string): FailureKind | undefined => {
    if (!isStorableText(limits, sent)) return 'invalid'
    if (isPadding && sent.endsWith(' ')) return 'invalid'
    if (values && !values.includes(sent)) return 'invalid'
    return length && isTooLong(length, sent) ? 'too-long' : undefined
  }

  const rejection: Rejection = (sent) => {
    if (limits.wouldAlter?.(column, sent) && !isSql(sent)) return 'invalid'
    if (typeof sent === 'string') {
      const reason = ofText(sent)
      if (reason) return reason
    } else if (Array.isArray(sent)) return sent.some((each) => rejection(each) !== undefined) ? 'invalid' : undefined
    else if (typeof sent !== 'number') return undefined
    if (isWhole) return integerText.test(String(sent)) ? undefined : 'invalid'
    if (scale === Number.POSITIVE_INFINITY) return undefined
    const [number, fraction = ''] = decimalDigits.exec(String(sent)) ?? []
    return number === undefined || fraction.length > scale ? 'invalid' : undefined
  }
  return rejection
}

/** Whether a column can be compared with what is sent, even if it is longer or finer than what the column can store. */
export function canCompare(limits: StorageLimits, column: Column, sent: unknown): boolean {
  if (isSql(sent)) return true
  if (typeof sent === 'string' && !isStorableText(limits, sent)) return false
  return enumValuesOf(column)?.includes(sent) !== false && !limits.wouldAlter?.(column, sent)
}

export const decimalDigits = /^-?\d+(?:\.(\d+))?$/

/** The values of an enum of the database. MySQL accepts them in any case. */
function enumValuesOf(column: Column): readonly unknown[] | undefined {
  return column.columnType.includes('Enum') ? column.enumValues : undefined
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

/** The digits after the point that a decimal column keeps. */
export function scaleOf(limits: StorageLimits, column: Column): number {
  const [precision, scale] = sizesOf(column)
  return scale ?? (precision === undefined ? limits.defaultScale : 0)
}

/** The text of a decimal that a driver returned as a number. `undefined` if the column can hold more digits than a number. */
export function decimalText(limits: StorageLimits, column: Column, number: number): string | undefined {
  if (limits.decimalsAreFloats || !Number.isFinite(number)) return String(number)
  // MySQL's decimal has 10 digits unless the type says otherwise. A number holds 15.
  const [precision = 10] = sizesOf(column)
  const scale = scaleOf(limits, column)
  return precision <= 15 && Number.isFinite(scale) ? number.toFixed(scale) : undefined
}
