import type { Column } from 'drizzle-orm'
import { isFloat, isInteger, isSql } from './columns.js'
import { decodeDate, isDate, toDate } from './dates.js'

/** How values of one JavaScript type are converted. `undefined` stands for a value that is not of this type. */
export interface ValueType {
  /** What a column holds for a caller's value. */
  encode(value: unknown): unknown
  /** Decodes what drivers return in several forms, depending on their settings. Absent where Drizzle decodes the only form. */
  decode?(raw: unknown): unknown
  /** Whether callers can rely on a decoded value. */
  isValid(value: unknown): boolean
}

/** The type of a column's values, by its name in Drizzle or in the contract. Any other type is left to the column. */
export function valueTypeOf(name: string, column: Column): ValueType {
  return types[name]?.(column) ?? { encode: (value) => value, isValid: () => true }
}

const types: Record<string, (column: Column) => ValueType> = {
  string: () => ({
    encode: toText,
    isValid: (value) => typeof value === 'string',
  }),

  number(column) {
    const isWhole = isInteger(column)
    const isExact = !isFloat(column)
    return {
      // Some token endpoints send an integer as text.
      encode(value) {
        const integer = Number(integerText(value))
        if (Number.isSafeInteger(integer)) return integer
        return Number.isFinite(value) && !isWhole && !(isExact && isRounded(value)) ? value : undefined
      },
      decode(raw) {
        const number = typeof raw === 'bigint' || (typeof raw === 'string' && raw.trim() !== '') ? Number(raw) : raw
        return Number.isNaN(number) && String(raw) !== 'NaN' ? undefined : number
      },
      // Types that are not of integers hold Infinity and NaN as well.
      isValid: (value) => typeof value === 'number' && !(isExact && isRounded(value)) && (Number.isFinite(value) || !isWhole),
    }
  },

  bigint: () => ({
    encode: toBigint,
    decode: (raw) => (/^-?\d+$/.test(String(raw)) ? BigInt(raw as string) : undefined),
    isValid: (value) => typeof value === 'bigint',
  }),

  boolean: () => ({
    encode: (value) => (typeof value === 'boolean' ? value : undefined),
    decode: (raw) => booleans[String(raw)],
    isValid: (value) => typeof value === 'boolean',
  }),

  date: (column) => ({
    encode: toDate,
    decode: (raw) => decodeDate(raw, column),
    isValid: isDate,
  }),

  // Drivers would store an object in an array as `[object Object]`, and return null as the text NULL.
  array(column) {
    // Drizzle makes numbers and dates of its elements, whatever they are.
    const isWhole = isInteger(column)
    const isElement = (each: unknown) =>
      typeof each === 'number' ? !isWhole || Number.isSafeInteger(each) : !(each instanceof Date) || isDate(each)
    return {
      encode: (value) => (isFlat(value) ? value : undefined),
      isValid: (value) => Array.isArray(value) && value.flat(Number.POSITIVE_INFINITY).every(isElement),
    }
  },
}

const booleans: Record<string, boolean> = { true: true, t: true, 1: true, false: false, f: false, 0: false }

/** Text as it is. A whole number means its decimal text: some providers give their users' ids as numbers. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : undefined
}

/** An integer in the one spelling that counts as a key, and that is stored. */
function integerText(value: unknown): string | undefined {
  const text = toText(value)
  return text !== undefined && /^(0|-?[1-9]\d*)$/.test(text) ? text : undefined
}

/** An integer that fits into 64 bits, signed or unsigned. Drivers fail in their own ways on larger ones. */
export function toBigint(value: unknown): bigint | undefined {
  const text = integerText(value)
  const integer = text === undefined ? undefined : BigInt(text)
  return integer !== undefined && integer >= -(2n ** 63n) && integer < 2n ** 64n ? integer : undefined
}

/** Whether a number is so large that it may have been another integer, which a driver or JavaScript rounded. */
export function isRounded(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value)
}

/** Whether a number cannot hold a decimal, or may have been another one before a driver made a number of it: 15 digits always stay. */
export function losesDigits(decimal: unknown): boolean {
  const digits = digitsOf(decimal)
  return digits.length > 15 && (typeof decimal === 'number' || digits !== digitsOf(Number(decimal)))
}

function digitsOf(number: unknown): string {
  return String(number)
    .replace(/e.*|\D/g, '')
    .replace(/^0+|0+$/g, '')
}

function isFlat(value: unknown): boolean {
  const isElement = (each: unknown) => each != null && (Object(each) !== each || isDate(each) || isSql(each))
  return Array.isArray(value) && value.flat(Number.POSITIVE_INFINITY).every(isElement)
}
