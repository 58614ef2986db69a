import type { Column } from 'drizzle-orm'
import { integerText } from './codec.js'
import { isDecimal, isInteger, isPadded, isSql, sizesOf } from './columns.js'
import type { FailureKind } from './errors.js'

/** What a database cuts, rounds or refuses in any mode. */
export interface StorageLimits {
  /** Whether text may contain NUL. */
  readonly storesNul: boolean
  /** The digits after the point of a decimal type that names none. */
  readonly defaultScale: number
  /** Whether decimals are stored as floating-point numbers. */
  readonly decimalsAreFloats?: true
  /** The length that the column cuts a text to, in characters or in bytes. */
  lengthOf(column: Column): { characters?: number; bytes?: number } | undefined
  /** Whether the database or its driver changes what is sent, for reasons that only it has. */
  isChanged?(column: Column, sent: unknown): boolean
}

/**
 * Why a column cannot store what is sent unchanged. Databases cut spaces off a text that is too long, round fractions and pad char(n), even
 * in their strict modes. What they refuse by themselves is left to them.
 */
export function reasonToReject(limits: StorageLimits, column: Column, sent: unknown): FailureKind | undefined {
  if (isSql(sent)) return undefined
  if (limits.isChanged?.(column, sent)) return 'invalid'
  if (Array.isArray(sent)) return sent.some((each) => reasonToReject(limits, column, each) !== undefined) ? 'invalid' : undefined
  if (typeof sent === 'string') {
    if (!isStorableText(limits, sent)) return 'invalid'
    if (isPadded(column) && sent.endsWith(' ')) return 'invalid'
    // MySQL accepts the values of an enum in any case.
    if (column.columnType.includes('Enum') && column.enumValues && !column.enumValues.includes(sent)) return 'invalid'
    if (isTooLong(limits.lengthOf(column), sent)) return 'too-long'
  }
  if (typeof sent !== 'string' && typeof sent !== 'number') return undefined
  if (isInteger(column)) return integerText.test(String(sent)) ? undefined : 'invalid'
  if (isDecimal(column)) {
    const scale = scaleOf(limits, column)
    if (scale === Number.POSITIVE_INFINITY) return undefined
    const [number, fraction = ''] = /^-?\d+(?:\.(\d+))?$/.exec(String(sent)) ?? []
    return number === undefined || fraction.length > scale ? 'invalid' : undefined
  }
  return undefined
}

/** Whether the database can hold the text. Drivers replace half a character by another one. */
export function isStorableText({ storesNul }: StorageLimits, text: string): boolean {
  return text.isWellFormed() && (storesNul || !text.includes('\0'))
}

function isTooLong(limit: { characters?: number; bytes?: number } | undefined, text: string): boolean {
  const { characters = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY } = limit ?? {}
  // A character is one or two UTF-16 units, and up to three bytes for each of them: most texts need not be measured.
  if (text.length <= characters && text.length * 3 <= bytes) return false
  return [...text].length > characters || new TextEncoder().encode(text).length > bytes
}

/** The digits after the point that a decimal column keeps. */
function scaleOf(limits: StorageLimits, column: Column): number {
  const [precision, scale] = sizesOf(column)
  return scale ?? (precision === undefined ? limits.defaultScale : 0)
}

/** The text of a decimal that a driver returned as a number. `undefined` if the column can hold more digits than a number. */
export function decimalText(limits: StorageLimits, column: Column, number: number): string | undefined {
  if (limits.decimalsAreFloats) return String(number)
  // MySQL's decimal has 10 digits unless the type says otherwise. A number holds 15.
  const [precision = 10] = sizesOf(column)
  const scale = scaleOf(limits, column)
  return precision <= 15 && Number.isFinite(scale) ? number.toFixed(scale) : undefined
}
