import type { Column, SQL, SQLWrapper } from 'drizzle-orm'
import { dataOf, decimalOf, fitsBits, isDecimal, isNumber, isSql, ofColumn, scaleOf, typeOf } from '../query/columns.js'
import { isTransaction } from '../query/detection.js'
import type { Dialect, Row, Selection, SqlDialect, TableStatements, Values, Writes } from '../query/dialect.js'
import { hasForms } from '../query/dialect.js'
import { and, eq, sql } from '../query/drizzle.js'
import type { FailureKind } from '../query/errors.js'
import { Failure } from '../query/errors.js'
import type { FailureCodes } from '../query/failures.js'
import { connectionCodes } from '../query/failures.js'
import { removeUserInTurn } from '../query/returning.js'
import { headerOf, isMysql2, prepare, prepareCommitting } from './driver.js'
import { decodeText, hexOf } from './text.js'

const codes: FailureCodes = [
  [/^(1062|1586)$/, 'duplicate'],
  [/^(1452|1216)$/, 'unknown-user'],
  [/^(1451|1217)$/, 'still-referenced'],
  [/^(1048|1364)$/, 'missing-value'],
  [/^(1406|1153)$/, 'too-long'],
  [/^(1264|1265|1267|1270|1271|1292|1300|1366|1411|3140|3819|3854|3988|4025)$/, 'invalid'],
  // A deadlock or a lock wait timeout, on one server or in a cluster (Galera, Group Replication): rolled back. The last are TiDB's
  // write conflicts.
  [/^(1205|1213|3101|1180|3572|8002|8005|8022|8028|9007)$/, 'conflict', 'always'],
  [/^(1317|1969|3024|PROTOCOL_SEQUENCE_TIMEOUT)$/, 'timeout'],
  // There was no connection, or only to a node that is not part of its cluster; the pool has none to spare.
  [/^(1040|1203|1226|1047|POOL_NONEONLINE)$|^(No connections available|Queue limit reached)\.$/, 'unreachable', 'always'],
  // mysql2 gives a connection that it could not make in time the code ETIMEDOUT, too.
  [/^connect ETIMEDOUT$/, 'unreachable', 'always'],
  // The server ended the connection, possibly while the statement ran.
  [/^(1053|1152|1159|1161|1927|2006|2013|4031|PROTOCOL_CONNECTION_LOST)$/, 'unreachable', 'reads'],
  // A pool that the app closed is no reason to try again.
  [/^(1077|2002|2003|POOL_\w+)$|^Pool is closed|connection is in closed/, 'unreachable'],
  // No permission, a locked or blocked account, an expired password.
  [/^(1044|1045|1142|1143|1227|1698|1820|1862|3118|3955|4151)$/, 'denied'],
  [/^(1290|1792|1836)$/, 'read-only'],
  [/^(1021|1114)$/, 'full'],
  [/^(1049|1054|1146)$/, 'schema'],
  ...connectionCodes,
]

/** A column's type in parts. `integer` and `int4` are spellings of `int`, `character` of `char`. */
const partsOf = ofColumn((column) => {
  const [, name = '', size, unsigned] = /^(int|char|\w+)\w*(?:\((\d+)(?:,\s*\d+)?\))?( unsigned)?/.exec(typeOf(column)) ?? []
  return { name, size: Number(size), unsigned: Boolean(unsigned) }
})

const integerBits: Record<string, number> = { tinyint: 8, smallint: 16, mediumint: 24, int: 32, bigint: 64, serial: 64 }
const textBits: Record<string, number> = { tinytext: 8, text: 16, mediumtext: 24 }
const exactTypes = /int$|^serial|binary$|blob$/
const textTypes = /^(char|varchar|enum|set)$|text$/

