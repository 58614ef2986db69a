import type { SQL, Table } from 'drizzle-orm'
import type { Field } from '../models.js'
import type { AnyColumn } from './drizzle.js'
import { getTableColumns, getTableName, sql } from './drizzle.js'
import type { FailureKind } from './errors.js'
import { AdapterConfigError, configError, Failure } from './errors.js'
import { withoutEncoder, withRawValues } from './internals.js'
import * as kinds from './kinds.js'
import type { StatementDialect } from './statement-dialect.js'

/** Creates the SQL for a value: a parameter with the encoded value, or a placeholder that is filled when the statement runs. */
export interface Binder {
  parameter(sent: unknown): SQL
  placeholder(place: number): SQL
}

/** Creates the SQL for the value at a place of a statement's values. */
export type Bind = (binder: Binder, place: number) => SQL

/** Converts the values of one column between callers and the driver. */
export type ColumnCodec = ReturnType<typeof createCodec>

/** The properties of a column from which its codec is made. */
type Basics = ReturnType<typeof basicsOf>

/** `field` is the column's field in the contract, if it has one. `identifies` is true for keys and for columns that refer to one. */
function basicsOf(table: Table, name: string, field: Field | undefined, dialect: StatementDialect, identifies: boolean) {
  const column = getTableColumns(table)[name] as AnyColumn
  const tableName = getTableName(table)
  const kind = kinds.kindOf(column)
  /** Whether it holds the id of a user. */
  const isId = field?.kind === 'id'
  /** Whether its values have one spelling, because it is a key or refers to one. */
  const isKey = kind !== 'other' && (isId || identifies)
  /** Throws a failure about this column. */
  const reject = (failure: FailureKind, hint?: string, cause?: unknown): never => {
    throw new Failure(failure, { table: tableName, column: column.name, hint }, { cause })
  }
  /** Calls a function of the app's table definition. */
  const callAppFunction = <T>(what: string, call: () => T): T => {
    try {
      return call()
    } catch (error) {
      return reject('definition', `it was ${what}`, error)
    }
  }
  /** Whether the column's own `=` compares exactly. */
  const isExact = kinds.exactColumnsOf(table).includes(name) || !kinds.isCollated(column)
  /** Whether callers see an empty column as an absent field. */
  const isOmittedIfNull = field?.optional === true && !field.nullable
  const facts = { name, column, kind, data: kinds.dataOf(column), field, dialect, isKey, isId, isExact, isOmittedIfNull }
  return { ...facts, tableName, callAppFunction, reject }
}

/** The codec of a column. */
export function createCodec(...parameters: Parameters<typeof basicsOf>) {
  const basics = basicsOf(...parameters)
  return { ...basics, ...encodersOf(basics), ...bindersOf(basics), decode: decoderOf(basics) }
}

/** The kind of value that a custom type gets for a field of the contract. */
const kindOfField = { id: 'text', string: 'text', number: 'integer', boolean: 'boolean', date: 'date' } as const

/** Encodes values: converts them to the column's kind, then to what Drizzle sends. */
function encodersOf({ name, tableName, column, kind, data, field, dialect, isKey, isId, callAppFunction, reject }: Basics) {
  const { encode: convert } = kinds.conversions[kind === 'custom' && field ? kindOfField[field.kind] : kind]
  const isWhole = kinds.isInteger(column) && kind !== 'list'
  // Databases accept other spellings, too, and MySQL reads 12abc as 12. A custom type could send them.
  const form = isWhole ? kinds.integerForm : kinds.isUuid(column) && kind !== 'list' ? kinds.uuidForm : undefined
  const isDay = kinds.typeOf(column) === 'date'
  // MySQL also accepts the number of an enum's member, or the member in another case.
  const isMember = (sent: unknown) => !kinds.isEnum(column) || kind === 'list' || column.enumValues?.includes(sent as string) !== false

  const sendCustom = (value: unknown): unknown => {
    const sent = callAppFunction('toDriver', () => column.mapToDriverValue(value))
    if (!kinds.isSql(sent)) return sent
    return configError(
      `the column ${column.name} of ${tableName} has a custom type that sends an SQL expression. Let its toDriver return a value`,
    )
  }

  /** The encoded value. `undefined` if it is not of the column's kind, or if the driver would change it. */
  const encode = (value: unknown): unknown => {
    try {
      const given = isId ? kinds.toText(value) : value
      const converted = field?.lowerCase ? kinds.toText(given)?.toLowerCase() : convert(given, data)
      if (converted === undefined) return undefined
      if (kind === 'custom') return checked(sendCustom(converted))
      const sent = kind === 'json' ? converted : column.mapToDriverValue(converted)
      // Drizzle 0.45 leaves days to mysql2, which writes them in local time.
      return checked(isDay && kinds.isDate(sent) ? sent.toISOString().slice(0, 10) : sent)
    } catch (error) {
      if (error instanceof Failure || error instanceof AdapterConfigError) throw error
      return undefined
    }
  }
  const checked = (sent: unknown): unknown => {
    const isOtherForm =
      typeof sent === 'string' ? form?.test(sent) === false : isWhole && typeof sent === 'number' && !Number.isSafeInteger(sent)
    return !isOtherForm && isWellFormed(sent) && dialect.canSend(sent, column) ? sent : undefined
  }

  /** Encodes a key. `undefined` if no row can have it. */
  const encodeKey = (value: unknown): unknown => {
    try {
      return encode(value) ?? undefined
    } catch (error) {
      // A custom type may throw for a text that is not an id, such as a type over binary(16) for a text that is not a uuid.
      if (isId && error instanceof Failure) return undefined
      throw error
    }
  }

  /** Encodes a value to store. Fails if it is not of the column's kind. */
  const encodeValue = (value: unknown): unknown => {
    // SQLite allows null in a primary key of text.
    if (value === null && column.primary) reject('missing-value')
    if (value === null || kinds.isSql(value)) return value
    if (isId && name === 'userId') return encodeKey(value) ?? reject(kinds.toText(value) === undefined ? 'invalid' : 'unknown-user')
    const sent = encode(value)
    // A custom type may send null for an empty text.
    return sent === undefined || (sent === null && isKey && column.notNull) || !isMember(sent) ? reject('invalid') : sent
  }

  /** Encodes a value for a comparison that is not by key. Fails if it is not of the column's kind. */
  const encodeForComparison = (value: unknown): unknown => {
    if (kind === 'other' && !(kinds.isNumeric(column) && Number.isFinite(value)))
      reject('invalid', 'only numeric columns of this type can be compared, with finite numbers')
    const sent = encode(kind === 'uuid' && typeof value === 'string' ? value.toLowerCase() : value)
    return sent != null && isMember(sent) ? sent : reject('invalid')
  }

  return { encodeKey, encodeValue, encodeForComparison }
}

