import type { Column, SQL, Table } from 'drizzle-orm'
import type { FieldKind, Model } from '../contract.js'
import { dataOf, enumOf, isDecimal, isFloat, isGenerated, isInteger, isSql, typeOf } from './columns.js'
import type { Row, SqlDialect, Values } from './dialect.js'
import { getTableColumns, getTableName, sql } from './drizzle.js'
import type { FailureKind } from './errors.js'
import { Failure } from './errors.js'

/** Converts between what callers give and get, and what the columns of one table hold. */
export interface Codec {
  readonly columns: Readonly<Record<string, Column>>
  /** Encodes a key, given as an object with these columns. `null` if no row can have it. */
  encodeKey(given: unknown, names: readonly string[]): Values | null
  /** Encodes a new row, with its defaults. */
  encodeInsert(input: unknown): Values
  /** Encodes changes. Empty if there is nothing to change. */
  encodeUpdate(input: unknown, key: readonly string[]): Values
  /** Converts a row of the table into one of the contract. Changes it in place. */
  decodeRow(row: Row): Row
  /** What to select, so that each column arrives in its JavaScript type. Selecting it fails if the guard does. */
  fields(guard?: SQL): Record<string, Column | SQL>
}

const isOwn = Object.prototype.propertyIsEnumerable

type ValueKind = FieldKind | 'bigint' | 'other'

export function createCodec(model: Model, table: Table, dialect: SqlDialect): Codec {
  const columns = getTableColumns(table) as Record<string, Column>
  const names = Object.keys(columns)
  const kindFor = (name: string): ValueKind => model[name]?.kind ?? kindsOfData[dataOf(columns[name] as Column)] ?? 'other'

  const reject = (kind: FailureKind, name: string): never => {
    throw new Failure(kind, { table: getTableName(table), column: columns[name]?.name })
  }

  // Only own enumerable properties count. A getter that throws is the caller's mistake, and its message may hold anything.
  const read = (input: unknown, name: string): unknown => {
    try {
      return isOwn.call(input, name) ? (input as Values)[name] : undefined
    } catch {
      return reject('invalid', name)
    }
  }

  const encode = (name: string, value: unknown): unknown => {
    const column = columns[name] as Column
    // SQLite allows null in a primary key of text.
    if (value === null && column.primary) reject('missing-value', name)
    if (value === null || isSql(value)) return value
    const kind = kindFor(name)
    if (kind === 'id') {
      const id = toText(value)
      const encoded = id === undefined ? undefined : parseKey(column, id, dialect)
      return encoded ?? reject(id !== undefined && name === 'userId' ? 'unknown-user' : 'invalid', name)
    }
    let encoded = converters[kind](value, column, model[name] !== undefined)
    if (model[name]?.lowerCase && typeof encoded === 'string') encoded = encoded.toLowerCase()
    const reason = encoded === undefined ? 'invalid' : reasonToReject(column, encodeFor(column, encoded), dialect)
    return reason ? reject(reason, name) : encoded
  }

  const isRequired = (name: string) => {
    const { notNull, hasDefault } = columns[name] as Column
    return model[name] !== undefined && !model[name].optional && notNull && !hasDefault
  }

  const isObject = (input: unknown) => Object(input) === input

  let selected: Record<string, Column | SQL> | undefined
  const ids = names.filter((name) => model[name]?.kind === 'id')
  const absent = names.filter((name) => model[name]?.optional && !model[name].nullable)
  const lowerCase = names.filter((name) => model[name]?.lowerCase)

  return {
    columns,

    encodeKey(given, keys) {
      if (!isObject(given)) return null
      const values: Values = {}
      for (const name of keys) {
        const key = toText(read(given, name))
        const value = key === undefined ? undefined : parseKey(columns[name] as Column, key, dialect)
        if (value === undefined) return null
        values[name] = value
      }
      return values
    },

    encodeInsert(input) {
      if (!isObject(input)) throw new Failure('invalid', { table: getTableName(table) })
      const values: Values = {}
      for (const name of names) {
        const column = columns[name] as Column
        if (isGenerated(column)) continue
        let value = read(input, name)
        // A new user keeps its id, or gets a random one. A column with a default generates its own.
        if (name === 'id' && model.id) value = column.hasDefault ? undefined : (value ?? crypto.randomUUID())
        // Called for each row, because Drizzle would call them once for each prepared statement.
        if (value === undefined)
          value = column.defaultFn ? column.defaultFn() : column.default === undefined ? column.onUpdateFn?.() : undefined
        // A column without a value is left out: the database may have a default that Drizzle does not know.
        if (value !== undefined) values[name] = encode(name, value)
        // A required field without a value is an error. Without a strict sql_mode, MySQL would store an empty text.
        else if (isRequired(name)) values[name] = encode(name, null)
      }
      return values
    },

    encodeUpdate(input, key) {
      const given: Values = {}
      const automatic: Values = {}
      for (const name of names) {
        const column = columns[name] as Column
        if (isGenerated(column) || key.includes(name)) continue
        const value = read(input, name)
        const reason = value === null ? dialect.reasonToReject(column, null) : undefined
        if (reason) reject(reason, name)
        if (value !== undefined) given[name] = encode(name, value)
        else if (column.onUpdateFn) automatic[name] = encode(name, column.onUpdateFn() ?? null)
      }
      return Object.keys(given).length > 0 ? { ...given, ...automatic } : {}
    },

    decodeRow(row) {
      for (const name of ids) if (row[name] != null) row[name] = String(row[name])
      for (const name of absent) if (row[name] === null) delete row[name]
      for (const name of lowerCase) if (typeof row[name] === 'string') row[name] = row[name].toLowerCase()
      return row
    },

    fields(guard) {
      const select = (name: string, index: number) =>
        [name, fieldFor(columns[name] as Column, kindFor(name), dialect, index === 0 ? guard : undefined)] as const
      if (guard) return Object.fromEntries(names.map(select))
      selected ??= Object.fromEntries(names.map(select))
      return selected
    },
  }
}

