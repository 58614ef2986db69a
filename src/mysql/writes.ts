import type { Where } from '../query/conditions.js'
import { join, whereEqual } from '../query/conditions.js'
import { pause } from '../query/connection.js'
import type { Dialect } from '../query/dialect.js'
import type { Row, Values } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { isTransaction } from '../query/internals.js'
import { isSql } from '../query/kinds.js'
import type { Build } from '../query/statements.js'
import type { StoredTable } from '../query/stored-table.js'
import { rethrowWritten } from '../query/stored-table.js'

/** MySQL's writes return no rows, so these are read before or after. */
export const writes: Pick<Dialect, 'insert' | 'updateOne' | 'deleteOne' | 'deleteFirst'> = {
  async insert(table, given) {
    const values = { ...given, ...(await defaultKey(table, given)) }
    const { insertId } = headerOf(await table.insert(values))
    if (typeof insertId === 'number' && !Number.isSafeInteger(insertId))
      throw new Failure('garbled', { hint: table.definition.dialect.driverHints.integers, isWritten: true })
    const key = Object.fromEntries(table.key.map((name) => [name, values[name] ?? insertId]))
    const row = await readWritten(table, key)
    if (!row) throw new Failure('not-found', { table: table.name, hint: 'the new row cannot be found by its key', isWritten: true })
    return row
  },

  async updateOne(table, where, values) {
    const unique = table.uniqueKeyIn(where)
    // A row whose key becomes null, or an expression, cannot be read back by that key.
    if (unique?.every((name) => values[name] !== null && !isSql(values[name]))) {
      const key = Object.fromEntries(unique.map((name) => [name, where.required[name]]))
      return (await updateWithKey(table, where, key, values)) ?? null
    }
    return readThenWrite(table, where, (_row, key) =>
      updateWithKey(table, join('and', [whereEqual(key, table.definition), where]), key, values),
    )
  },

  // Many callers can read the row. Only the one whose DELETE removed it returns it.
  deleteOne: (table, where) =>
    readThenWrite(table, where, async (row, key) => {
      const isRow = table.uniqueKeyIn(where) ? where : join('and', [whereEqual(key, table.definition), where])
      return (await table.delete(isRow)).count > 0 ? row : undefined
    }),

  async deleteFirst(table, where, { orderBy, limit }) {
    const build: Build = (db, bind) => db.delete(table.drizzleTable).where(where.toSql(bind)).orderBy(table.column(orderBy)).limit(limit)
    return headerOf(await table.run('delete', build, where.values)).affectedRows
  },
}

// mysql2 returns `[header]`. PlanetScale and TiDB return an object with other names, Bun an empty array that has them.
export function headerOf(result: unknown): { affectedRows: number; matchedRows: number | undefined; insertId: unknown } {
  const header = (Array.isArray(result) ? (result[0] ?? result) : result) as Record<string, unknown>
  // The server's message after an UPDATE, in its own language, which mysql2 returns: `Rows matched: 1  Changed: 0  Warnings: 0`.
  const matched = /\d+/.exec(String(header.info ?? ''))?.[0]
  return {
    affectedRows: Number(header.affectedRows ?? header.rowsAffected ?? 0),
    matchedRows: matched === undefined ? undefined : Number(matched),
    insertId: header.insertId ?? header.lastInsertId ?? header.lastInsertRowid,
  }
}

/** Writes to the first row that satisfies the condition. `write` returns `undefined` if another caller was faster: the next one is tried. */
async function readThenWrite(
  table: StoredTable,
  where: Where,
  write: (row: Row, key: Values) => Promise<Row | null | undefined>,
): Promise<Row | null> {
  // After 200 lost races, something else probably suppresses the write.
  for (let tries = 0; tries < 200; tries++) {
    const [row] = await table.list(where, { limit: 1, forUpdate: true })
    if (!row) return null
    const keyOf = (name: string) => table.definition.of(name).encodeKey(row[name]) ?? table.definition.of(name).reject('garbled')
    const written = await write(row, Object.fromEntries(table.key.map((name) => [name, keyOf(name)])))
    if (written !== undefined) return written
    await pause(Math.random() * Math.min(20, 2 ** tries))
  }
  throw new Failure('conflict', { table: table.name, hint: 'no row was written although some match the condition' })
}

/** Updates the row with this key. `undefined` if no row was updated, so that the next one may be tried, `null` if it was deleted since. */
async function updateWithKey(table: StoredTable, where: Where, key: Values, values: Values): Promise<Row | null | undefined> {
  const isConstant = !Object.values(values).some(isSql)
  for (let tries = 1; ; tries++) {
    const { count, result } = await table.update(where, values)
    if (count > 0) break
    if (headerOf(result).matchedRows === 0) return undefined
    // The server may not count a row that has these values already. A row that appeared only after the UPDATE is counted by the next one.
    const [row] = isConstant ? await table.list(where, { forUpdate: true }) : []
    if (!row || tries === 2) return row
  }
  const changed = Object.keys(key).filter((name) => name in values)
  return readWritten(table, { ...key, ...Object.fromEntries(changed.map((name) => [name, values[name]])) })
}

/** Reads a row that was just written. `null` if it has been deleted since. A failure says that the write has happened. */
async function readWritten(table: StoredTable, key: Values): Promise<Row | null> {
  const [row] = await table.list(whereEqual(key, table.definition), { forUpdate: true }).catch((failure) => {
    // With its connection, a transaction has lost what it wrote.
    const isLost = failure instanceof Failure && /^(unreachable|conflict)$/.test(failure.kind)
    if (isLost && isTransaction(table.connection.current())) throw failure
    return rethrowWritten(failure)
  })
  return row ?? null
}

// A key that the database would generate, such as `uuid()`, must be known to find the new row.
async function defaultKey(table: StoredTable, values: Values): Promise<Values> {
  const generated: Values = {}
  for (const name of table.key) {
    const expression = name in values ? values[name] : table.column(name).default
    if (!isSql(expression)) continue
    const [[value]] = (await table.select({ value: sql`${expression}` }, (query) => query.from(sql`(select 1) as one`))) as [[unknown]]
    generated[name] = value
  }
  return generated
}
