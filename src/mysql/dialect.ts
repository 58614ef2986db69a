import type { Column, SQL } from 'drizzle-orm'
import type { Dialect } from '../dialect.js'
import { and, eq, sql } from '../drizzle.js'
import type { FailureKind } from '../errors.js'
import { connectionCodes, Refusal } from '../errors.js'
import type { Row, Selected, TableStatements, Values } from '../statements.js'
import { isSql } from '../statements.js'
import { dataOf, fitsBits, ofColumn, typeOf } from '../values.js'

export const mysql: Dialect = {
  name: 'mysql',

  prepare(query) {
    const prepared = query.prepare()
    return (values) => prepared.execute(values)
  },

  once: (query) => mysql.prepare(query, false),

  // MySQL has no RETURNING.
  answering: (query) => query,

  // The first comparison finds the row by its index, under whatever collation the column has; the second compares bytes.
  same: (column, value) =>
    exactTypes.test(partsOf(column).name)
      ? eq(column, value)
      : (and(eq(column, value), sql`${bytesOf(column)} = ${bytesOf(value)}`) as SQL),

  // MySQL in a lax `sql_mode` cuts what does not fit, silently.
  misfit(column, sent) {
    const { name, size, unsigned } = partsOf(column)
    if (typeof sent === 'string' || ArrayBuffer.isView(sent)) return textMisfit(name, size, sent)
    if (sent instanceof Date) return isInRange(name, sent) ? undefined : 'invalid'
    // mysql2 writes an object or array into the statement as SQL of its own.
    if (dataOf(column) === 'custom' && Object(sent) === sent && !isSql(sent)) return 'invalid'
    const bits = integerBits[name]
    const isWhole = typeof sent === 'bigint' || Number.isInteger(sent)
    return bits && isWhole && !fitsBits(sent as number | bigint, bits, unsigned) ? 'invalid' : undefined
  },

  // mysql2 escapes with backslashes, which a server in NO_BACKSLASH_ESCAPES takes for themselves.
  literal: (sent) => (typeof sent === 'string' && escaped.test(sent) ? sql.raw(`_utf8mb4 x'${hexOf(sent)}'`) : undefined),

  async insert(table, given) {
    const values = { ...given, ...(await defaultKey(table, given)) }
    const { insertId } = headerOf(await table.insert(values))
    const known = knownRow(table, values)
    if (known) return known
    const key = Object.fromEntries(table.key.map((name) => [name, values[name] ?? insertId]))
    const [row] = await table.select(key)
    if (!row) throw new Refusal('invalid', table.key.join())
    return row
  },

  async update(table, key, values) {
    await table.update(key, values)
    return (await table.select(key))[0] ?? null
  },

  // Many may read the row; only the one whose DELETE removed it may keep it.
  async remove(table, key) {
    const [row] = await table.select(key)
    if (!row) return null
    return headerOf(await table.delete(key)).affectedRows > 0 ? row : null
  },

  async removeWith(table, key, others) {
    const [row] = await table.select(key)
    // What belongs to the user counts, too: it goes only with the user, so that none but the one who deletes the user deletes anything.
    // Where there is no user, it goes alone.
    const withUser = row ? sql` and exists (select 1 from ${table.table} where ${table.having(key)})` : sql``
    const deleted = await table.run((db) => db.delete(rowsOf([...others, [table, key]], withUser)))
    return row && headerOf(deleted).affectedRows > 0 ? row : null
  },

  deletedBy: (answer) => headerOf(answer).affectedRows,

  failures: [
    [/^(1062|1586)$/, 'duplicate'],
    [/^(1452|1216)$/, 'unknown-user'],
    [/^(1451|1217)$/, 'still-referenced'],
    [/^(1048|1364)$/, 'missing-value'],
    [/^(1406|1153)$/, 'too-long'],
    [/^(1264|1265|1267|1270|1271|1292|1300|1366|1411|3140|3819|3854|3988|4025)$/, 'invalid'],
    // A deadlock or a lock waited for in vain, on one server or between those of a cluster (Galera, Group Replication): rolled back.
    // The last are TiDB's write conflicts.
    [/^(1205|1213|3101|1180|3572|8002|8005|8022|8028|9007)$/, 'conflict', 'nothing'],
    [/^(1317|1969|3024|PROTOCOL_SEQUENCE_TIMEOUT)$/, 'timeout'],
    // No connection was given, or by a node that is not part of its cluster; the pool has none to spare.
    [/^(1040|1203|1226|1047|POOL_NONEONLINE)$|^(No connections available|Queue limit reached)\.$/, 'unreachable', 'nothing'],
    // The server ended the connection, maybe while it ran the statement.
    [/^(1053|1152|1159|1161|1927|2006|2013|4031|PROTOCOL_CONNECTION_LOST)$/, 'unreachable', 'unclear'],
    // What the app closed is no reason to try again.
    [/^(1077|2002|2003|POOL_\w+)$|^Pool is closed|connection is in closed/, 'unreachable'],
    [/^(1044|1045|1142|1143|1227)$/, 'denied'],
    [/^(1290|1792|1836)$/, 'read-only'],
    [/^(1021|1114)$/, 'full'],
    [/^(1049|1054|1146)$/, 'schema'],
    ...connectionCodes,
  ],
}

/** A column's type in its parts: `integer` and `int4` are kinds of `int`, `character` of `char`. */
const partsOf = ofColumn((column) => {
  const [, name = '', size, unsigned] = /^(int|char|\w+)\w*(?:\((\d+)\))?( unsigned)?/.exec(typeOf(column)) ?? []
  return { name, size: Number(size), unsigned: Boolean(unsigned) }
})