/** Whether all texts are valid Unicode: drivers replace lone surrogates. */
function isWellFormed(sent: unknown): boolean {
  return Array.isArray(sent) ? sent.every(isWellFormed) : typeof sent !== 'string' || sent.isWellFormed()
}

/** Decodes a value of the driver. A value that is not of the column's kind is `garbled`. */
function decoderOf({ column, kind, data, field, dialect, isId, callAppFunction, reject }: Basics): (raw: unknown) => unknown {
  const { decode } = kinds.conversions[kind]
  const read = kinds.isTextOfBytes(column) ? kinds.textOfBytes : decode
  const isPadded = dialect.padsText === true && kinds.isPadded(column)
  const isLowerCase = field?.lowerCase === true
  const garbled = (raw: unknown) => {
    const isNumber = typeof raw === 'number' || typeof raw === 'bigint' || kinds.isInteger(column)
    return reject('garbled', kind === 'list' ? dialect.driverHints.lists : isNumber ? dialect.driverHints.integers : undefined)
  }
  if (kind === 'text' && read === decode && !isLowerCase && !isPadded) return (raw) => (typeof raw === 'string' ? raw : garbled(raw))

  const readCustom = (raw: unknown) => {
    if (Number.isInteger(raw) && !Number.isSafeInteger(raw)) return garbled(raw)
    return callAppFunction('fromDriver', () => column.mapFromDriverValue(raw))
  }
  const readChecked = (raw: unknown) => {
    try {
      const value = read(raw, column, data)
      if (value !== undefined) return value
    } catch {
      // The value is garbled.
    }
    return garbled(raw)
  }
  const readAny = kind === 'custom' ? readCustom : readChecked
  return (raw) => {
    const value = readAny(raw)
    if (typeof value !== 'string') return isId ? String(value) : value
    const unpadded = isPadded ? value.replace(/ +$/, '') : value
    return isLowerCase ? unpadded.toLowerCase() : unpadded
  }
}

/** The column and its values as parts of a statement. */
function bindersOf({ column, kind, dialect }: Basics) {
  const isJson = kind === 'json'
  const isRaw = isRawKind(column, kind)
  const sentType = withoutEncoder(column)
  const bind = (value: unknown, hasType: boolean): SQL => {
    if (isJson) return dialect.json?.fromText(sql`${value}`, column) ?? sql`${value}`
    return hasType ? sql`${sql.param(value, sentType)}` : sql`${value}`
  }
  return {
    parameter: (sent: unknown) => bind(sent, true),
    // Drizzle fills placeholders without a type faster. Only 1.0 needs the type, for its codec.
    placeholder: (place: number) => bind(sql.placeholder(`${place}`), kinds.hasCodec(column)),
    /** The expression to select or return, so that the value arrives as the driver returned it. */
    selection: ((isJson && dialect.json?.toText(column)) || (kind === 'other' ? column : withRawValues(column, isRaw))) as AnyColumn | SQL,
    /** Whether the driver's value can be used without Drizzle's mapping. */
    isRaw,
  }
}

// Types of text that drivers return unchanged. Drizzle 1.0 converts other types of text before it calls a column's decoder.
const plainText = /^(n?(var)?char|character|bpchar|citext|(tiny|medium|long)?text|enum)\b/

/** Whether the codec decodes the driver's value itself, without Drizzle's mapping. */
function isRawKind(column: AnyColumn, kind: kinds.Kind): boolean {
  if (kind === 'other') return false
  if (kinds.isTextOfBytes(column) || ['integer', 'boolean', 'json'].includes(kind)) return true
  if (kinds.typeOf(column).includes('blob')) return false
  if (kind === 'date') return kinds.dataOf(column) === 'date' || !kinds.hasCodec(column)
  return !kinds.hasCodec(column) || (kind === 'text' && plainText.test(kinds.typeOf(column)))
}

/** For values that belong to no column. */
export const untyped: Binder = {
  parameter: (sent) => sql`${sent}`,
  placeholder: (place) => sql`${sql.placeholder(`${place}`)}`,
}
