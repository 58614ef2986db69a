import type { Column, SQL, Table } from 'drizzle-orm'
import type { Field, FieldKind } from '../models.js'
import {
  dataOf,
  hasCodec,
  integerText,
  isDecimal,
  isFloat,
  isInteger,
  isJsonText,
  isNumber,
  isPadded,
  isSql,
  isUuid,
  typeOf,
} from './columns.js'
import { decodeDate, isDate } from './dates.js'
import { ColumnClass, getTableName, sql } from './drizzle.js'
import type { FailureKind } from './errors.js'
import { Failure } from './errors.js'
import { withoutEncoder } from './internals.js'
import { canCompare, decimalText, rejectionOf, scaleOf } from './limits.js'
import type { StatementDialect, StorageLimits } from './statement-dialect.js'

/** Converts between what callers give and get, and what the driver sends and returns for one column. */
export interface ColumnCodec extends Encoder {
  /** The column's name in code. */
  readonly name: string
  readonly column: Column
  /** What callers see of a value that the driver returned, which is not null. */
  fromDriver(raw: unknown): unknown
  /** What is sent, as a part of a statement. */
  toParameter(sent: unknown): SQL
  /** What is given when the statement runs, as a part of it. */
  toPlaceholder(place: number): SQL
  /** Whether callers see an empty column as an absent field. */
  readonly isOmittedIfNull: boolean
  /** Calls a function of the table definition, which is the app's own. */
  callOwn<T>(what: string, call: () => T): T
  /** Throws a failure about this column. */
  reject(kind: FailureKind, hint?: string, cause?: unknown): never
}

interface Encoder {
  /** What the driver sends for a key. `undefined` if no row can have it. */
  toKey(value: unknown): unknown
  /** What the driver sends for a value to store. Fails if the column cannot hold it. */
  toValue(value: unknown): unknown
  /** What the driver sends for a value to compare with. Fails if it is not of the column's type. */
  toOperand(value: unknown): unknown
}

/** What is known about a column. */
interface ColumnTraits extends Pick<ColumnCodec, 'name' | 'column' | 'callOwn' | 'reject'> {
  /** What the contract says about it. */
  readonly field: Field | undefined
  /** What callers give and get. */
  readonly kind: ValueKind
  /** What Drizzle says that it holds. */
  readonly data: string
  readonly dialect: StatementDialect
}

type ValueKind = FieldKind | 'bigint' | 'other'

const kindsOfData: Record<string, Exclude<ValueKind, 'id'>> = {
  string: 'string',
  number: 'number',
  bigint: 'bigint',
  boolean: 'boolean',
  date: 'date',
}

/** The codec of a column. `field` is what the contract says about it. */
export function createCodec(table: Table, name: string, column: Column, field: Field | undefined, dialect: StatementDialect): ColumnCodec {
  const reject: ColumnCodec['reject'] = (failure, hint, cause) => {
    throw new Failure(failure, { table: getTableName(table), column: column.name, hint }, { cause })
  }
  const callOwn: ColumnCodec['callOwn'] = (what, call) => {
    try {
      return call()
    } catch (error) {
      return reject('definition', `it was ${what}`, error)
    }
  }
  const data = dataOf(column)
  const kind = field?.kind ?? kindsOfData[data] ?? 'other'
  const traits: ColumnTraits = { name, column, field, kind, data, dialect, reject, callOwn }
  const isOmittedIfNull = field?.optional === true && !field.nullable
  const type = withoutEncoder(column)
  const asPart = (value: unknown, isTyped: boolean): SQL => {
    if (isJsonText(column)) return dialect.json?.fromText(sql`${value}`, column) ?? sql`${value}`
    return isTyped ? sql`${sql.param(value, type)}` : sql`${value}`
  }
  const toParameter = (sent: unknown): SQL => (isSql(sent) ? sent : asPart(sent, true))
  // Of the type of a placeholder, Drizzle uses only the codec.
  const toPlaceholder = (place: number): SQL => asPart(sql.placeholder(`${place}`), hasCodec(column))
  const fromDriver = createDecoder(traits)
  return { name, column, ...createEncoder(traits), fromDriver, toParameter, toPlaceholder, isOmittedIfNull, callOwn, reject }
}

/** A parameter that belongs to no column, and is given when the statement runs. */
export function placeholder(place: number): SQL {
  return sql`${sql.placeholder(`${place}`)}`
}

// Encoding

