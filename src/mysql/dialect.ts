import type { Column, SQL } from 'drizzle-orm'
import { isDecimal, isInteger, isSql, isTime, sizesOf, typeOf } from '../query/columns.js'
import type { Where } from '../query/conditions.js'
import { join } from '../query/conditions.js'
import { deleteInTransaction, deleteOfMissingUser, deleteTogether } from '../query/delete-user.js'
import type { Dialect, Selection } from '../query/dialect.js'
import type { Database, Query, Row, Values } from '../query/drizzle.js'
import { getTableName, sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { toFailure } from '../query/failures.js'
import { schemaOf } from '../query/internals.js'
import { decimalDigits } from '../query/limits.js'
import { untilWritten } from '../query/returning.js'
import type { FailedStatement } from '../query/statement-dialect.js'
import type { StoredTable } from '../query/stored-table.js'
import { rethrowWritten } from '../query/stored-table.js'
import { failures } from './failures.js'
import { settingsCheck } from './settings.js'

const textBytes: Record<string, number> = { tinytext: 2 ** 8 - 1, text: 2 ** 16 - 1, mediumtext: 2 ** 24 - 1 }

// ER_CANT_AGGREGATE_2COLLATIONS, _3COLLATIONS, _NCOLLATIONS, ER_INVALID_CHARACTER_STRING, ER_CANNOT_CONVERT_STRING,
// ER_IMPOSSIBLE_STRING_CONVERSION: a text has no form in the character set of the column.
const characterSetCodes = /^(1267|1270|1271|1300|3854|3988)$/

export const mysql: Dialect = {
  name: 'mysql',
  failures,
  integerHint: "set supportBigNumbers: true in mysql2, or use mode: 'bigint' for this column",
  countWritten: (result) => headerOf(result).affectedRows,
  checkSettings: settingsCheck,

  limits: {
    storesNul: true,
    defaultScale: 0,
    lengthOf(column) {
      const [type = ''] = /^\w+/.exec(typeOf(column)) ?? []
      if (/^(n?(var)?char|character)$/.test(type)) return { characters: sizesOf(column)[0] ?? 1 }
      return textBytes[type] === undefined ? undefined : { bytes: textBytes[type] }
    },
    // A float of 32 bits is compared with 64.
    asStored(column) {
      const [size = 0, scale] = sizesOf(column)
      const isSingle = /^float\b/.test(typeOf(column)) && (size < 25 || scale !== undefined)
      const toSingle = (sent: unknown) => (typeof sent === 'number' && Math.abs(sent) < 3.4e38 ? Math.fround(sent) : sent)
      return isSingle ? toSingle : undefined
    },
    alters(column) {
      const isNumber = isInteger(column) || isDecimal(column)
      const isOfTime = isTime(column)
      const binaryLength = /^binary\b/.test(typeOf(column)) ? (sizesOf(column)[0] ?? 1) : 0
      return (sent) => {
        // mysql2 expands arrays and objects into SQL.
        if (Object(sent) === sent && !(sent instanceof Date || sent instanceof Uint8Array)) return true
        // In a comparison, text that is no number or time would be 0.
        if (typeof sent === 'string' && (isNumber ? !decimalDigits.test(sent) : isOfTime && !/^-?\d[\d:. TZ+-]*$/.test(sent))) return true
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

  exactForm(column) {
    if (isInteger(column) || /^(var)?binary\b|^\w*blob\b/.test(typeOf(column))) return undefined
    if (isDecimal(column)) return (value) => decimalOf(value, column)
    return (value) => bytesOf(value, false)
  },
  bytesOf,

  hasText: {
    contains: (text, part) => sql`locate(${part}, ${text}) > 0`,
    startsWith: (text, part) => sql`left(${text}, length(${part})) = ${part}`,
    endsWith: (text, part) => sql`right(${text}, length(${part})) = ${part}`,
  },

  json: { toText: (column) => sql`cast(${column} as char)`, fromText: (text) => text },

  // A view can fail with any code, for one row or for all, even while a statement is planned. So the value is compared with columns that
  // have no rows, if these can be read without it. The limit keeps the database from moving the comparison into the view.
  async isImpossible(table, required, { details }) {
    const names = Object.keys(required)
    const key = (name: string) => sql.identifier(`key_${names.indexOf(name)}`)
    const columns = names.map((name) => sql`${table.columns[name]} as ${key(name)}`)
    const noRows = sql`(select ${sql.join(columns, sql`, `)} from ${table.drizzleTable} limit 0) as no_rows`
    const comparisons = names.map((name) => sql`${key(name)} = ${table.codec.of(name).toParameter(required[name])}`)
    const failureOf = async (value: SQL, from: SQL, where?: SQL) => {
      try {
        await table.select({ value }, (query) => query.from(from).where(where))
      } catch (failure) {
        return failure
      }
    }
    // Any other failure leaves the question open, such as one in a transaction that is aborted by now.
    const isInvalid = (failure: unknown) => failure instanceof Failure && failure.kind === 'invalid'
    for (const value of Object.values(required).filter(isSql)) if (isInvalid(await failureOf(value, sql`(select 1) as one`))) return true
    if (!characterSetCodes.test(details.code ?? '') || (await failureOf(sql`1`, noRows))) return false
    return isInvalid(await failureOf(sql`1`, noRows, sql.join(comparisons, sql` and `)))
  },

  isUnjoinable: ({ details }) => details.code === '1267',

  async insert(table, given) {
    const values = { ...given, ...(await defaultKey(table, given)) }
    const { insertId } = headerOf(await table.insert(values))
    if (typeof insertId === 'number' && !Number.isSafeInteger(insertId))
      throw new Failure('garbled', { hint: mysql.integerHint, isWritten: true })
    const key = Object.fromEntries(table.key.map((name) => [name, values[name] ?? insertId]))
    return (await readWritten(table, key)) ?? failUnread(table)
  },

  async updateOne(table, where, values) {
    const unique = table.uniqueKeyIn(where)
    // A row whose key becomes null, or an expression, cannot be read back by that key.
    if (unique?.every((name) => values[name] !== null && !isSql(values[name]))) {
      const key = Object.fromEntries(unique.map((name) => [name, where.required[name]]))
      return (await updateWithKey(table, where, key, values)) ?? null
    }
    return writeFirstMatch(table, where, (_row, key) => updateWithKey(table, andKey(table, where, key), key, values))
  },

  // Many may read the row; only the one whose DELETE removed it may keep it.
  deleteOne: (table, where) =>
    writeFirstMatch(table, where, async (row, key) => {
      const { count } = await table.delete(table.uniqueKeyIn(where) ? where : andKey(table, where, key))
      return count > 0 ? row : undefined
    }),

  async deleteFirst(table, where, { orderBy, limit }) {
    const build = (db: Database) =>
      db
        .delete(table.drizzleTable)
        .where(where.withValues())
        .orderBy(table.columns[orderBy] as Column)
        .limit(limit)
    return headerOf(await table.run('delete', build)).affectedRows
  },

  async deleteUser(user, belongings) {
    const { table, where } = user
    const [row] = await table.list(where, { forUpdate: true })
    if (!row) return deleteOfMissingUser(user, belongings)
    try {
      const result = await deleteTogether(user, belongings, (db, conditions) => deleteWithBelongings(db, user, belongings, conditions))
      return headerOf(result).affectedRows > 0 ? row : null
    } catch (failure) {
      // Some triggers, and sql_safe_updates on MariaDB, do not allow such a statement. It did nothing.
      if (!(failure instanceof Failure && /^(1442|1175)$/.test(failure.details.code ?? ''))) throw failure
      return (await deleteInTransaction(user, belongings, async (query) => headerOf(await query.execute()).affectedRows)) ? row : null
    }
  },
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

// mysql2 returns `[header]`. PlanetScale and TiDB return an object with other names, Bun an empty array that has them.
function headerOf(result: unknown): { affectedRows: number; insertId: unknown } {
  const header = (Array.isArray(result) ? (result[0] ?? result) : result) as Record<string, unknown>
  return {
    affectedRows: Number(header.affectedRows ?? header.rowsAffected ?? 0),
    insertId: header.insertId ?? header.lastInsertId ?? header.lastInsertRowid,
  }
}

/** The length of a value as mysql2 sends it: quotes, backslashes and control characters get a backslash. */
function lengthOf(value: unknown): number {
  // Bytes are sent in hexadecimal digits.
  if (value instanceof Uint8Array) return 2 * value.length
  const text = String(value)
  return new TextEncoder().encode(text).length + text.split(/[\p{Cc}"'\\]/u).length - 1
}

/** The server closes the connection if a statement is longer than max_allowed_packet. */
async function failIfTooLong(error: unknown, { db, values }: FailedStatement): Promise<never> {
  const length = values.reduce<number>((sum, value) => sum + lengthOf(value), 0)
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

/** The condition for one of its rows. */
function andKey(table: StoredTable, where: Where, key: Values): Where {
  return join('and', [table.whereEqual(key), where])
}

/**
 * Writes to the first row that satisfies the condition. If another caller was faster, the next one is tried.
 *
 * @param write Gets a row and its key. Returns `undefined` if another caller was faster.
 */
function writeFirstMatch(
  table: StoredTable,
  where: Where,
  write: (row: Row, key: Values) => Promise<Row | null | undefined>,
): Promise<Row | null> {
  return untilWritten(table, async () => {
    const [row] = await table.list(where, { limit: 1, forUpdate: true })
    if (!row) return null
    const keyOf = (name: string) => {
      const codec = table.codec.of(name)
      return codec.toKey(row[name]) ?? codec.reject('garbled', 'the database holds a key that the definition of the table does not allow')
    }
    return write(row, Object.fromEntries(table.key.map((name) => [name, keyOf(name)])))
  })
}

/** Updates the row that satisfies the condition and has this key. `undefined` if there is none, `null` if it was deleted after the update. */
async function updateWithKey(table: StoredTable, where: Where, key: Values, values: Values): Promise<Row | null | undefined> {
  // The server may not count a row that has these values already. Then it still satisfies the condition.
  if ((await table.update(where, values)).count === 0) return (await table.list(where, { forUpdate: true }))[0]
  const changed = Object.keys(key).filter((name) => name in values)
  return readWritten(table, { ...key, ...Object.fromEntries(changed.map((name) => [name, values[name]])) })
}

/** Reads a row that was just written. `null` if it has been deleted since. A failure says that the write has happened. */
async function readWritten(table: StoredTable, key: Values): Promise<Row | null> {
  const [row] = await table.list(table.whereEqual(key), { forUpdate: true }).catch(rethrowWritten)
  return row ?? null
}

function failUnread(table: StoredTable): never {
  const hint = 'the new row cannot be found by its key, perhaps because a trigger has changed it'
  throw new Failure('not-found', { table: getTableName(table.drizzleTable), hint, isWritten: true })
}

/**
 * A DELETE that removes a user and what belongs to it. Each table is joined to a row of its own, so that the rows of one are not combined
 * with those of another. InnoDB checks foreign keys row by row, and deletes rows in the order of the join: what belongs to the user comes
 * first, and `straight_join` keeps the user last.
 */
function deleteWithBelongings(
  db: Database,
  { table: { drizzleTable: users } }: Selection,
  belongings: readonly Selection[],
  [isUser, ...areOwned]: readonly (SQL | undefined)[],
): Query {
  const names = belongings.flatMap(({ table }) => [table.drizzleTable, sql`, `])
  // There may be no belongings: an id can be longer than any `userId`.
  const parts = sql.join(
    Array.from({ length: belongings.length || 1 }, (_, part) => sql.raw(`select ${part} as auth_part`)),
    sql` union all `,
  )
  const joins = belongings.map(
    ({ table }, part) => sql` left join ${table.drizzleTable} on auth_part = ${sql.raw(`${part}`)} and ${areOwned[part]}`,
  )
  // Drizzle tells its cache of tables that are direct parts of the statement.
  return db.delete(sql.join([...names, users, sql` using (${parts}) as auth_parts`, ...joins, sql` straight_join ${users} on ${isUser}`]))
}

// A key that the database would generate, such as `uuid()`, must be known to find the new row.
async function defaultKey(table: StoredTable, values: Values): Promise<Values> {
  const generated: Values = {}
  for (const name of table.key) {
    const expression = name in values ? values[name] : (table.columns[name] as Column).default
    if (!isSql(expression)) continue
    const [[value]] = (await table.select({ value: sql`${expression}` }, (query) => query.from(sql`(select 1) as one`))) as [[unknown]]
    generated[name] = value
  }
  return generated
}
