import type { SQL } from 'drizzle-orm'
import { kindOf } from '../detection.js'
import type { Dialect } from '../dialect.js'
import { withoutByteOrderMarks } from '../dialect.js'
import { and, eq, sql } from '../drizzle.js'
import type { FailureCodes } from '../errors.js'
import { classify, connectionCodes } from '../errors.js'
import { first, returning } from '../returning.js'
import type { Database, Query, Statement } from '../statements.js'
import { fitsBits, typeOf } from '../values.js'

const exactTypes = /^(uuid|(small|big)?(int|serial)|numeric|decimal|bytea)/
const integerBits: Record<string, number> = { smallint: 16, smallserial: 16, integer: 32, serial: 32, bigint: 64, bigserial: 64 }

const plain: Dialect = {
  name: 'pg',
  ...returning,

  // An empty name leaves it to the driver: postgres.js prepares as its own `prepare` option says, node-postgres
  // sends an unnamed statement, which every connection pooler carries.
  prepare: (query) => running(query.prepare('')),

  once: (query) => (values) => query.execute(values),

  // Text may have a collation that takes different strings for equal, and citext always does.
  same(column, value) {
    if (exactTypes.test(typeOf(column))) return eq(column, value)
    // The padding of char(n) is no part of its value.
    const text = /^(char|bpchar)/.test(typeOf(column)) ? sql`${value}::bpchar::text` : sql`${value}::text`
    return and(eq(column, value), sql`${column}::text collate "C" = ${text}`) as SQL
  },

  misfit(column, sent) {
    if (typeof sent === 'string' && sent.includes('\0')) return 'invalid'
    const bits = integerBits[typeOf(column)]
    const number = bits && toInteger(sent)
    return bits && number !== undefined && !fitsBits(number as number | bigint, bits, false) ? 'invalid' : undefined
  },

  literal: () => undefined,

  async removeWith(table, key, others) {
    const rows = await table.run((db) => {
      const parts = others.map(([other, theirs], index) => db.$with(`part${index}`).as(db.delete(other.table).where(other.having(theirs))))
      return db
        .with(...parts)
        .delete(table.table)
        .where(table.having(key))
        .returning()
    })
    // By itself, Drizzle tells its cache of the last table alone.
    await table.db.$cache?.invalidate?.({ tables: others.map(([{ table }]) => table) })
    return first(rows)
  },

  picking: sql` for update skip locked`,

  failures: [
    [/^23505$/, 'duplicate'],
    [/^23503$/, 'unknown-user'],
    [/^23001$/, 'still-referenced'],
    [/^23502$/, 'missing-value'],
    [/^(22001|54000)$/, 'too-long'],
    [/^22\w{3}$|^23514$/, 'invalid'],
    // A serialization failure, a deadlock, a lock that was not to be had: rolled back. Of the others, 40003 has an unknown outcome.
    [/^(40001|40P01|55P03)$/, 'conflict', 'nothing'],
    [/^40\w{3}$/, 'conflict'],
    [/^(57014|25P0[34])$|^Query read timeout$/, 'timeout'],
    // No connection was given: the server is starting, or has too many; the pool has none to spare.
    [
      /^(57P03|53300|0800[14]|CONNECT_TIMEOUT)$|^timeout exceeded when trying to connect$|^Connection terminated due to/,
      'unreachable',
      'nothing',
    ],
    // The server ended the session, maybe while it ran the statement.
    [/^(57P0[125]|0800[036]|CONNECTION_CLOSED)$|^Connection terminated unexpectedly$/, 'unreachable', 'unclear'],
    // A pool that the app closed is no reason to try again.
    [/^(08\w{3}|57P0\d|CONNECTION_\w+)$|^Connection terminated|pool after calling end/, 'unreachable'],
    [/^(42501|28\w{3})$/, 'denied'],
    [/^25006$/, 'read-only'],
    [/^53[12]00$/, 'full'],
    [/^(42P01|42703|3F000|3D000)$/, 'schema'],
    ...connectionCodes,
  ],
}

// How many names each statement has used up, in all adapters: one is often made for each request.
const usedUp = new Map<string, number>()

/** Statements are named after their text, so that one name never stands for two. */
function prepareNamed(query: Query): Statement {
  const name = nameOf(query.toSQL().sql)
  const prepare = (used: number) => ({ used, run: running(query.prepare(used ? `${name}_${used}` : name)) })
  let current = prepare(usedUp.get(name) ?? 0)
  return async (values) => {
    const { used, run } = current
    try {
      return await run(values)
    } catch (error) {
      // After a change of the table's types, the statement of this name fails on its connection for good.
      if (classify(error, changedPlan).kind === 'schema') {
        usedUp.set(name, Math.max(usedUp.get(name) ?? 0, used + 1))
        current = prepare(usedUp.get(name) as number)
      }
      throw error
    }
  }
}

// PGlite.
const losesByteOrderMark = (db: Database) => kindOf(db.session) === 'PgliteSession'

export const pg: Dialect = {
  ...plain,
  suited(db, { namedStatements }) {
    const dialect = namedStatements ? { ...this, prepare: prepareNamed } : this
    return losesByteOrderMark(db) ? withoutByteOrderMarks(dialect) : dialect
  },
}

const changedPlan: FailureCodes = [[/^0A000$/, 'schema']]

function running(prepared: ReturnType<Query['prepare']>): Statement {
  return (values) => prepared.execute(values)
}

// Four sums of 32 bits, each from a start of its own.
function nameOf(text: string): string {
  const sums = [0x811c9dc5, 0x01000193, 0x9e3779b9, 0x85ebca6b]
  for (let index = 0; index < text.length; index++) {
    for (let sum = 0; sum < sums.length; sum++)
      sums[sum] = Math.imul((sums[sum] as number) ^ (text.charCodeAt(index) + sum), 0x01000193 + 2 * sum)
  }
  return `auth_${sums.map((sum) => (sum >>> 0).toString(36)).join('_')}`
}

function toInteger(sent: unknown): number | bigint | undefined {
  if (typeof sent === 'bigint') return sent
  if (typeof sent === 'string' && /^-?\d+$/.test(sent)) return BigInt(sent)
  return Number.isInteger(sent) ? (sent as number) : undefined
}