function createEncoder({ name, column, field, kind, data, dialect, reject, callOwn }: ColumnTraits): Encoder {
  const { limits } = dialect
  const convert = converters[kind]
  const rejection = rejectionOf(limits, column)
  const isCanonical = spellingOf(limits, column)

  const toDriver = (value: unknown): unknown => {
    if (data === 'custom') return callOwn('toDriver', () => column.mapToDriverValue(value))
    try {
      if (data === 'json') {
        const text = JSON.stringify(value)
        if (text === undefined || isJsonText(column)) return text
      }
      return column.mapToDriverValue(value)
    } catch {
      return undefined
    }
  }

  const asStored = (sent: unknown) => (limits.asStored ? limits.asStored(column, sent) : sent)

  // Drizzle 0.45 sends an array as one text.
  const reasonToReject = (value: unknown, sent: unknown) => rejection(data === 'array' ? value : sent)

  const encodeKey = (value: unknown): unknown => {
    const key = kind === 'id' || kind === 'string' ? toKeyText(data, value) : convert(value, column, field !== undefined)
    const sent = key === undefined ? undefined : toDriver(key)
    // Null is what a custom type may send for a value that it does not have.
    const isPossible = sent != null && (typeof sent !== 'string' || isCanonical(sent)) && !reasonToReject(key, sent)
    return isPossible ? asStored(sent) : undefined
  }

  // If a custom type throws for an id, such as one of binary(16) for text that is not a UUID, no row can have that id.
  const toKey = (value: unknown): unknown => {
    if (kind !== 'id') return encodeKey(value)
    try {
      return encodeKey(value)
    } catch {
      return undefined
    }
  }

  const toValue = (value: unknown): unknown => {
    // SQLite allows null in a primary key of text.
    if (value === null && column.primary) reject('missing-value')
    if (value === null || isSql(value)) return value
    if (kind === 'id') {
      const sent = name === 'userId' ? toKey(value) : encodeKey(value)
      return sent ?? reject(name === 'userId' && toText(value) !== undefined ? 'unknown-user' : 'invalid')
    }
    let converted = convert(value, column, field !== undefined)
    if (field?.lowerCase && typeof converted === 'string') converted = converted.toLowerCase()
    const sent = converted === undefined ? undefined : toDriver(converted)
    const reason = sent === undefined ? 'invalid' : reasonToReject(converted, sent)
    return reason ? reject(reason) : sent
  }

  const toOperand = (value: unknown): unknown => {
    if (isSql(value)) return value
    const converted = convert(value, column, false)
    const sent = converted === undefined ? undefined : toDriver(converted)
    return sent != null && canCompare(limits, column, sent) ? asStored(sent) : reject('invalid')
  }

  return { toKey, toValue, toOperand }
}

const keyDecimal = /^(?!-[0.]+$)-?(?:0|[1-9]\d*)(?:\.(\d+))?$/
const uuidText = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Text as it is. A whole number means its decimal text: some providers give their users' ids as numbers. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : undefined
}

/** A whole number. Some token endpoints send it as text. */
function toInteger(value: unknown): number | undefined {
  const number = typeof value === 'bigint' || (typeof value === 'string' && integerText.test(value)) ? Number(value) : value
  return Number.isSafeInteger(number) ? (number as number) || 0 : undefined
}

/** An integer that fits into 64 bits, signed or unsigned. Drivers fail in their own ways on larger ones. */
function toBigint(value: unknown): bigint | undefined {
  const text = toText(value) ?? ''
  const integer = integerText.test(text) ? BigInt(text) : undefined
  return integer !== undefined && integer >= -(2n ** 63n) && integer < 2n ** 64n ? integer : undefined
}

/** A copy of a date. A date that went through JSON is text: passkey sign-up sends a new user that way. */
export function toDate(value: unknown): Date | undefined {
  if (typeof value === 'string') return isDate(new Date(value)) && new Date(value).toJSON() === value ? new Date(value) : undefined
  return isDate(value) ? new Date(value.getTime()) : undefined
}

/** A key in the column's type. */
function toKeyText(data: string, value: unknown): unknown {
  const key = toText(value)
  return data === 'bigint' ? toBigint(key) : data === 'number' ? toInteger(key) : key
}

/** Whether a key is spelled as the database would. It accepts other spellings of numbers and UUIDs, too: they are nobody's key. */
function spellingOf(limits: StorageLimits, column: Column): (sent: string) => boolean {
  if (isInteger(column)) return (sent) => toBigint(sent) !== undefined
  if (isDecimal(column)) {
    const scale = scaleOf(limits, column)
    return (sent) => {
      const [number, fraction = ''] = keyDecimal.exec(sent) ?? []
      return number !== undefined && (isNumber(column) || (Number.isFinite(scale) ? fraction.length === scale : !fraction.endsWith('0')))
    }
  }
  return isUuid(column) ? (sent) => uuidText.test(sent) : () => true
}

