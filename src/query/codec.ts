import type { Column, Table } from 'drizzle-orm'
import type { FieldKind, Model } from '../models.js'
import { dataOf, isDecimal, isFloat, isGenerated, isInteger, isPadded, isSql, isUuid } from './columns.js'
import { decodeDate, isDate } from './dates.js'
import type { Columns, Row, Values } from './drizzle.js'
import { getTableColumns, getTableName } from './drizzle.js'
import type { FailureKind } from './errors.js'
import { Failure } from './errors.js'
import { withDecoder } from './internals.js'

/** Converts between what callers give and get, and what the driver sends and returns for the columns of one table. */
export interface Codec {
  readonly columns: Columns
  /** What the driver sends for a key. `undefined` if no row can have it. */
  encodeKey(name: string, value: unknown): unknown
  /** What the driver sends for any value of a column. Fails if the column cannot hold it. */
  encode(name: string, value: unknown): unknown
  /** Encodes a new row, with its defaults. */
  encodeInsert(input: unknown): Values
  /** Encodes changes. Empty if there is nothing to change. */
  encodeUpdate(input: unknown, key: readonly string[]): Values
  /** A value that was sent, as a row would have it. */
  decode(name: string, sent: unknown): unknown
  /** Converts a row of the table into one of the contract. Changes it in place. */
  decodeRow(row: Row): Row
  /** What to select, so that each column arrives decoded. */
  readonly fields: Columns
}

/** What the codec needs to know about a database. */
export interface Storage {
  /** Why the column cannot store what is sent unchanged. Asked before anything is sent. */
  reasonToReject(column: Column, sent: unknown): FailureKind | undefined
  /** The text of a decimal that a driver returned as a number. `undefined` if digits may be lost. */
  decimalText(column: Column, number: number): string | undefined
  /** What to change where a driver rounds integers. */
  readonly integerHint: string
}

type ValueKind = FieldKind | 'bigint' | 'other'

