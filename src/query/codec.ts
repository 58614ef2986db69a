import type { Column, SQL, Table } from 'drizzle-orm'
import type { Field } from '../models.js'
import { dataOf, exactColumnsOf, hasCodec, isDecimal, isFloat, isJsonText, isSql, isText, isTextOfBytes, typeOf } from './columns.js'
import { ColumnClass, getTableColumns, getTableName, sql } from './drizzle.js'
import type { FailureKind } from './errors.js'
import { Failure } from './errors.js'
import { withoutEncoder, withRawValues } from './internals.js'
import type { Use } from './limits.js'
import { decimalText, limitsOf, timeFormOf } from './limits.js'
import type { StatementDialect } from './statement-dialect.js'
import type { ValueType } from './values.js'
import { isRounded, losesDigits, toText, valueTypeOf } from './values.js'

/** Converts between what callers give and get, and what the driver sends and returns for one column. */
export interface ColumnCodec {
  /** The column's name in code. */
  readonly name: string
  readonly column: Column
  /** Whether its values have one spelling: it identifies rows, or refers to a column that does. */
  readonly isKey: boolean
  /** Whether it holds the id of a user in the contract. */
  readonly isId: boolean
  /** Whether the column's own `=` compares exactly. */
  readonly isExact: boolean
  /** What the driver sends for a key. `undefined` if no row can have it. */
  toKey(value: unknown): unknown
  /** What the driver sends for a value to store. Fails if the column cannot hold it. */
  toValue(value: unknown): unknown
  /** What the driver sends for a value to compare with. Fails if it is not of the column's type. */
  toOperand(value: unknown): unknown
  /** What is sent, as a part of a statement. */
  toParameter(sent: unknown): SQL
  /** What is given when the statement runs, as a part of it. */
  toPlaceholder(place: number): SQL
  /** What to select or return, so that the value arrives as the driver returned it. */
  readonly selection: Column | SQL
  /** Whether the driver's value can be used without Drizzle's mapping. */
  readonly isRaw: boolean
  /** What callers see of a value that the driver returned, which is not null. */
  fromDriver(raw: unknown): unknown
  /** Whether callers see an empty column as an absent field. */
  readonly isOmittedIfNull: boolean
  /** Calls a function of the table definition, which is the app's own. */
  callOwn<T>(what: string, call: () => T): T
  /** Throws a failure about this column. */
  reject(kind: FailureKind, hint?: string, cause?: unknown): never
}

/** The codec of a column. `field` is what the contract says about it. `identifies` says whether it is a key of the table or refers to one. */
export function createCodec(
  table: Table,
  name: string,
  field: Field | undefined,
  dialect: StatementDialect,
  identifies: boolean,
): ColumnCodec {
  const column = getTableColumns(table)[name] as Column
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

  // Encoding: convert (what a caller gives, as the type) → toDriver (what is sent) → asStored. Decoding: decode.
  const data = dataOf(column)
  const isId = field?.kind === 'id'
  const isKey = isId || identifies
  // An id has its column's type, and is text for callers.
  const kind = field && !isId ? field.kind : data
  const type = valueTypeOf(kind, column)
  const { toDriver, decode } = conversionsOf(column, type, dialect, { callOwn, reject })
  const { reasonToReject, isPadding } = limitsOf(column, dialect.limits)
  const fullDigits = data === 'number' ? dialect.fullDigits?.(column) : undefined
  const asStored = dialect.limits.asStored?.(column) ?? ((sent: unknown) => sent)

  const convert = field?.lowerCase ? (value: unknown) => toText(value)?.toLowerCase() : type.encode
  const encode = (value: unknown): unknown => {
    const converted = convert(isId ? toText(value) : value)
    return converted === undefined ? undefined : toDriver(converted)
  }
  /** Why what is sent for a value cannot be used. */
  const reasonFor = (value: unknown, sent: unknown, use: Use): FailureKind | undefined => {
    // Null is what a custom type may send for a value that it does not have.
    if (sent === undefined || (use !== 'value' && sent === null)) return 'invalid'
    // Rounding makes another integer of an integer, and another key of a key.
    const isAltered = fullDigits && typeof sent === 'number' && fullDigits.decode(asStored(sent) as number) !== sent
    if (isAltered && (use === 'key' || (use === 'value' && Number.isSafeInteger(sent)))) return 'invalid'
    // Drizzle 0.45 sends an array as one text. Limits apply to its elements.
    return reasonToReject(data === 'array' ? value : sent, use)
  }

  const toKey = (value: unknown): unknown => {
    try {
      const sent = encode(value)
      return reasonFor(value, sent, 'key') ? undefined : asStored(sent)
    } catch (error) {
      // If a custom type throws for an id, such as one of binary(16) for text that is not a UUID, no row can have that id.
      if (isId) return undefined
      throw error
    }
  }

  const toValue = (value: unknown): unknown => {
    // SQLite allows null in a primary key of text.
    if (value === null && column.primary) reject('missing-value')
    if (value === null || isSql(value)) return value
    if (isId && name === 'userId') return toKey(value) ?? reject(toText(value) === undefined ? 'invalid' : 'unknown-user')
    const sent = encode(value)
    // A unique column may be empty, and a custom type may send null for an empty text.
    const reason = reasonFor(value, sent, isKey && (sent !== null || column.notNull) ? 'key' : 'value')
    return reason ? reject(reason) : asStored(sent)
  }

  const toOperand = (value: unknown): unknown => {
    if (isSql(value)) return value
    const sent = encode(value)
    return reasonFor(value, sent, 'operand') ? reject('invalid') : asStored(sent)
  }

  // Whether the driver may have rounded the value: an integer to a number, or a decimal that has more digits than a number.
  const isDecimalNumber = kind === 'number' && isDecimal(column) && dialect.limits.defaultScale !== undefined
  const mayBeRounded = isFloat(column) ? () => false : isDecimalNumber ? losesDigits : isRounded
  const timeForm = data === 'string' ? timeFormOf(column) : undefined
  // PostgreSQL writes dates in several styles. Only ISO looks like the text that it takes, except for years before the first.
  const isValid = timeForm ? (value: unknown) => timeForm.test(String(value).replace(/ BC$/, '')) : type.isValid
  const isLowerCase = field?.lowerCase === true
  const hintFor = (raw: unknown): string | undefined => {
    if (data === 'array') return typeof raw === 'string' ? dialect.arrayHint : undefined
    const isNumeric = typeof raw === 'number' || typeof raw === 'bigint' || data === 'number'
    return isNumeric && !isDecimal(column) ? dialect.integerHint : undefined
  }
  const fromDriver = (raw: unknown): unknown => {
    if (mayBeRounded(raw)) return reject('garbled', hintFor(raw))
    let value = decode(raw)
    if (fullDigits && typeof value === 'number') value = fullDigits.decode(value)
    if (!isValid(value)) return reject('garbled', hintFor(raw))
    if (isPadding) value = withoutPadding(value)
    if (typeof value !== 'string') return isId ? String(value) : value
    return isLowerCase ? value.toLowerCase() : value
  }

  const isJson = isJsonText(column)
  const sentType = withoutEncoder(column)
  const toPart = (value: unknown, hasType: boolean): SQL => {
    if (isJson) return dialect.json?.fromText(sql`${value}`, column) ?? sql`${value}`
    return hasType ? sql`${sql.param(value, sentType)}` : sql`${value}`
  }
  const isRaw = decodesRaw(column)

  return {
    name,
    column,
    isKey,
    isId,
    isExact: exactColumnsOf(table).includes(name) || !(isText(column) || isJson),
    toKey,
    toValue,
    toOperand,
    fromDriver,
    toParameter: (sent) => (isSql(sent) ? sent : toPart(sent, true)),
    // Drizzle fills a placeholder without a type faster. Only 1.0 needs the type, for its codec.
    toPlaceholder: (place) => toPart(sql.placeholder(`${place}`), hasCodec(column)),
    selection: (isJson && dialect.json?.toText(column)) || (fullDigits?.selection ?? withRawValues(column, isRaw)),
    isRaw,
    isOmittedIfNull: field?.optional === true && !field.nullable,
    callOwn,
    reject,
  }
}

