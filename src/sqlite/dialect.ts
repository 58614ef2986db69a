import type { Column, SQL } from 'drizzle-orm'
import { dataOf, isNumber, typeOf } from '../query/columns.js'
import { isTransaction, kindOf } from '../query/detection.js'
import type { Dialect, Run, Selection, SqlDialect, TableStatements, Values, Writes } from '../query/dialect.js'
import { rejectByteOrderMarks } from '../query/dialect.js'
import type { Awaitable, Database, Query } from '../query/drizzle.js'
import { and, eq, getTableName, sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import type { FailureCodes } from '../query/failures.js'
import { connectionCodes } from '../query/failures.js'
import { firstOf, removeUserInTurn, returningWrites, withReturning } from '../query/returning.js'
import { committing, executeTogether, isLibsqlFile } from './libsql.js'

const integerHint =
  "have the driver return 64-bit integers exactly: defaultSafeIntegers in better-sqlite3, intMode: 'bigint' in libSQL, readBigInts in node:sqlite"

const codes: FailureCodes = [
  [/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)$|UNIQUE constraint failed/, 'duplicate'],
  [/^SQLITE_CONSTRAINT_FOREIGNKEY$|FOREIGN KEY constraint failed/, 'unknown-user'],
  [/^SQLITE_CONSTRAINT_NOTNULL$|NOT NULL constraint failed/, 'missing-value'],
  [/^SQLITE_CONSTRAINT_(CHECK|DATATYPE)$|^SQLITE_MISMATCH$|CHECK constraint failed|datatype mismatch/, 'invalid'],
  [/^SQLITE_TOOBIG$|string or blob too big/, 'too-long'],
  // Another connection writes: a statement that finds so, even at its end, is rolled back.
  [/^SQLITE_(BUSY|LOCKED)\w*$|database (table )?is locked|SQL statements in progress|^TRANSACTION_ACTIVE$/, 'conflict', 'always'],
  [/^SQLITE_(CANTOPEN|IOERR|NOTADB)\w*$|unable to open database|(connection|database) is not open/, 'unreachable'],
  [/^SQLITE_READONLY\w*$|readonly database/, 'read-only'],
  [/^SQLITE_FULL$|database or disk is full/, 'full'],
  [/^SQLITE_(AUTH|PERM)$/, 'denied'],
  [/^SQLITE_INTERRUPT$/, 'timeout'],
  [/no such (table|column)|has no column named/, 'schema'],
  // libSQL, and node:sqlite.
  [
    /cannot be safely represented as a JavaScript number|too large to be represented as a JavaScript number/,
    'garbled',
    undefined,
    integerHint,
  ],
  // rqlite: before it accepted the statement, and after.
  [/^(leader not found|not leader)$|on remote node at .*: connection refused$/, 'unreachable', 'always'],
  [/leadership lost|on remote node at /, 'unreachable', 'reads'],
  // Cloudflare D1.
  [/^(D1_ERROR: )?Network connection lost|object to be reset|reset because its code|D1 DB is overloaded/, 'unreachable', 'reads'],
  ...connectionCodes,
]

const exactTypes = /^(int|blob|real)/

function prepare(query: Query, returnsRows: boolean): Run {
  const prepared = committing(query).prepare()
  return returnsRows ? (parameters) => prepared.all(parameters) : (parameters) => prepared.run(parameters)
}

const sqliteSql: SqlDialect = {
  // 64-bit integers, and fractions of up to 15 digits, which a double holds exactly.
  decimalSpelling: () => /^-?(0|[1-9]\d{0,17}|(?=[\d.]{3,16}$)(0|[1-9]\d*)\.\d*[1-9])$/,
  failures: {
    codes,
    names: [/(?:UNIQUE|NOT NULL) constraint failed: ([^\s,]+)$/, /no such column: "?([^\s"]+)/, /has no column named "?([^\s"]+)/],
    integerHint,
  },
  withReturning,

  prepare,
  once: prepare,

  // A column may be declared with `collate nocase` or `rtrim`, or have a type that takes '1e3' for 1000. A concatenation has no collation;
  // `collate binary` would say so more plainly, but rqlite cannot parse it and then returns no rows from RETURNING.
  same: (column, value) =>
    exactTypes.test(typeOf(column)) || isNumber(column)
      ? eq(column, value)
      : (and(eq(column, value), sql`(cast(${column} as text) || '') = (cast(${value} as text) || '')`) as SQL),

  // SQLite's functions and some drivers end a text at its first NUL.
  reasonToReject: (_column, sent) => (typeof sent === 'string' && sent.includes('\0') ? 'invalid' : undefined),

  // Drivers can be set to return integers as bigint or as text. Drizzle expects numbers.
  reader(column) {
    const decode = decoders[dataOf(column)]
    return decode && { decode: (raw) => decode(toNumber(raw), column) }
  },
}

