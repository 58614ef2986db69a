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
    if (!sent.isWellFormed() || (!limits.storesNul && sent.includes('\0'))) return 'invalid'
    if (isPadded(column) && sent.endsWith(' ')) return 'invalid'
    // MySQL accepts the values of an enum in any case.
    if (column.columnType.includes('Enum') && column.enumValues && !column.enumValues.includes(sent)) return 'invalid'
    if (isTooLong(limits.lengthOf(column), sent)) return 'too-long'
  }
  if (typeof sent !== 'string' && typeof sent !== 'number') return undefined
  if (isInteger(column)) return integerText.test(String(sent)) ? undefined : 'invalid'
  if (isDecimal(column)) {
    const [precision, scale = precision === undefined ? limits.defaultScale : 0] = sizesOf(column)
    if (scale === Number.POSITIVE_INFINITY) return undefined
    // Other spellings, such as 1e-7, may have more digits than the database keeps.
    const [plain, fraction = ''] = /^-?\d+(?:\.(\d+))?$/.exec(String(sent)) ?? []
    return plain === undefined || fraction.length > scale ? 'invalid' : undefined
  }
  return undefined
}

function isTooLong(limit: { characters?: number; bytes?: number } | undefined, text: string): boolean {
  const { characters = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY } = limit ?? {}
  // A character is one or two UTF-16 units, and up to three bytes for each of them: most texts need not be measured.
  if (text.length <= characters && text.length * 3 <= bytes) return false
  return [...text].length > characters || new TextEncoder().encode(text).length > bytes
}
