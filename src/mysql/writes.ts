import { isSql } from '../query/columns.js'
import type { Where } from '../query/conditions.js'
import { join } from '../query/conditions.js'
import type { Dialect } from '../query/dialect.js'
import type { Database, Row, Values } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { isTransaction } from '../query/internals.js'
import { untilWritten } from '../query/races.js'
import type { StoredTable } from '../query/stored-table.js'
import { rethrowWritten } from '../query/stored-table.js'

/** MySQL's writes return no rows, so these are read before or after. */
export const writes: Pick<Dialect, 'insert' | 'updateOne' | 'deleteOne' | 'deleteFirst'> = {
  async insert(table, given) {
    const values = { ...given, ...(await defaultKey(table, given)) }
    const { insertId } = headerOf(await table.insert(values))
    if (typeof insertId === 'number' && !Number.isSafeInteger(insertId))
      throw new Failure('garbled', { hint: table.dialect.integerHint, isWritten: true })
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
    return readThenWrite(table, where, (_row, key) => updateWithKey(table, andKey(table, where, key), key, values))
  },

  // Many may read the row; only the one whose DELETE removed it may keep it.
  deleteOne: (table, where) =>
    readThenWrite(table, where, async (row, key) => {
      const { count } = await table.delete(table.uniqueKeyIn(where) ? where : andKey(table, where, key))
      return count > 0 ? row : undefined
    }),

  async deleteFirst(table, where, { orderBy, limit }) {
    const build = (db: Database) => db.delete(table.drizzleTable).where(where.withValues()).orderBy(table.column(orderBy)).limit(limit)
    return headerOf(await table.run('delete', build)).affectedRows
  },
}

// mysql2 returns `[header]`. PlanetScale and TiDB return an object with other names, Bun an empty array that has them.
export function headerOf(result: unknown): { affectedRows: number; matchedRows: number | undefined; insertId: unknown } {
  const header = (Array.isArray(result) ? (result[0] ?? result) : result) as Record<string, unknown>
  // What the server says after an UPDATE, in its own language: `Rows matched: 1  Changed: 0  Warnings: 0`. mysql2 passes it on.
  const matched = /\d+/.exec(String(header.info ?? ''))?.[0]
  return {
    affectedRows: Number(header.affectedRows ?? header.rowsAffected ?? 0),
    matchedRows: matched === undefined ? undefined : Number(matched),
    insertId: header.insertId ?? header.lastInsertId ?? header.lastInsertRowid,
  }
}

/** The condition for one of its rows. */
function andKey(table: StoredTable, where: Where, key: Values): Where {
  return join('and', [table.whereEqual(key), where])
}

/**
 * Writes to the first row that satisfies the condition. If another caller was faster, the next one is tried.
 *
 * @param write Gets a row and its key. Returns `undefined` if another caller was faster.
 */
function readThenWrite(
  table: StoredTable,
  where: Where,
  write: (row: Row, key: Values) => Promise<Row | null | undefined>,
): Promise<Row | null> {
  return untilWritten(table, where, async () => {
    const [row] = await table.list(where, { limit: 1, forUpdate: true })
    if (!row) return null
    const keyOf = (name: string) => {
      const codec = table.definition.of(name)
      return codec.toKey(row[name]) ?? codec.reject('garbled', 'the database holds a key that the definition of the table does not allow')
    }
    return write(row, Object.fromEntries(table.key.map((name) => [name, keyOf(name)])))
  })
}

/**
 * Updates the row that satisfies the condition and has this key. `undefined`: nothing was updated, so the next row may be tried. `null`: it was
 * updated, then somebody deleted it.
 */
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
  const [row] = await table.list(table.whereEqual(key), { forUpdate: true }).catch((failure) => {
    // With its connection, a transaction has lost what it wrote.
    const isUndone = isTransaction(table.db) && failure instanceof Failure && /^(unreachable|conflict)$/.test(failure.kind)
    if (isUndone) throw failure
    return rethrowWritten(failure)
  })
  return row ?? null
}

function failUnread(table: StoredTable): never {
  const hint = 'the new row cannot be found by its key, perhaps because a trigger has changed it'
  throw new Failure('not-found', { table: table.name, hint, isWritten: true })
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