// ASCII characters that are the same in every character set, also in those where others stand for `@`, brackets or the backslash, and that
// need no escaping in any sql_mode. An empty text is not among them: MariaDB can be told to take it for null.
const plainText = /^[ !#-&(-?A-Z_a-z]+$/

const encode = (column: Column, value: unknown) => (dataOf(column) === 'json' ? JSON.stringify(value) : column.mapToDriverValue(value))

const literalOf = (text: string) => `_utf8mb4 x'${hexOf(text)}'`

/**
 * Text as hexadecimal digits in the statement. Drivers escape a text for one character set and one sql_mode, and then encode it in the
 * connection's: other text could become a quote on the way. Digits cannot.
 */
function literal(column: Column, value: unknown): SQL | undefined {
  const sent = encode(column, value)
  if (typeof sent !== 'string' || plainText.test(sent)) return undefined
  // Converted when the statement is built, not each time somebody asks whether there is a literal.
  return sql`${{ getSQL: () => sql.raw(literalOf(sent)) }}`
}

/** The same for mysql2, which writes the result of `toSqlString` into the statement: the statement need not be built anew. */
function mysql2Parameter(column: Column, value: unknown): unknown {
  const sent = encode(column, value)
  return typeof sent === 'string' ? { toSqlString: () => literalOf(sent) } : undefined
}

const mysqlSql: SqlDialect = {
  decimalSpelling: (column) => decimalOf(scaleOf(column) ?? 0),

  failures: {
    codes,
    // The last one counts: a value may stand before it. MariaDB quotes `database`.`table`.`column`.
    names: [/.*\b(?:column|field) (?:[`'][^`']*[`']\.)*[`'](?:[^`']*\.)?([^`'.]+)[`']/is, /.*for key '(?:[^']*\.)?([^'.]+)'$/s],
    integerHint: "set supportBigNumbers: true in mysql2, or use mode: 'bigint' for this column",
  },

  prepare,
  once: prepare,

  withReturning: (query) => query,

  same: (column, value) =>
    exactTypes.test(partsOf(column).name) || isNumber(column)
      ? eq(column, value)
      : (and(eq(column, value), sql`${bytesOf(unpadded(column))} = ${bytesOf(unpadded(value))}`) as SQL),

  // Without a strict sql_mode, MySQL truncates silently what does not fit.
  reasonToReject(column, sent) {
    // An UPDATE would store 0 or an empty text.
    if (sent === null) return column.notNull ? 'missing-value' : undefined
    const { name, size, unsigned } = partsOf(column)
    if (typeof sent === 'string' && /^-?\d+(\.\d+)?$/.test(sent) && !fitsDigits(column, sent)) return 'invalid'
    if (typeof sent === 'string' || ArrayBuffer.isView(sent)) return reasonToRejectText(name, size, sent)
    if (sent instanceof Date) return isInRange(name, sent) ? undefined : 'invalid'
    // mysql2 would write an object or an array into the statement as SQL.
    if (dataOf(column) === 'custom' && Object(sent) === sent && !isSql(sent)) return 'invalid'
    const bits = integerBits[name]
    const isWhole = typeof sent === 'bigint' || Number.isInteger(sent)
    return bits && isWhole && !fitsBits(sent as number | bigint, bits, unsigned) ? 'invalid' : undefined
  },

  // The server replaces by `?` what the connection's character set does not have, and drivers read the other types in several ways.
  reader(column) {
    const { name } = partsOf(column)
    if (textTypes.test(name)) {
      const decode = (raw: unknown) => column.mapFromDriverValue(decodeText(raw))
      return { expression: bytesOf(unpadded(column)), decode }
    }
    if (dataOf(column) === 'date') return { expression: textOf(column), decode: (raw) => toDate(decodeText(raw)) }
    if (dataOf(column) === 'json') return { expression: bytesOf(column), decode: (raw) => JSON.parse(decodeText(raw)) }
    if (isDecimal(column) && dataOf(column) === 'string') return { expression: textOf(column), decode: decodeText }
    const decode = decoders[dataOf(column)]
    return decode && { decode: (raw) => decode(raw as number) }
  },
}

// mysql2 can be set to return integers as text.
const decoders: Record<string, (raw: number | bigint | string) => unknown> = {
  number: (raw) => (/^-?\d/.test(`${raw}`) ? Number(raw) : undefined),
  bigint: (raw) => (/^-?\d+$/.test(`${raw}`) ? BigInt(raw) : undefined),
  boolean: (raw) => ({ 1: true, true: true, 0: false, false: false })[`${raw}`],
}

const writes: Writes = {
  async insert(table, given) {
    const values = { ...given, ...(await defaultKey(table, given)) }
    await checkCharacters(table, values)
    const { insertId } = headerOf(await table.insert(values))
    const known = knownRow(table, values)
    if (known) return known
    if (typeof insertId === 'number' && !Number.isSafeInteger(insertId))
      throw new Failure('garbled', { hint: mysqlSql.failures.integerHint })
    const key = Object.fromEntries(table.key.map((name) => [name, values[name] ?? insertId]))
    const [row] = await table.select(key)
    if (!row) throw new Failure('invalid', { column: table.key.join() })
    return row
  },

  async update(table, key, values) {
    await checkCharacters(table, values)
    const isChanged = await writes.change(table, key, values)
    // It had these values already, or got the other form of its key before the update came to it.
    if (!isChanged && hasForms(key)) await table.update(key, values)
    return (await table.select(key))[0] ?? null
  },

  change: async (table, where, values) => headerOf(await table.update(where, values)).affectedRows > 0,

  // Many may read the row; only the one whose DELETE removed it may keep it.
  async remove(table, key) {
    const [row] = await table.select(key)
    if (!row) return null
    return headerOf(await table.delete(key)).affectedRows > 0 ? row : null
  },

  async removeUser(users, key, belongings) {
    const [row] = await users.select(key)
    if (row) {
      try {
        const result = await users.runOnRows('removeUser', 'delete', [[users, key], ...belongings], (prepare) =>
          prepare(users.db.delete(userWithBelongings(users, key, belongings)), false),
        )
        return headerOf(result).affectedRows > 0 ? row : null
      } catch (failure) {
        // Some triggers, and sql_safe_updates on MariaDB, do not allow such a statement. It did nothing.
        if (!(failure instanceof Failure && /^(1442|1175)$/.test(failure.details.code ?? ''))) throw failure
      }
    }
    return removeUserInTurn(writes, users, key, belongings)
  },

  deleteEvery: async (table, condition) =>
    headerOf(await table.run('delete', () => table.db.delete(table.table).where(condition))).affectedRows,

  deleteSome: async (table, condition, orderBy, limit) =>
    headerOf(await table.run('delete', () => table.db.delete(table.table).where(condition).orderBy(orderBy).limit(limit))).affectedRows,
}

export const mysql: Dialect = {
  name: 'mysql',
  sql: mysqlSql,
  writes,
  forDriver: (db) => ({
    ...mysqlSql,
    ...(!isTransaction(db) && { prepare: prepareCommitting, once: prepareCommitting }),
    ...(isMysql2(db) ? { toParameter: mysql2Parameter } : { literal }),
  }),
}

/**
 * The tables of a DELETE that removes a user and what belongs to it. Each table is joined to a row of its own, so that the rows of one are
 * not combined with those of another. InnoDB checks foreign keys row by row, and deletes rows in the order of the join: what belongs to the
 * user comes first, and `straight_join` keeps the user last.
 */
function userWithBelongings(users: TableStatements, key: Values, belongings: readonly Selection[]): SQL {
  const names = belongings.flatMap(([{ table }]) => [table, sql`, `])
  const parts = belongings.map((_, part) => sql.raw(`select ${part} as auth_part`))
  const joins = belongings.map(
    ([{ table, condition }, where], part) => sql` left join ${table} on auth_part = ${sql.raw(`${part}`)} and ${condition(where)}`,
  )
  const user = sql` straight_join ${users.table} on ${users.condition(key)}`
  // Drizzle tells its cache of tables that are direct parts of the statement.
  return sql.join([...names, users.table, sql` using (${sql.join(parts, sql` union all `)}) as auth_parts`, ...joins, user])
}

function textOf(column: Column): SQL {
  return sql`cast(${column} as binary)`
}

function bytesOf(value: unknown): SQL {
  return sql`cast(convert(${value} using utf8mb4) as binary)`
}

// With PAD_CHAR_TO_FULL_LENGTH a char(n) is read with its padding, which is not part of its value.
function unpadded(value: SQLWrapper): SQLWrapper {
  const isPadded = 'columnType' in value && partsOf(value as Column).name === 'char'
  return isPadded ? sql`trim(trailing ' ' from ${value})` : value
}

const dateText = /^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d+)?)?$/

/** Drizzle stores and reads dates as UTC, whatever the time zone of the session. `undefined` if the text is no date. */
function toDate(text: string): Date | undefined {
  if (!dateText.test(text)) return undefined
  const date = new Date(`${text.slice(0, 10)}T${text.slice(11, 23) || '00:00:00'}Z`)
  // `2026-02-31` is a day of another month.
  return date.getUTCDate() === Number(text.slice(8, 10)) ? date : undefined
}

function reasonToRejectText(type: string, size: number, sent: string | ArrayBufferView): FailureKind | undefined {
  const limit = /(char|binary)$/.test(type) ? size : 2 ** (textBits[type] ?? 32) - 1
  if (typeof sent !== 'string') return sent.byteLength > limit ? 'too-long' : undefined
  // The length of char and varchar counts characters, that of all others bytes. A character takes up to three bytes for each UTF-16 unit,
  // and a pair of them is one character: most texts need not be measured.
  if (sent.length * 3 > limit && (sent.length > limit * 2 || measure(type, sent) > limit)) return 'too-long'
  return type === 'char' && sent.endsWith(' ') ? 'invalid' : undefined
}

/** Whether an integer or decimal column has room for a number that is sent as text. */
function fitsDigits(column: Column, sent: string): boolean {
  const { name, size, unsigned } = partsOf(column)
  const digits = sent.replace(/^-|\..*/g, '')
  if (isDecimal(column)) return digits.length <= (size || 10) - (scaleOf(column) ?? 0)
  const bits = integerBits[name]
  return !bits || (digits.length <= 20 && fitsBits(BigInt(sent.replace(/\..*/, '')), bits, unsigned))
}

const measure = (type: string, sent: string) => (type.endsWith('char') ? [...sent] : new TextEncoder().encode(sent)).length

// A timestamp counts seconds in 31 bits. Other types hold years of four digits.
function isInRange(type: string, date: Date): boolean {
  const seconds = date.getTime() / 1000
  return type === 'timestamp' ? seconds >= 1 && seconds < 2 ** 31 : /^\d/.test(date.toJSON())
}

/**
 * Without a strict sql_mode, MySQL stores `?` for a character that the column's character set lacks. A comparison with the column fails in
 * every mode.
 */
async function checkCharacters(table: TableStatements, values: Values): Promise<void> {
  const unsure = Object.entries(values).filter(([name, value]) => {
    const column = table.columns[name] as Column
    const isText = textTypes.test(partsOf(column).name) && !typeOf(column).includes('character set utf8mb4')
    const sent = isText && value !== null && !isSql(value) ? encode(column, value) : undefined
    return typeof sent === 'string' && /[^\0-\x7f]/.test(sent)
  })
  // Each in a list of its own: a condition would take a value that is a list for several forms of one.
  if (unsure.length > 0) await table.compare(Object.fromEntries(unsure.map(([name, value]) => [name, [value]])))
}

// A key that the database would generate, such as `uuid()`, must be known to find the new row.
async function defaultKey(table: TableStatements, values: Values): Promise<Values> {
  const generated: Values = {}
  for (const name of table.key) {
    const expression = name in values ? values[name] : (table.columns[name] as Column).default
    if (!isSql(expression)) continue
    const value = sql`${expression}`.mapWith(table.columns[name] as Column)
    const rows = await table.run('read', () => table.db.select({ value }).from(sql`(select 1) as one`).$withCache(false))
    generated[name] = (rows as [Row])[0].value
  }
  return generated
}

/** The new row without reading it, if the database adds and changes nothing. */
function knownRow(table: TableStatements, values: Values): Row | undefined {
  const row: Row = {}
  for (const [name, column] of Object.entries(table.columns)) {
    const value = Object.hasOwn(values, name) ? values[name] : null
    if (!Object.hasOwn(values, name) && (column.hasDefault || column.notNull || column.generated)) return undefined
    if (!isStoredUnchanged(column, value)) return undefined
    row[name] = value
  }
  return row
}

function isStoredUnchanged(column: Column, value: unknown): boolean {
  const { name, size } = partsOf(column)
  if (value === null) return true
  if (value instanceof Date) return /^(datetime|timestamp)$/.test(name) && (size >= 3 || value.getMilliseconds() === 0)
  if (typeof value === 'string') return /^var|text$/.test(name) && column.mapFromDriverValue(column.mapToDriverValue(value)) === value
  if (typeof value === 'boolean') return dataOf(column) === 'boolean'
  return dataOf(column) === 'number' && name in integerBits && Number.isInteger(value)
}
