import type { SQL } from 'drizzle-orm'
import { dataOf, decimalOf, fitsBits, isInteger, isNumber, isPadded, scaleOf, typeOf } from '../query/columns.js'
import { isTransaction, kindOf } from '../query/detection.js'
import type { Dialect, Run, Selection, SqlDialect, TableStatements, Values, Writes } from '../query/dialect.js'
import { rejectByteOrderMarks } from '../query/dialect.js'
import type { Database, Query } from '../query/drizzle.js'
import { and, eq, sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import type { FailureCodes } from '../query/failures.js'
import { connectionCodes, toFailure } from '../query/failures.js'
import { firstOf, removeUserInTurn, returningWrites, withReturning } from '../query/returning.js'

const codes: FailureCodes = [
  [/^23505$/, 'duplicate'],
  [/^23503$/, 'unknown-user'],
  [/^23001$/, 'still-referenced'],
  [/^23502$/, 'missing-value'],
  [/^(22001|54000)$/, 'too-long'],
  // The guard failed, or the text was not in the connection's encoding.
  [/^(2201G|22021)$/, 'garbled', undefined, 'drivers need the client_encoding UTF8'],
  [/^22\w{3}$|^23514$/, 'invalid'],
  // Serialization failure, deadlock, lock not available: rolled back. The outcome of 40003 is unknown.
  [/^(40001|40P01|55P03)$/, 'conflict', 'always'],
  // The app's transaction failed before.
  [/^(40\w{3}|25P02)$/, 'conflict'],
  [/^(57014|25P0[34])$|^Query read timeout$/, 'timeout'],
  // There was no connection: the server is starting or has too many; the pool has none to spare.
  [
    /^(57P03|53300|0800[14]|CONNECT_TIMEOUT)$|^timeout exceeded when trying to connect$|^Connection terminated due to/,
    'unreachable',
    'always',
  ],
  // The server ended the session, possibly while the statement ran.
  [/^(57P0[125]|0800[036]|CONNECTION_CLOSED)$|^Connection terminated unexpectedly$/, 'unreachable', 'reads'],
  // A pool that the app closed is no reason to try again.
  [/^(08\w{3}|57P0\d|CONNECTION_\w+)$|^Connection terminated|pool after calling end/, 'unreachable'],
  [/^(42501|28\w{3})$/, 'denied'],
  [/^25006$/, 'read-only'],
  [/^53[12]00$/, 'full'],
  [/^(42P01|42703|3F000|3D000)$/, 'schema'],
  ...connectionCodes,
]

const failures = {
  codes,
  // A missing table or column is named in the message alone.
  names: [/^(?:column|relation) "?([^"]+)"?(?: of relation .*)? does not exist$/],
  integerHint: "use mode: 'bigint' for this column",
}

/** Types whose `=` is exact. */
const exactTypes = /^(uuid|bytea)\b/
const textTypes = /^(text|varchar|char|bpchar|citext)/
const integerBits: Record<string, number> = { smallint: 16, smallserial: 16, integer: 32, serial: 32, bigint: 64, bigserial: 64 }

const postgres: SqlDialect = {
  // Without a scale, a numeric keeps the digits that it was given.
  decimalSpelling: (column) => (typeOf(column).includes('(') ? decimalOf(scaleOf(column) ?? 0) : /^-?(0|[1-9]\d*)(\.\d+)?$/),
  failures,
  withReturning,

  // An empty name leaves naming to the driver: postgres.js follows its own `prepare` option, and node-postgres sends an unnamed statement,
  // which every connection pooler supports.
  prepare: (query) => executing(query.prepare('')),
  once: executing,

  // Text may have a collation that takes different strings for equal; citext always does. `1` and `1.0` are equal as numeric.
  same(column, value) {
    if (exactTypes.test(typeOf(column)) || isInteger(column) || isNumber(column)) return eq(column, value)
    const text = isPadded(column) ? sql`${value}::bpchar::text` : sql`${value}::text`
    return and(eq(column, value), sql`${column}::text collate "C" = ${text}`) as SQL
  },

  reasonToReject(column, sent) {
    // What is padded cannot end in a space.
    if (typeof sent === 'string' && (sent.includes('\0') || (isPadded(column) && sent.endsWith(' ')))) return 'invalid'
    const bits = integerBits[typeOf(column)]
    const integer = bits && toInteger(sent)
    return bits && integer !== undefined && !fitsBits(integer as number | bigint, bits, false) ? 'invalid' : undefined
  },

  // Drivers send and read UTF-8, whatever encoding the connection has. The function fails where there are no buckets, and has an error code
  // of its own. PostgreSQL evaluates it once for each statement, even if no row has the key.
  guard: sql`width_bucket(0, 0, 1, (current_setting('client_encoding') = 'UTF8')::int) = 1`,

  // The text of a date depends on the session's DateStyle, and what drivers make of other types on their settings: node-postgres in binary
  // mode, type parsers of the app. Text arrives unchanged.
  reader(column) {
    const data = dataOf(column)
    if (data === 'string' && textTypes.test(typeOf(column))) return undefined
    const decode = decoders[data]
    const expression = data === 'date' ? sql`floor(extract(epoch from ${column}) * 1000)` : column
    return decode && { expression: sql`(${expression})::text`, decode: (raw) => decode(String(raw)) }
  },
}