const kindsOfData: Record<string, ValueKind> = { string: 'string', number: 'number', bigint: 'bigint', boolean: 'boolean', date: 'date' }

const integerText = /^(0|-?[1-9]\d*)$/

/** Text as it is. A whole number means its decimal text: some providers give their users' ids as numbers. */
function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : undefined
}

/** A whole number. Some token endpoints send it as text. */
function toInteger(value: unknown): number | undefined {
  const number = typeof value === 'bigint' || (typeof value === 'string' && integerText.test(value)) ? Number(value) : value
  return Number.isSafeInteger(number) ? (number as number) || 0 : undefined
}

/** A copy of a date. A date that went through JSON is text: passkey sign-up sends a new user that way. */
function toDate(value: unknown): Date | undefined {
  if (typeof value === 'string') return isDate(new Date(value)) && new Date(value).toJSON() === value ? new Date(value) : undefined
  return isDate(value) ? new Date(value.getTime()) : undefined
}

/** Converts a caller's value into what a column of this type holds; `undefined` if it cannot. */
const converters: Record<ValueKind, (value: unknown, column: Column, isContract: boolean) => unknown> = {
  id: toText,
  string: toText,
  number: (value, column, isContract) =>
    toInteger(value) ?? (!isContract && !isInteger(column) && Number.isFinite(value) ? value : undefined),
  bigint: (value) => (integerText.test(toText(value) ?? '') ? BigInt(toText(value) as string) : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  date: toDate,
  other: (value, column) => (isEncodable(column, value) ? value : undefined),
}

function isEncodable(column: Column, value: unknown): boolean {
  if (typeof value === 'symbol' || typeof value === 'function') return false
  // A driver would store an object in an array as `[object Object]`.
  if (dataOf(column) === 'array')
    return (
      Array.isArray(value) && value.flat(Number.POSITIVE_INFINITY).every((each) => Object(each) !== each || isDate(each) || isSql(each))
    )
  return encodeFor(column, value) !== undefined
}

const uuidText = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** The canonical spelling of a key, by SQL type. The database accepts others too; they never match a key. */
function spellingOf(column: Column, dialect: SqlDialect): RegExp | undefined {
  if (isInteger(column)) return integerText
  if (isDecimal(column)) return dialect.decimalSpelling(column)
  return /^uuid\b/.test(typeOf(column)) ? uuidText : undefined
}

/** A key in the column's type, or `undefined` if no row can have it. */
function parseKey(column: Column, key: string, dialect: SqlDialect): unknown {
  const data = dataOf(column)
  const isIntegerKey = data === 'number' || data === 'bigint'
  if (isIntegerKey && !integerText.test(key)) return undefined
  const value = data === 'bigint' ? BigInt(key) : data === 'number' ? toInteger(key) : key
  const sent = value === undefined ? undefined : encodeFor(column, value)
  if (sent === undefined || (typeof sent === 'string' && spellingOf(column, dialect)?.test(sent) === false)) return undefined
  return reasonToReject(column, sent, dialect) ? undefined : value
}

/** What the column sends to the driver: a custom type sends a value of its own. `undefined` if it cannot encode the value. */
function encodeFor(column: Column, value: unknown): unknown {
  const data = dataOf(column)
  try {
    if (data === 'json') return JSON.stringify(value)
    return data === 'custom' ? column.mapToDriverValue(value) : value
  } catch {
    return undefined
  }
}

function reasonToReject(column: Column, sent: unknown, dialect: SqlDialect): FailureKind | undefined {
  if (sent === undefined || !isWellFormed(sent)) return 'invalid'
  if (typeof sent === 'string' && enumOf(column)?.includes(sent) === false) return 'invalid'
  return dialect.reasonToReject(column, sent)
}

function isWellFormed(sent: unknown): boolean {
  if (Array.isArray(sent)) return sent.every(isWellFormed)
  return typeof sent !== 'string' || sent.isWellFormed()
}

/** Whether this is a valid date, of this realm or another. */
function isDate(value: unknown): value is Date {
  try {
    return Number.isFinite(Date.prototype.getTime.call(value))
  } catch {
    return false
  }
}

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

/** The expression to select for a column. Its decoder rejects what the driver garbled. */
function fieldFor(column: Column, kind: ValueKind, dialect: SqlDialect, guard: SQL | undefined): Column | SQL {
  const reader = dialect.reader?.(column)
  const mapFromDriverValue = (raw: unknown) => {
    // With some settings, drivers round integers to a number before Drizzle makes a bigint of them.
    const isRounded = typeof raw === 'number' && Number.isInteger(raw) && !Number.isSafeInteger(raw) && !isFloat(column)
    const value = isRounded ? undefined : reader ? reader.decode(raw) : column.mapFromDriverValue(raw)
    if (!isDecoded[kind](value, column)) throw garbled(column, raw, dialect)
    return value
  }
  // Drizzle 1.0 converts what it reads for a column, but nothing that it reads for another decoder.
  const decoder = reader ? { mapFromDriverValue } : (Object.create(column, { mapFromDriverValue: { value: mapFromDriverValue } }) as Column)
  if (!reader && !guard) return decoder as Column
  const expression = reader?.expression ?? sql`${column}`
  return (guard ? sql`case when ${guard} then ${expression} end` : expression).mapWith(decoder)
}

function garbled(column: Column, raw: unknown, dialect: SqlDialect): Failure {
  const isNumeric = typeof raw === 'number' || typeof raw === 'bigint' || dataOf(column) === 'number'
  return new Failure('garbled', {
    table: getTableName(column.table),
    column: column.name,
    ...(isNumeric && { hint: dialect.failures.integerHint }),
  })
}