/** Converts a caller's value into what a column of this type holds; `undefined` if it cannot. */
const converters: Record<ValueKind, (value: unknown, column: Column, isContract: boolean) => unknown> = {
  id: toText,
  string: toText,
  number: (value, column, isContract) =>
    toInteger(value) ?? (!isContract && !isInteger(column) && Number.isFinite(value) ? value : undefined),
  bigint: toBigint,
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  date: toDate,
  other: (value, column) => (dataOf(column) === 'array' && !isFlat(value) ? undefined : value),
}

/** Whether this is an array without objects, which a driver would store as `[object Object]`. */
function isFlat(value: unknown): boolean {
  return Array.isArray(value) && value.flat(Number.POSITIVE_INFINITY).every((each) => Object(each) !== each || isDate(each) || isSql(each))
}

// Decoding

function createDecoder({ column, field, kind, data, dialect, reject, callOwn }: ColumnTraits): ColumnCodec['fromDriver'] {
  const decodeOwn = (raw: unknown): unknown => {
    if (data === 'custom') return callOwn('fromDriver', () => column.mapFromDriverValue(raw))
    if (typeof raw === 'number' && isDecimal(column)) return decimalText(dialect.limits, column, raw)
    try {
      return column.mapFromDriverValue(raw)
    } catch {
      return reject('garbled')
    }
  }

  const decodeJson = (raw: unknown): unknown => {
    try {
      return JSON.parse(raw as string)
    } catch {
      return reject('garbled')
    }
  }

  // Most columns of text have the decoder of Drizzle's base class, which returns the value as it is.
  const isUnchanged = column.mapFromDriverValue === ColumnClass.prototype.mapFromDriverValue && !isDecimal(column)
  const decode = isJsonText(column) ? decodeJson : (decoders[data] ?? (isUnchanged ? (raw: unknown) => raw : decodeOwn))
  // An id is decoded as its column's type, and shown as text.
  const isDecoded = decodedChecks[kind === 'id' ? (kindsOfData[data] ?? 'other') : kind]
  const canBeRounded = !isFloat(column)
  const isTrimmed = isPadded(column)

  const fromDriver = (raw: unknown): unknown => {
    // Drivers can round an integer to a number.
    const isRounded = typeof raw === 'number' && canBeRounded && Number.isInteger(raw) && !Number.isSafeInteger(raw)
    let value = isRounded ? undefined : decode(raw, column)
    if (isRounded || !isDecoded(value, column)) {
      const isNumeric = typeof raw === 'number' || typeof raw === 'bigint' || data === 'number'
      reject('garbled', isNumeric && !isDecimal(column) ? dialect.integerHint : undefined)
    }
    if (typeof value !== 'string') return kind === 'id' ? String(value) : value
    if (isTrimmed) value = value.replace(/ +$/, '')
    return field?.lowerCase ? (value as string).toLowerCase() : value
  }
  return fromDriver
}

const digits = /^-?\d+$/

/** Decodes what drivers return in several forms: settings of theirs give integers as bigints or as text, booleans as numbers. */
const decoders: Record<string, (raw: unknown, column: Column) => unknown> = {
  number: (raw) => {
    const number = typeof raw === 'bigint' || (typeof raw === 'string' && raw.trim() !== '') ? Number(raw) : raw
    return Number.isNaN(number) && String(raw) !== 'NaN' ? undefined : number
  },
  bigint: (raw) => (digits.test(String(raw)) ? BigInt(raw as string) : undefined),
  boolean: (raw) => booleans[String(raw)],
  date: decodeDate,
}

// Text that drivers return as it is. Drizzle 1.0 converts other types of text before it calls a column's decoder.
const plainText = /^(n?(var)?char|character|bpchar|citext|(tiny|medium|long)?text|enum)\b/

/** Whether the codec decodes what the driver returned, and not what Drizzle makes of it. */
export function decodesRaw(column: Column): boolean {
  const data = dataOf(column)
  if (typeOf(column).includes('blob')) return false
  if (decoders[data] !== undefined || isJsonText(column)) return true
  return data === 'string' ? !hasCodec(column) || plainText.test(typeOf(column)) : data === 'custom' && !hasCodec(column)
}

const booleans: Record<string, boolean> = { true: true, t: true, 1: true, false: false, f: false, 0: false }

/** Whether a decoded value has the type that callers rely on. A rounded integer has not. */
const decodedChecks: Record<Exclude<ValueKind, 'id'>, (value: unknown, column: Column) => boolean> = {
  string: (value) => typeof value === 'string',
  // Types that are not of integers hold Infinity and NaN as well.
  number: (value, column) =>
    Number.isSafeInteger(value) ||
    (typeof value === 'number' && (isFloat(column) || (!Number.isInteger(value) && (Number.isFinite(value) || !isInteger(column))))),
  bigint: (value) => typeof value === 'bigint',
  boolean: (value) => typeof value === 'boolean',
  date: isDate,
  other: () => true,
}