const decoders: Record<string, (text: string) => unknown> = {
  string: (text) => text,
  number: Number,
  bigint: (text) => (/^-?\d+$/.test(text) ? BigInt(text) : undefined),
  boolean: (text) => ({ true: true, false: false })[text],
  date: (milliseconds) => new Date(Number(milliseconds)),
  json: JSON.parse,
}

const writes: Writes = {
  ...returningWrites(sql` for update skip locked`),

  async removeUser(users, key, belongings) {
    try {
      const rows = await (isTransaction(users.db)
        ? // A savepoint: without it, a failed statement would end the app's transaction.
          users.db.transaction((db) => users.run('delete', () => deleteWithBelongings({ ...users, db }, key, belongings, 'matches')))
        : users.runOnRows('removeUser', 'delete', [[users, key], ...belongings], (prepare) =>
            prepare(deleteWithBelongings(users, key, belongings, 'condition'), true),
          ))
      await users.db.$cache?.invalidate?.({ tables: [users, ...belongings.map(([each]) => each)].map(({ table }) => table) })
      return firstOf(rows)
    } catch (failure) {
      // Some triggers and rules cannot be part of such a statement. It did nothing.
      if (!(failure instanceof Failure && /^(0A000|27000)$/.test(failure.details.code ?? ''))) throw failure
      return removeUserInTurn(writes, users, key, belongings)
    }
  },
}

/**
 * One statement, so that everything is deleted or nothing. All of its parts see the rows as they were at its start; foreign keys are
 * checked at its end. What belongs to the user is deleted only with the user, or when there is no such user. A row level policy can hide
 * a user, so where one is active, only the first counts.
 */
function deleteWithBelongings(
  users: TableStatements,
  key: Values,
  belongings: readonly Selection[],
  condition: 'matches' | 'condition',
): Query {
  const { db, table } = users
  const isUser = () => users[condition](key)
  const isDeleted = sql`exists (select 1 from deleted_user)`
  const isGone = sql`not exists (select 1 from ${table} where ${isUser()}) and not row_security_active(${nameOf(users)}::regclass)`
  const deletedUser = db.$with('deleted_user').as(
    db
      .delete(table)
      .where(isUser())
      .returning({ one: sql`1`.as('one') }),
  )
  const parts = belongings.map(([each, where], index) =>
    db.$with(`belonging_${index}`).as(db.delete(each.table).where(sql`${each[condition](where)} and (${isDeleted} or ${isGone})`)),
  )
  return db
    .with(deletedUser, ...parts)
    .select(users.fields())
    .from(table)
    .where(sql`${isUser()} and ${isDeleted}`)
    .$withCache(false)
}

/** The table's name with its schema, quoted. */
function nameOf({ db, table }: TableStatements): string {
  const { sql: text } = db.select({ one: sql`1` }).from(table).toSQL()
  return text.slice(text.indexOf(' from ') + ' from '.length)
}

/** PGlite drops a byte order mark at the start of a text. */
const dropsByteOrderMark = (db: Database) => kindOf(db.session) === 'PgliteSession'

export const pg: Dialect = {
  name: 'pg',
  sql: postgres,
  writes,
  forDriver(db, { namedStatements }) {
    const dialect = namedStatements ? { ...postgres, prepare: prepareNamed } : postgres
    return dropsByteOrderMark(db) ? rejectByteOrderMarks(dialect) : dialect
  },
}

// Names by statement, for all adapters of the process: connections are shared, and an adapter may be created for each request.
const names = new Map<string, string>()

// Another copy of this package may use the same connections.
let namePrefix: string | undefined

function newName(text: string): string {
  namePrefix ??= `auth_${crypto.randomUUID().slice(0, 8)}`
  const name = `${namePrefix}_${(nameCount++).toString(36)}`
  names.set(text, name)
  return name
}
let nameCount = 0

/** Prepares the statement under a name on the server, once for each connection. */
function prepareNamed(query: Query): Run {
  const text = query.toSQL().sql
  let name = names.get(text) ?? newName(text)
  let run = executing(query.prepare(name))
  return async (parameters) => {
    const used = name
    try {
      return await run(parameters)
    } catch (error) {
      // After a change of the table's types, a statement of this name fails on its connection for good.
      if (toFailure(error, changedPlan).kind === 'schema' && used === name) {
        name = names.get(text) === used ? newName(text) : (names.get(text) as string)
        run = executing(query.prepare(name))
      }
      throw error
    }
  }
}

const changedPlan = { ...failures, codes: [[/^0A000$/, 'schema']] satisfies FailureCodes }

function executing(prepared: Pick<Query, 'execute'> | ReturnType<Query['prepare']>): Run {
  return (parameters) => prepared.execute(parameters)
}

function toInteger(sent: unknown): number | bigint | undefined {
  if (typeof sent === 'bigint') return sent
  if (typeof sent === 'string' && /^-?\d+$/.test(sent)) return BigInt(sent)
  return Number.isInteger(sent) ? (sent as number) : undefined
}