export function createCodec(model: Model, table: Table, storage: Storage): Codec {
  const columns = getTableColumns(table) as Record<string, Column>
  const names = Object.keys(columns)
  const columnOf = (name: string) => columns[name] as Column
  const kindFor = (name: string): ValueKind => model[name]?.kind ?? kindsOfData[dataOf(columnOf(name))] ?? 'other'

  const reject = (kind: FailureKind, name: string, hint?: string, cause?: unknown): never => {
    throw new Failure(kind, { table: getTableName(table), column: columns[name]?.name, hint }, { cause })
  }

  /** Calls a function of the table definition, which is the app's own. */
  const callOwn = <T>(name: string, what: string, call: () => T): T => {
    try {
      return call()
    } catch (error) {
      return reject('definition', name, `it was ${what}`, error)
    }
  }

  const toDriver = (name: string, value: unknown): unknown => {
    const column = columnOf(name)
    if (dataOf(column) === 'custom') return callOwn(name, 'toDriver', () => column.mapToDriverValue(value))
    try {
      return dataOf(column) === 'json' && JSON.stringify(value) === undefined ? undefined : column.mapToDriverValue(value)
    } catch {
      return undefined
    }
  }

  const encodeKey = (name: string, value: unknown): unknown => {
    const kind = kindFor(name)
    const column = columnOf(name)
    const key = kind === 'id' || kind === 'string' ? toKey(column, value) : converters[kind](value, column, true)
    const sent = key === undefined ? undefined : toDriver(name, key)
    const checked = checkedOf(column, key, sent)
    const isImpossible = sent === undefined || !isCanonical(column, checked) || storage.reasonToReject(column, checked) !== undefined
    return isImpossible ? undefined : sent
  }

  // If a custom type throws for an id, such as one of binary(16) for text that is not a UUID, no row can have that id.
  const encodeLookup = (name: string, value: unknown): unknown => {
    try {
      return encodeKey(name, value)
    } catch (failure) {
      if (kindFor(name) === 'id') return undefined
      throw failure
    }
  }

  const encode = (name: string, value: unknown): unknown => {
    // SQLite allows null in a primary key of text.
    if (value === null && columnOf(name).primary) reject('missing-value', name)
    if (value === null || isSql(value)) return value
    const kind = kindFor(name)
    if (kind === 'id') {
      const sent = name === 'userId' ? encodeLookup(name, value) : encodeKey(name, value)
      return sent ?? reject(name === 'userId' && toText(value) !== undefined ? 'unknown-user' : 'invalid', name)
    }
    let converted = converters[kind](value, columnOf(name), model[name] !== undefined)
    if (model[name]?.lowerCase && typeof converted === 'string') converted = converted.toLowerCase()
    const sent = converted === undefined ? undefined : toDriver(name, converted)
    const column = columnOf(name)
    const reason = sent === undefined ? 'invalid' : storage.reasonToReject(column, checkedOf(column, converted, sent))
    return reason ? reject(reason, name) : sent
  }

  const isRequired = (name: string) => {
    const { notNull, hasDefault } = columnOf(name)
    return model[name] !== undefined && !model[name].optional && notNull && !hasDefault
  }

  const isObject = (input: unknown): input is Values => Object(input) === input
  const read = (input: Values, name: string) => (Object.hasOwn(input, name) ? input[name] : undefined)

  const decoderOf = (name: string): ((raw: unknown) => unknown) => {
    const column = columnOf(name)
    const data = dataOf(column)
    const fromDriver = (raw: unknown): unknown => {
      if (data === 'custom') return callOwn(name, 'fromDriver', () => column.mapFromDriverValue(raw))
      if (typeof raw === 'number' && isDecimal(column)) return storage.decimalText(column, raw)
      try {
        return column.mapFromDriverValue(raw)
      } catch {
        return reject('garbled', name)
      }
    }
    const convert = decoders[data] ?? fromDriver
    const isRight = isDecoded[kindFor(name)]
    const isTrimmed = isPadded(column)
    return (raw) => {
      // Drivers can round an integer to a number.
      const isRounded = typeof raw === 'number' && Number.isInteger(raw) && !Number.isSafeInteger(raw) && !isFloat(column)
      const value = isRounded ? undefined : convert(raw, column)
      if (isRounded || !isRight(value, column)) {
        const isNumeric = typeof raw === 'number' || typeof raw === 'bigint' || data === 'number'
        reject('garbled', name, isNumeric && !isDecimal(column) ? storage.integerHint : undefined)
      }
      return isTrimmed && typeof value === 'string' ? value.replace(/ +$/, '') : value
    }
  }
  const decode = Object.fromEntries(names.map((name) => [name, decoderOf(name)]))

  const fieldOf = (name: string): Column => {
    const column = columnOf(name)
    return withDecoder(column, decode[name] as (raw: unknown) => unknown, decoders[dataOf(column)] !== undefined)
  }

  const ids = names.filter((name) => model[name]?.kind === 'id')
  const absent = names.filter((name) => model[name]?.optional && !model[name].nullable)
  const lowerCase = names.filter((name) => model[name]?.lowerCase)

  return {
    columns,
    encodeKey: encodeLookup,
    encode,
    decode: (name, sent) => decode[name]?.(sent),
    fields: Object.fromEntries(names.map((name) => [name, fieldOf(name)])),

    encodeInsert(input) {
      if (!isObject(input)) throw new Failure('invalid', { table: getTableName(table) })
      const values: Values = {}
      for (const name of names) {
        const column = columnOf(name)
        if (isGenerated(column)) continue
        let value = read(input, name)
        // A new user keeps its id, or gets a random one. A column with a default generates its own.
        if (name === 'id' && model.id) value = column.hasDefault ? undefined : (value ?? crypto.randomUUID())
        // Called for each row, because Drizzle would call them once for each prepared statement.
        if (value === undefined && column.defaultFn) value = callOwn(name, '$defaultFn', () => column.defaultFn?.())
        else if (value === undefined && column.default === undefined && column.onUpdateFn)
          value = callOwn(name, '$onUpdate', () => column.onUpdateFn?.())
        if (value !== undefined) values[name] = encode(name, value)
        else if (isRequired(name)) reject('missing-value', name)
      }
      return values
    },

    encodeUpdate(input, key) {
      const given: Values = {}
      const automatic: Values = {}
      for (const name of names) {
        const column = columnOf(name)
        if (isGenerated(column) || key.includes(name)) continue
        const value = isObject(input) ? read(input, name) : undefined
        if (value !== undefined) given[name] = encode(name, value)
        else if (column.onUpdateFn)
          automatic[name] = encode(
            name,
            callOwn(name, '$onUpdate', () => column.onUpdateFn?.() ?? null),
          )
      }
      return Object.keys(given).length > 0 ? { ...given, ...automatic } : {}
    },

    decodeRow(row) {
      for (const name of ids) if (row[name] != null) row[name] = String(row[name])
      for (const name of absent) if (row[name] === null) delete row[name]
      for (const name of lowerCase) if (typeof row[name] === 'string') row[name] = row[name].toLowerCase()
      return row
    },
  }
}