const integerBits: Record<string, number> = { tinyint: 8, smallint: 16, mediumint: 24, int: 32, bigint: 64, serial: 64 }
const textBits: Record<string, number> = { tinytext: 8, text: 16, mediumtext: 24 }
const exactTypes = /int$|^(serial|dec|num|float|double|real)|binary$|blob$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that mysql2 escapes
const escaped = /[\0\b\t\n\r\x1a"'\\]/
const encoder = new TextEncoder()

function bytesOf(value: unknown): SQL {
  return sql`cast(convert(${value} using utf8mb4) as binary)`
}

/**
 * Rows of several tables for one DELETE: the names of the tables, and a join of the keys that were found in them with the rows.
 *
 * The keys are found first, so that each table is read once, whether it has an index on `userId` or not. Each table is joined by way
 * of those before it: the last loses its rows last, as foreign keys that do not cascade want it.
 */
function rowsOf(all: readonly Selected[], condition: SQL): SQL {
  const keys = all.flatMap(([each]) => each.key.map((name) => [each, each.columns[name] as Column] as const))
  const found = (index: number) => sql.raw(`auth_adapter_${index}`)
  const selects = all.map(([each, key]) => {
    const fields = keys.map(([owner, column], index) => sql`${owner === each ? column : sql`null`} as ${found(index)}`)
    return sql`select ${sql.join(fields, sql`, `)} from ${each.table} where ${each.having(key)}${condition}`
  })
  const joins = all.map(([each, key], index) => {
    const same = keys.flatMap(([owner, column], index) => (owner === each ? eq(column, found(index)) : []))
    const isAfter = all.slice(0, index).map(([{ columns }]) => sql`${columns.userId} is null`)
    return sql` left join ${each.table} on ${and(...same, each.having(key), ...isAfter)}`
  })
  // Drizzle tells its cache of the tables that stand in the outermost part.
  const names = all.flatMap(([{ table }], index) => (index > 0 ? [sql`, `, table] : [table]))
  return sql.join([...names, sql` using (${sql.join(selects, sql` union all `)}) auth_adapter`, ...joins])
}

function hexOf(text: string): string {
  // Two digits for each byte.
  return Array.from(encoder.encode(text), (byte) => (256 + byte).toString(16).slice(1)).join('')
}

function textMisfit(type: string, size: number, sent: string | ArrayBufferView): FailureKind | undefined {
  const limit = /(char|binary)$/.test(type) ? size : 2 ** (textBits[type] ?? 32) - 1
  if (typeof sent !== 'string') return sent.byteLength > limit ? 'too-long' : undefined
  // A character is at most three bytes for each of its UTF-16 units: most texts need not be measured.
  // The length of char and varchar counts characters, that of all others bytes.
  if (sent.length * 3 > limit && (type.endsWith('char') ? [...sent] : encoder.encode(sent)).length > limit) return 'too-long'
  return type === 'char' && sent.endsWith(' ') ? 'invalid' : undefined
}

// A timestamp counts seconds in 31 bits. The others hold the years that need no sign.
function isInRange(type: string, date: Date): boolean {
  const seconds = date.getTime() / 1000
  return type === 'timestamp' ? seconds >= 1 && seconds < 2 ** 31 : /^\d/.test(date.toJSON())
}

// A key that the database would make up, such as `uuid()`, must be known to find the new row by.
async function defaultKey(table: TableStatements, values: Values): Promise<Values> {
  const made: Values = {}
  for (const name of table.key) {
    const column = table.columns[name] as Column
    const expression = name in values ? values[name] : column.default
    if (!isSql(expression)) continue
    const value = sql`${expression}`.mapWith(column)
    const rows = await table.run((db) => db.select({ value }).from(sql`(select 1) as one`).$withCache(false))
    made[name] = (rows as [Row])[0].value
  }
  return made
}

/** The new row, where it is these very values: the database adds none, and changes none on their way in. */
function knownRow(table: TableStatements, values: Values): Row | undefined {
  const row: Row = {}
  for (const [name, column] of Object.entries(table.columns)) {
    const value = name in values ? values[name] : null
    if (!(name in values) && (column.hasDefault || column.notNull || column.generated)) return undefined
    if (!isKept(column, value)) return undefined
    row[name] = value instanceof Date ? new Date(value) : value
  }
  return row
}

function isKept(column: Column, value: unknown): boolean {
  const { name, size } = partsOf(column)
  if (value === null) return true
  if (value instanceof Date) return /^(datetime|timestamp)$/.test(name) && (size >= 3 || value.getMilliseconds() === 0)
  if (typeof value === 'string') return /^var|text$/.test(name) && column.mapFromDriverValue(column.mapToDriverValue(value)) === value
  if (typeof value === 'boolean') return dataOf(column) === 'boolean'
  return dataOf(column) === 'number' && name in integerBits && Number.isInteger(value) && !Object.is(value, -0)
}

// mysql2 answers `[header]`; PlanetScale and TiDB answer an object with other names, Bun an empty array that has them.
function headerOf(result: unknown): { affectedRows: number; insertId: unknown } {
  const header = (Array.isArray(result) ? (result[0] ?? result) : result) as Record<string, unknown>
  return {
    affectedRows: Number(header.affectedRows ?? header.rowsAffected ?? 0),
    insertId: header.insertId ?? header.lastInsertId ?? header.lastInsertRowid,
  }
}
