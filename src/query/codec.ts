import type { Column, SQL, Table } from 'drizzle-orm'
import type { Field } from '../models.js'
import { dataOf, exactColumnsOf, hasCodec, isDecimal, isFloat, isJsonText, isSql, isText, isTextOfBytes, typeOf } from './columns.js'
import { ColumnClass, getTableColumns, getTableName, sql } from './drizzle.js'
import type { FailureKind } from './errors.js'
import { Failure } from './errors.js'
import { withoutEncoder, withRawValues } from './internals.js'
import type { ColumnLimits, Use } from './limits.js'
import { decimalText, limitsOf, timeFormOf } from './limits.js'
import type { FullDigits, StatementDialect } from './statement-dialect.js'
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

/** What the conversions of a column depend on. */
interface Subject extends Pick<ColumnCodec, 'name' | 'column' | 'isKey' | 'isId' | 'callOwn' | 'reject'> {
  /** What the contract says about the column. */
  readonly field: Field | undefined
  readonly dialect: StatementDialect
  /** What the column holds in code. */
  readonly data: string
  /** The type of its values for callers. */
  readonly kind: string
  readonly type: ValueType
  readonly limits: ColumnLimits
  readonly fullDigits: FullDigits | undefined
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
  const data = dataOf(column)
  const isId = field?.kind === 'id'
  // An id has its column's type, and is text for callers.
  const kind = field && !isId ? field.kind : data
  const own = { name, column, isKey: isId || identifies, isId, callOwn, reject }
  const limits = limitsOf(column, dialect.limits)
  const fullDigits = data === 'number' ? dialect.fullDigits?.(column) : undefined
  const subject = { ...own, field, dialect, data, kind, type: valueTypeOf(kind, column), limits, fullDigits }
  return {
    ...own,
    isExact: exactColumnsOf(table).includes(name) || !(isText(column) || isJsonText(column)),
    isOmittedIfNull: field?.optional === true && !field.nullable,
    ...encoderOf(subject),
    ...partsOf(subject),
    fromDriver: decoderOf(subject),
  }
}

/** Encodes values of callers: `convert` to the type, `toDriver`, check what the column would do with it, `asStored`. */
function encoderOf(subject: Subject): Pick<ColumnCodec, 'toKey' | 'toValue' | 'toOperand'> {
  const { name, column, field, dialect, data, isId, isKey, type, limits, fullDigits, callOwn, reject } = subject
  const isJson = isJsonText(column)
  const asStored = dialect.limits.asStored?.(column) ?? ((sent: unknown) => sent)
  const convert = field?.lowerCase ? (value: unknown) => toText(value)?.toLowerCase() : type.encode

  /** What Drizzle or the app's own type sends. `undefined` if the value cannot be sent. */
  const toDriver = (value: unknown): unknown => {
    if (data === 'custom') return callOwn('toDriver', () => column.mapToDriverValue(value))
    try {
      return isJson ? JSON.stringify(value) : column.mapToDriverValue(value)
    } catch {
      return undefined
    }
  }

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
    return limits.reasonToReject(data === 'array' ? value : sent, use)
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

  return { toKey, toValue, toOperand }
}

/** Decodes what the driver returned: `read` it, then check that it is a value of the type. */
function decoderOf({
  column,
  field,
  dialect,
  data,
  kind,
  isId,
  type,
  limits,
  fullDigits,
  callOwn,
  reject,
}: Subject): ColumnCodec['fromDriver'] {
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
  const readOwn = (raw: unknown): unknown => callOwn('fromDriver', () => column.mapFromDriverValue(raw))
  const read = data === 'custom' ? readOwn : (type.decode ?? readerOf(column, dialect, reject))

  return (raw) => {
    if (mayBeRounded(raw)) return reject('garbled', hintFor(raw))
    let value = read(raw)
    if (fullDigits && typeof value === 'number') value = fullDigits.decode(value)
    if (!isValid(value)) return reject('garbled', hintFor(raw))
    if (limits.isPadding) value = withoutPadding(value)
    if (typeof value !== 'string') return isId ? String(value) : value
    return isLowerCase ? value.toLowerCase() : value
  }
}

/** Reads what only Drizzle's column can decode, or what has only one form. */
function readerOf(column: Column, { limits, textOfBytes }: StatementDialect, reject: ColumnCodec['reject']): (raw: unknown) => unknown {
  const isJson = isJsonText(column)
  const isNumeric = isDecimal(column)
  const readBytes = isTextOfBytes(column) ? textOfBytes : undefined
  // Most columns of text have the decoder of Drizzle's base class, which returns the value as it is.
  const isUnchanged = column.mapFromDriverValue === ColumnClass.prototype.mapFromDriverValue && !isJson && !isNumeric && !readBytes
  if (isUnchanged) return (raw) => raw
  return (raw) => {
    if (isNumeric && typeof raw === 'number') return decimalText(column, limits, raw)
    try {
      return readBytes ? readBytes(raw) : isJson ? JSON.parse(raw as string) : column.mapFromDriverValue(raw)
    } catch {
      return reject('garbled')
    }
  }
}

/** The column and its values as parts of a statement. */
function partsOf({ column, dialect, fullDigits }: Subject): Pick<ColumnCodec, 'toParameter' | 'toPlaceholder' | 'selection' | 'isRaw'> {
  const isJson = isJsonText(column)
  const isRaw = decodesRaw(column)
  const sentType = withoutEncoder(column)
  const toPart = (value: unknown, hasType: boolean): SQL => {
    if (isJson) return dialect.json?.fromText(sql`${value}`, column) ?? sql`${value}`
    return hasType ? sql`${sql.param(value, sentType)}` : sql`${value}`
  }
  return {
    toParameter: (sent) => (isSql(sent) ? sent : toPart(sent, true)),
    // Drizzle fills a placeholder without a type faster. Only 1.0 needs the type, for its codec.
    toPlaceholder: (place) => toPart(sql.placeholder(`${place}`), hasCodec(column)),
    selection: (isJson && dialect.json?.toText(column)) || (fullDigits?.selection ?? withRawValues(column, isRaw)),
    isRaw,
  }
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