const kindsOfData: Record<string, ValueKind> = { string: 'string', number: 'number', bigint: 'bigint', boolean: 'boolean', date: 'date' }

/** The one spelling of an integer that counts as a key, and that is stored. */
export const integerText = /^(0|-?[1-9]\d*)$/

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
function toDate(value: unknown): Date | undefined {
  if (typeof value === 'string') return isDate(new Date(value)) && new Date(value).toJSON() === value ? new Date(value) : undefined
  return isDate(value) ? new Date(value.getTime()) : undefined
}

/** What is checked before it is sent. Drizzle 0.45 sends an array as one text. */
function checkedOf(column: Column, value: unknown, sent: unknown): unknown {
  return dataOf(column) === 'array' ? value : sent
}

/** A key in the column's type. */
function toKey(column: Column, value: unknown): unknown {
  const data = dataOf(column)
  const key = toText(value)
  return data === 'bigint' ? toBigint(key) : data === 'number' ? toInteger(key) : key
}

/** Whether a key is spelled as the database would. It accepts other spellings of whole numbers and UUIDs, too: they are nobody's key. */
function isCanonical(column: Column, sent: unknown): boolean {
  if (typeof sent !== 'string') return true
  if (isInteger(column) || isDecimal(column)) return toBigint(sent) !== undefined
  return !isUuid(column) || uuidText.test(sent)
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

const digits = /^-?\d+$/

/** Decodes what drivers return in several forms: settings of theirs give integers as bigints or as text, booleans as numbers. */
const decoders: Record<string, (raw: unknown, column: Column) => unknown> = {
  number: (raw) => (typeof raw === 'bigint' || (typeof raw === 'string' && raw.trim() !== '') ? Number(raw) : raw),
  bigint: (raw) => (digits.test(String(raw)) ? BigInt(raw as string) : undefined),
  boolean: (raw) => booleans[String(raw)],
  date: decodeDate,
}

const booleans: Record<string, boolean> = { true: true, t: true, 1: true, false: false, f: false, 0: false }

/** Whether a decoded value has the type that callers rely on. A rounded integer has not. */
const isDecoded: Record<ValueKind, (value: unknown, column: Column) => boolean> = {
  id: (value, column) => isDecoded[kindsOfData[dataOf(column)] ?? 'other'](value, column),
  string: (value) => typeof value === 'string',
  number: (value, column) => Number.isSafeInteger(value) || (Number.isFinite(value) && (isFloat(column) || !Number.isInteger(value))),
  bigint: (value) => typeof value === 'bigint',
  boolean: (value) => typeof value === 'boolean',
  date: isDate,
  other: () => true,
}