/** What Drizzle or the app's own type sends, `undefined` if it cannot be sent, and what it reads. */
function conversionsOf(
  column: Column,
  type: ValueType,
  { limits, textOfBytes }: StatementDialect,
  { callOwn, reject }: Pick<ColumnCodec, 'callOwn' | 'reject'>,
) {
  if (dataOf(column) === 'custom')
    return {
      toDriver: (value: unknown): unknown => callOwn('toDriver', () => column.mapToDriverValue(value)),
      decode: (raw: unknown): unknown => callOwn('fromDriver', () => column.mapFromDriverValue(raw)),
    }
  const isJson = isJsonText(column)
  const isNumeric = isDecimal(column)
  const toDriver = (value: unknown): unknown => {
    try {
      return isJson ? JSON.stringify(value) : column.mapToDriverValue(value)
    } catch {
      return undefined
    }
  }
  const decodeBytes = isTextOfBytes(column) && textOfBytes
  const decodeWithColumn = (raw: unknown): unknown => {
    if (isNumeric && typeof raw === 'number') return decimalText(column, limits, raw)
    try {
      return decodeBytes ? decodeBytes(raw) : isJson ? JSON.parse(raw as string) : column.mapFromDriverValue(raw)
    } catch {
      return reject('garbled')
    }
  }
  // Most columns of text have the decoder of Drizzle's base class, which returns the value as it is.
  const isUnchanged = column.mapFromDriverValue === ColumnClass.prototype.mapFromDriverValue && !isJson && !isNumeric && !decodeBytes
  return { toDriver, decode: type.decode ?? (isUnchanged ? (raw: unknown) => raw : decodeWithColumn) }
}

// Text that drivers return as it is. Drizzle 1.0 converts other types of text before it calls a column's decoder.
const plainText = /^(n?(var)?char|character|bpchar|citext|(tiny|medium|long)?text|enum)\b/

/** Whether the codec decodes what the driver returned, and not what Drizzle makes of it. */
function decodesRaw(column: Column): boolean {
  const data = dataOf(column)
  if (isTextOfBytes(column)) return true
  if (typeOf(column).includes('blob')) return false
  if (valueTypeOf(data, column).decode || isJsonText(column)) return true
  return data === 'string' ? !hasCodec(column) || plainText.test(typeOf(column)) : data === 'custom' && !hasCodec(column)
}

/** The text of a char(n), or of each element of an array of them. */
function withoutPadding(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPadding)
  return typeof value === 'string' ? value.replace(/ +$/, '') : value
}

/** A parameter that belongs to no column, and is given when the statement runs. */
export function placeholder(place: number): SQL {
  return sql`${sql.placeholder(`${place}`)}`
}
