import type { Column, SQL } from 'drizzle-orm'
import { isInteger, isSql, sizesOf, typeOf } from '../query/columns.js'
import type { Condition } from '../query/conditions.js'
import { equal } from '../query/conditions.js'
import type { Dialect, JoinedRow, RowDialect, Selection, SqlDialect, Statements } from '../query/dialect.js'
import type { Database, Query, Row, Values } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { removeInTransaction, removeOrphans } from '../query/remove-user.js'
import { withWritten } from '../query/statements.js'
import { failures } from './failures.js'
import { settingsCheck } from './settings.js'

const textBytes: Record<string, number> = { tinytext: 2 ** 8 - 1, text: 2 ** 16 - 1, mediumtext: 2 ** 24 - 1 }

const mysqlSql: SqlDialect = {
  failures,
  integerHint: "set supportBigNumbers: true in mysql2, or use mode: 'bigint' for this column",
  withReturning: (query) => query,

  storage: {
    storesNul: true,
    defaultScale: 0,
    lengthOf(column) {
      const [type = ''] = /^\w+/.exec(typeOf(column)) ?? []
      if (/^(n?(var)?char|character)$/.test(type)) return { characters: sizesOf(column)[0] ?? 1 }
      return textBytes[type] === undefined ? undefined : { bytes: textBytes[type] }
    },
    // mysql2 expands arrays and objects into SQL. The database fills a binary(n) with NUL.
    isChanged(column, sent) {
      if (Object(sent) === sent && !(sent instanceof Date || sent instanceof Uint8Array)) return true
      if (!/^binary\b/.test(typeOf(column))) return false
      const { length } = sent instanceof Uint8Array ? sent : new TextEncoder().encode(`${sent}`)
      return length < (sizesOf(column)[0] ?? 1)
    },
  },

  prepare(query) {
    const prepared = query.prepare()
    return (parameters) => prepared.execute(parameters)
  },
  runOnce: (query) => query.execute(),

  exactForm(column) {
    if (isInteger(column) || /^(var)?binary\b|^\w*blob\b/.test(typeOf(column))) return undefined
    return (value) => bytesOf(value, false)
  },
  bytesOf,

  hasText(text, place, part) {
    if (place === 'contains') return sql`locate(${part}, ${text}) > 0`
    return sql`${sql.raw(place === 'startsWith' ? 'left' : 'right')}(${text}, length(${part})) = ${part}`
  },
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

/** The key of a row, as it is sent. */
function keyOf(table: Statements, row: Row): Values {
  return Object.fromEntries(table.key.map((name) => [name, table.columns[name]?.mapToDriverValue(row[name])]))
}

/**
 * Writes to the first row that satisfies the condition. If another caller was faster, the next one is tried.
 *
 * @param write Returns the row, or `undefined` if another caller was faster.
 */
async function untilNoneMatches(
  table: Statements,
  where: Condition,
  write: (row: Row) => Promise<Row | null | undefined>,
): Promise<Row | null> {
  for (;;) {
    const [row] = await table.list(where, { limit: 1, forUpdate: true })
    const written = row ? await write(row) : null
    if (written !== undefined) return written
  }
}

/** Reads a row that was just written. `null` if it has been deleted since. A failure says that the write has happened. */
async function readWritten(table: Statements, where: Condition): Promise<Row | null> {
  const [row] = await withWritten(() => table.list(where, { forUpdate: true }))
  return row ?? null
}

const rows: RowDialect = {
  async insert(table, given) {
    const values = { ...given, ...(await defaultKey(table, given)) }
    const { insertId } = headerOf(await table.insert(values))
    if (typeof insertId === 'number' && !Number.isSafeInteger(insertId))
      throw new Failure('garbled', { hint: mysqlSql.integerHint, isWritten: true })
    return readWritten(table, equal(Object.fromEntries(table.key.map((name) => [name, values[name] ?? insertId]))))
  },

  async update(table, where, values) {
    const { affectedRows } = headerOf(await table.update(where, values))
    return affectedRows > 0 ? readWritten(table, where) : ((await table.list(where, { forUpdate: true }))[0] ?? null)
  },

  // The server may not count a row that has these values already.
  change: async (table, where, values) =>
    headerOf(await table.update(where, values)).affectedRows > 0 || (await table.list(where, { forUpdate: true })).length > 0,

  // Many may read the row; only the one whose DELETE removed it may keep it.
  async remove(table, where) {
    const [row] = await table.list(where)
    if (!row) return null
    return headerOf(await table.delete(where)).affectedRows > 0 ? row : null
  },

  updateOne: (table, where, values) =>
    untilNoneMatches(table, where, async (row) => {
      const key = keyOf(table, row)
      const { affectedRows } = headerOf(await table.update({ and: [equal(key), where] }, values))
      // The server may not count a row that has these values already. Then it still satisfies the condition.
      if (affectedRows === 0) return (await table.list({ and: [equal(key), where] }, { forUpdate: true }))[0]
      for (const name of table.key) if (name in values) key[name] = values[name]
      return readWritten(table, equal(key))
    }),

  updateAll: async (table, where, values) => headerOf(await table.update(where, values)).affectedRows,

  removeOne: (table, where) =>
    untilNoneMatches(table, where, async (row) => {
      const { affectedRows } = headerOf(await table.delete({ and: [equal(keyOf(table, row)), where] }))
      return affectedRows > 0 ? row : undefined
    }),

  removeAll: async (table, where) =>
    headerOf(await table.run('delete', () => table.db.delete(table.table).where(table.matches(where)), false)).affectedRows,

  async removeSome(table, where, orderBy, limit) {
    const build = () =>
      table.db
        .delete(table.table)
        .where(table.matches(where))
        .orderBy(table.columns[orderBy] as Column)
        .limit(limit)
    return headerOf(await table.run('delete', build, false)).affectedRows
  },

  async removeUser(user, belongings) {
    const { statements: users, where } = user
    const [row] = await users.list(where)
    if (!row) return removeOrphans(user, belongings)
    try {
      const result = await users.run('delete', () => deleteWithBelongings(users.db, user, belongings), false)
      return headerOf(result).affectedRows > 0 ? row : null
    } catch (failure) {
      // Some triggers, and sql_safe_updates on MariaDB, do not allow such a statement. It did nothing.
      if (!(failure instanceof Failure && /^(1442|1175)$/.test(failure.details.code ?? ''))) throw failure
      return (await removeInTransaction(user, belongings, async (query) => headerOf(await query.execute()).affectedRows)) ? row : null
    }
  },

  async selectWith(table, key, other, { from, to }) {
    try {
      return await table.findWith(key, other, { from, to })
    } catch (failure) {
      // Columns of different collations cannot be joined. Each table can be asked by itself.
      if (!(failure instanceof Failure && failure.details.code === '1267')) throw failure
      const joined: JoinedRow[] = []
      for (const row of await table.find(key)) {
        const referred = other.columns[to]?.mapToDriverValue(row[from])
        for (const each of await other.find({ [to]: referred })) joined.push({ row, other: each })
      }
      return joined
    }
  },
}

/**
 * A DELETE that removes a user and what belongs to it. Each table is joined to a row of its own, so that the rows of one are not combined
 * with those of another. InnoDB checks foreign keys row by row, and deletes rows in the order of the join: what belongs to the user comes
 * first, and `straight_join` keeps the user last.
 */
function deleteWithBelongings(db: Database, { statements: users, where }: Selection, belongings: readonly Selection[]): Query {
  const names = belongings.flatMap(({ statements }) => [statements.table, sql`, `])
  const parts = sql.join(
    belongings.map((_, part) => sql.raw(`select ${part} as auth_part`)),
    sql` union all `,
  )
  const joins = belongings.map(
    ({ statements: { table, matches }, where: owned }, part) =>
      sql` left join ${table} on auth_part = ${sql.raw(`${part}`)} and ${matches(owned)}`,
  )
  const user = sql` straight_join ${users.table} on ${users.matches(where)}`
  // Drizzle tells its cache of tables that are direct parts of the statement.
  return db.delete(sql.join([...names, users.table, sql` using (${parts}) as auth_parts`, ...joins, user]))
}

// A key that the database would generate, such as `uuid()`, must be known to find the new row.
async function defaultKey(table: Statements, values: Values): Promise<Values> {
  const generated: Values = {}
  for (const name of table.key) {
    const expression = name in values ? values[name] : (table.columns[name] as Column).default
    if (!isSql(expression)) continue
    const rows = await table.run('read', () =>
      table.db
        .select({ value: sql`${expression}` })
        .from(sql`(select 1) as one`)
        .$withCache(false),
    )
    generated[name] = (rows as [Row])[0].value
  }
  return generated
}

export const mysql: Dialect = { name: 'mysql', sql: mysqlSql, rows, checkSettings: settingsCheck }
