import type { Column, SQL } from 'drizzle-orm'
import { dataOf, isDecimal, isFloat, isInteger, isJsonText, isSql, isTime, sizesOf, typeOf } from '../query/columns.js'
import { isCalendarDay } from '../query/dates.js'
import type { Dialect } from '../query/dialect.js'
import { getTableName, sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { toFailure } from '../query/failures.js'
import { schemaOf } from '../query/internals.js'
import { decimalDigits, timeFormOf } from '../query/limits.js'
import type { FailedStatement } from '../query/statement-dialect.js'
import { deleteUser } from './delete-user.js'
import { failures } from './failures.js'
import { checkSettingsOnce } from './settings.js'
import { decodeText } from './text.js'
import { headerOf, writes } from './writes.js'

const textBytes: Record<string, number> = { tinytext: 2 ** 8 - 1, text: 2 ** 16 - 1, mediumtext: 2 ** 24 - 1 }

// ER_CANT_AGGREGATE_2COLLATIONS, _3COLLATIONS, _NCOLLATIONS, ER_INVALID_CHARACTER_STRING, ER_CANNOT_CONVERT_STRING,
// ER_IMPOSSIBLE_STRING_CONVERSION: a text has no form in the character set of the column.
const characterSetCodes = /^(1267|1270|1271|1300|3854|3988)$/

// There is no infinity, and years have four digits: JavaScript writes others with a sign.
const moment = /^\d{4}-\d\d-\d\d([T ]([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?Z?)?$/
const clock = /^-?(\d\d?|[0-7]\d\d|8([0-2]\d|3[0-8])):[0-5]\d(:[0-5]\d(\.\d+)?)?$/

const floatDigits = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

export const mysql: Dialect = {
  name: 'mysql',
  failures,
  integerHint: "set supportBigNumbers: true in mysql2, or use mode: 'bigint' for this column",
  countWritten(result) {
    const { affectedRows, matchedRows } = headerOf(result)
    return matchedRows || affectedRows
  },
  checkSettings: checkSettingsOnce,

  limits: {
    storesNul: true,
    defaultScale: 0,
    lengthOf(column) {
      const [type = ''] = /^\w+/.exec(typeOf(column)) ?? []
      if (/^(n?(var)?char|character)$/.test(type)) return { characters: sizesOf(column)[0] ?? 1 }
      return textBytes[type] === undefined ? undefined : { bytes: textBytes[type] }
    },
    // A float of 32 bits is compared with 64. For its type date, Drizzle 0.45 sends a Date, which mysql2 writes in local time.
    asStored: (column) => (isSingle(column) ? toSingle : dataOf(column) === 'date' ? toDay : undefined),
    alters(column) {
      const form = isInteger(column) || isDecimal(column) ? decimalDigits : isFloat(column) ? floatDigits : timeFormOf(column)
      const isYear = typeOf(column) === 'year'
      const binaryLength = /^binary\b/.test(typeOf(column)) ? (sizesOf(column)[0] ?? 1) : 0
      return (sent) => {
        // mysql2 expands arrays and objects into SQL.
        if (Object(sent) === sent && !(sent instanceof Date || sent instanceof Uint8Array)) return true
        // It sends these as the names of columns. The database takes 24 for 2024, and rounds.
        if (typeof sent === 'number') return !Number.isFinite(sent) || (isYear && (!Number.isInteger(sent) || (sent > 0 && sent < 100)))
        // In a comparison, text that is no number or time would be 0.
        if (typeof sent === 'string' && form?.test(sent) === false) return true
        const time = isTime(column) && (sent instanceof Date ? sent.toJSON() : sent)
        if (typeof time === 'string' && !isPossible(time, column)) return true
        // The database fills a binary(n) with NUL.
        if (binaryLength === 0) return false
        const { length } = sent instanceof Uint8Array ? sent : new TextEncoder().encode(`${sent}`)
        return length < binaryLength
      }
    },
  },

  prepare: (query) => ({ prepared: query.prepare(), method: 'execute' }),
  recover: failIfTooLong,

  mayHideRows: (table) => ({
    catalog: sql`information_schema.tables`,
    condition: sql`table_schema = ${schemaOf(table) ?? sql`database()`} and table_name = ${getTableName(table)} and table_type like '%VIEW'`,
  }),

  lockRows: (query) => query.for('update'),

  exactForm(column) {
    if (isInteger(column) || isFloat(column) || /^(var)?binary\b|^\w*blob\b/.test(typeOf(column))) return undefined
    if (isDecimal(column)) return (value) => decimalOf(value, column)
    // MySQL has a spelling of its own, which a parameter gets as well. A column of text may hold more than the database can parse.
    if (isJsonText(column)) return (value) => bytesOf(sql`if(json_valid(${value}), json_extract(${value}, '$'), ${value})`, false)
    return (value) => bytesOf(value, false)
  },
  bytesOf,

  hasText: {
    contains: (text, part) => sql`locate(${part}, ${text}) > 0`,
    startsWith: (text, part) => sql`left(${text}, length(${part})) = ${part}`,
    endsWith: (text, part) => sql`right(${text}, length(${part})) = ${part}`,
  },

  // A float is written with 6 digits.
  fullDigits: (column) => (isSingle(column) ? { selection: sql`(${column} + 0e0)`, decode: shortest } : undefined),

  textOfBytes: decodeText,

  json: { toText: (column) => sql`cast(${column} as char)`, fromText: (text) => text },

  // A view can fail with any code, for one row or for all, even while a statement is planned. So the value is compared with columns that
  // have no rows, if these can be read without it. The limit keeps the database from moving the comparison into the view.
  async isImpossible(table, required, { details }) {
    const names = Object.keys(required)
    const key = (name: string) => sql.identifier(`key_${names.indexOf(name)}`)
    const columns = names.map((name) => sql`${table.column(name)} as ${key(name)}`)
    const noRows = sql`(select ${sql.join(columns, sql`, `)} from ${table.drizzleTable} limit 0) as no_rows`
    const comparisons = names.map((name) => sql`${key(name)} = ${table.definition.of(name).toParameter(required[name])}`)
    const failureOf = async (value: SQL, from: SQL, where?: SQL) => {
      try {
        await table.select({ value }, (query) => query.from(from).where(where))
      } catch (failure) {
        return failure
      }
    }
    // Any other failure leaves the question open, such as a lost connection.
    const isInvalid = (failure: unknown) => failure instanceof Failure && failure.kind === 'invalid'
    for (const value of Object.values(required).filter(isSql)) if (isInvalid(await failureOf(value, sql`(select 1) as one`))) return true
    if (!characterSetCodes.test(details.code ?? '') || (await failureOf(sql`1`, noRows))) return false
    return isInvalid(await failureOf(sql`1`, noRows, sql.join(comparisons, sql` and `)))
  },

  isUnjoinable: ({ details }) => details.code === '1267',

  ...writes,
  deleteUser,
}

/**
 * Whether the column can have this date or time. In a comparison, MariaDB takes some others for 0. MySQL rounds a time to the digits of the
 * column, and compares other times as text. Whether month or day can be 00 is a setting of the server.
 */
function isPossible(text: string, column: Column): boolean {
  if (!/^time\b/.test(typeOf(column))) return moment.test(text) && isCalendarDay(text.replaceAll('-00', '-01'))
  const [, fraction = ''] = text.split('.')
  return clock.test(text) && fraction.replace(/0+$/, '').length <= (sizesOf(column)[0] ?? 0)
}

/** Whether the column holds floating-point numbers of 32 bits. */
function isSingle(column: Column): boolean {
  const [size = 0, scale] = sizesOf(column)
  return /^float\b/.test(typeOf(column)) && (size < 25 || scale !== undefined)
}

function toSingle(sent: unknown): unknown {
  return typeof sent === 'number' && Math.abs(sent) < 3.4e38 ? Math.fround(sent) : sent
}

function toDay(sent: unknown): unknown {
  return sent instanceof Date ? sent.toISOString().slice(0, 10) : sent
}

/** The shortest number that is this one in 32 bits: what was given, if it had up to 6 digits. */
function shortest(single: number): number {
  if (Number.isSafeInteger(single)) return single
  const candidates = [6, 7, 8, 9].map((digits) => Number(single.toPrecision(digits)))
  return candidates.find((each) => Math.fround(each) === single) ?? single
}

/** A decimal with the digits before the point that the column has, and all others after it: its `=` with a text has only 15 digits. */
function decimalOf(value: Column | SQL, column: Column): SQL {
  const [precision = 10, scale = 0] = sizesOf(column)
  return sql`cast(${value} as decimal(65, ${sql.raw(`${Math.min(30, 65 - precision + scale)}`)}))`
}

function bytesOf(value: Column | SQL, ignoresCase: boolean): SQL {
  const text = sql`convert(${value} using utf8mb4)`
  return sql`cast(${ignoresCase ? sql`lower(${text})` : text} as binary)`
}

/** The length of a value as mysql2 sends it: quotes, backslashes and control characters get a backslash. */
function sentLengthOf(value: unknown): number {
  // Bytes are sent in hexadecimal digits.
  if (value instanceof Uint8Array) return 2 * value.length
  const text = String(value)
  return new TextEncoder().encode(text).length + text.split(/[\p{Cc}"'\\]/u).length - 1
}

/** The server closes the connection if a statement is longer than max_allowed_packet. */
async function failIfTooLong(error: unknown, { db, values }: FailedStatement): Promise<never> {
  const length = values.reduce<number>((sum, value) => sum + sentLengthOf(value), 0)
  if (length < smallestPacket || toFailure(error, failures).kind !== 'unreachable') throw error
  const query = db.select({ limit: sql`@@max_allowed_packet` }).from(sql`(select 1) as one`).$withCache(false)
  // Its own failure may say that nothing was sent, while the statement may have been executed.
  const rows = await query.execute().then(undefined, () => Promise.reject(error))
  const [{ limit } = { limit: undefined }] = rows as { limit?: unknown }[]
  if (length < Number(limit)) throw error
  throw new Failure('too-long', { hint: 'the statement is longer than max_allowed_packet' }, { cause: error })
}

// The least that a server can be set to, and what older servers have by default.
const smallestPacket = 2 ** 20