const decoders: Record<string, (value: unknown, column: Column) => unknown> = {
  number: (value) => value,
  boolean: (value) => (value === 1 ? true : value === 0 ? false : value),
  date: (value, column) =>
    new Date(typeof value === 'number' ? value * ((column as { mode?: string }).mode === 'timestamp' ? 1000 : 1) : Number.NaN),
}

function toNumber(raw: unknown): unknown {
  return typeof raw === 'bigint' || (typeof raw === 'string' && /^-?\d+$/.test(raw)) ? Number(raw) : raw
}

const writes: Writes = {
  // Not every SQLite supports DELETE with LIMIT. There is one writer at a time, so nothing need be locked.
  ...returningWrites(sql``),

  async removeUser(users, key, belongings) {
    const { db } = users
    const batch = batchOf(users, key)
    if (db.resultKind !== 'sync' && !batch) {
      await checkNotCleared(users, key, belongings)
      return removeUserInTurn(writes, users, key, belongings)
    }
    const results = batch
      ? await users.attempt('delete', () => unlessKept(() => batch(deletions(users, key, belongings, 'matches'))))
      : await users.runOnRows('removeUser', 'delete', [[users, key], ...belongings], (prepare) => {
          const runs = deletions(users, key, belongings, 'condition').map((query) => prepare(query, true))
          return (parameters) => unlessKept(() => db.transaction(() => runs.map((run) => run(parameters))))
        })
    // Without results, the user was kept without an error.
    return results ? firstOf((results as unknown[])[belongings.length]) : removeUserInTurn(writes, users, key, belongings)
  },
}

/** Deletes a user after everything that belongs to it, and fails if the user is still there: a trigger can keep it without an error. */
function deletions(users: TableStatements, key: Values, belongings: readonly Selection[], condition: 'matches' | 'condition'): Query[] {
  const { db, table } = users
  const one = { one: sql`1` }
  return [
    ...belongings.map(([each, where]) => db.delete(each.table).where(each[condition](where)).returning(one)),
    db.delete(table).where(users[condition](key)).returning(users.fields()),
    // SQLite has no statement that fails on purpose. This overflows.
    db.select({ kept: sql`abs(-9223372036854775807 - 1)` }).from(table).where(users[condition](key)),
  ]
}

/**
 * Fails if a foreign key would clear the `userId` of rows that belong to the user: nobody could find them again. A statement of its own,
 * because rqlite cannot parse it and then returns no rows from RETURNING.
 */
async function checkNotCleared(users: TableStatements, key: Values, belongings: readonly Selection[]): Promise<void> {
  const isCleared = belongings.map(([each, where]) => {
    const keys = sql`pragma_foreign_keys, pragma_foreign_key_list(${getTableName(each.table)})`
    const isClearing = sql`foreign_keys = 1 and "from" = ${each.columns.userId?.name} and on_delete like 'SET %'`
    return sql`exists (select 1 from ${each.table} where ${each.matches(where)} and exists (select 1 from ${keys} where ${isClearing}))`
  })
  const condition = sql`${users.matches(key)} and (${sql.join([sql`0`, ...isCleared], sql` or `)})`
  const one = { one: sql`1` }
  const found = await users.run('read', () => users.db.select(one).from(users.table).where(condition).$withCache(false))
  if (firstOf(found)) throw new Failure('still-referenced', { table: getTableName(users.table) })
}

async function unlessKept<T>(run: () => Awaitable<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    if (hasMessage(error, /integer overflow/)) return undefined
    throw error
  }
}

/** Whether an error, or one that it wraps, has such a message. */
function hasMessage(error: unknown, pattern: RegExp): boolean {
  return error instanceof Error && (pattern.test(error.message) || hasMessage(error.cause, pattern))
}

/** Runs queries in a transaction of their own. Absent where the driver has none that keeps concurrent statements out. */
function batchOf(users: TableStatements, key: Values): ((queries: Query[]) => Awaitable<unknown[]>) | undefined {
  const { db } = users
  if (isLibsqlFile(db))
    return async (queries) => {
      const rows = await users.select(key)
      return (await executeTogether(db, queries)).map((changed) => (changed > 0 ? rows : []))
    }
  if (/^(LibSQL|SQLiteD1)Session$/.test(String(kindOf(db.session))) && !isTransaction(db)) return (queries) => db.batch(queries)
  return undefined
}

/** sql.js drops a byte order mark. Drizzle 1.0 gives the session of node:sqlite the same name, so its client is looked at, too. */
function dropsByteOrderMark({ session }: Database): boolean {
  const client = session?.client as { getRowsModified?: unknown } | undefined
  return kindOf(session) === 'SQLJsSession' && typeof client?.getRowsModified === 'function'
}

export const sqlite: Dialect = {
  name: 'sqlite',
  sql: sqliteSql,
  writes,
  forDriver: (db) => (dropsByteOrderMark(db) ? rejectByteOrderMarks(sqliteSql) : sqliteSql),
}
