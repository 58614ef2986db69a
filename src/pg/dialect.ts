import type { Column, SQL } from 'drizzle-orm'
import { toFailure } from '../query/classify.js'
import { integerText } from '../query/codec.js'
import { isInteger, isPadded, isUuid, sizesOf, typeOf } from '../query/columns.js'
import type { Dialect, RowDialect, Run, Selection, SqlDialect } from '../query/dialect.js'
import type { Database, Query, Row } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { isTransaction, quotedNameOf } from '../query/internals.js'
import { removeInTransaction, removeOrphans } from '../query/remove-user.js'
import { firstOf, returningRows, withReturning } from '../query/returning.js'
import { failures } from './failures.js'

const postgres: SqlDialect = {
  failures,
  integerHint: "use mode: 'bigint' for this column",
  withReturning,

  storage: {
    storesNul: false,
    // An integer that is out of range would abort a transaction, also one that is only looked up.
    isChanged: (column, sent) => isInteger(column) && typeof sent !== 'object' && !isInRange(column, sent),
    // Without a scale, a numeric keeps the digits that it was given.
    defaultScale: Number.POSITIVE_INFINITY,
    lengthOf(column) {
      if (!/^(var|bp)?char/.test(typeOf(column))) return undefined
      return { characters: sizesOf(column)[0] ?? (isPadded(column) ? 1 : Number.POSITIVE_INFINITY) }
    },
  },

  // An empty name leaves naming to the driver: postgres.js follows its own `prepare` option, and node-postgres sends an unnamed statement,
  // which every connection pooler supports.
  prepare: (query, _returnsRows, isNamed) => (isNamed ? prepareNamed(query) : executing(query.prepare(''))),
  runOnce: (query) => query.execute(),

  // Any text can have a nondeterministic collation; citext always ignores case. `1` and `1.0` are equal as numeric.
  exactForm(column) {
    if (isUuid(column) || isInteger(column) || typeOf(column) === 'bytea') return undefined
    return (value) => bytesOf(isPadded(column) ? sql`${value}::bpchar` : value, false)
  },
  bytesOf,

  hasText(text, place, part) {
    if (place === 'contains') return sql`strpos(${text}, ${part}) > 0`
    return sql`${sql.raw(place === 'startsWith' ? 'left' : 'right')}(${text}, length(${part})) = ${part}`
  },
}

function isInRange(column: Column, sent: unknown): boolean {
  const bits = /^(small|\w+2)/.test(typeOf(column)) ? 16 : /^(big|\w+8)/.test(typeOf(column)) ? 64 : 32
  const text = String(sent)
  return !integerText.test(text) || BigInt.asIntN(bits, BigInt(text)) === BigInt(text)
}

function bytesOf(value: Column | SQL, ignoresCase: boolean): SQL {
  return ignoresCase ? sql`lower(${value}::text) collate "C"` : sql`${value}::text collate "C"`
}

const rows: RowDialect = {
  ...returningRows(sql` for update skip locked`),

  async removeUser(user, belongings) {
    const { db } = user.statements
    // A failed statement would end the app's transaction. A nested transaction is a savepoint.
    if (isTransaction(db)) return removeInTurn(user, belongings)
    try {
      const rows = await user.statements.run('delete', () => deleteWithBelongings(db, user, belongings))
      await db.$cache?.invalidate?.({ tables: [user, ...belongings].map(({ statements }) => statements.table) })
      // A row level policy can hide a user who exists.
      return (
        firstOf(rows) ?? removeOrphans(user, belongings, sql`not row_security_active(${quotedNameOf(user.statements.table)}::regclass)`)
      )
    } catch (failure) {
      // Some triggers and rules cannot be part of such a statement. It did nothing.
      if (!(failure instanceof Failure && /^(0A000|27000)$/.test(failure.details.code ?? ''))) throw failure
      return removeInTurn(user, belongings)
    }
  },
}

/** One statement, so that everything is deleted or nothing. All of its parts see the rows as they were at its start. */
function deleteWithBelongings(db: Database, { statements: users, where }: Selection, belongings: readonly Selection[]): Query {
  const isUser = () => users.matches(where)
  const isDeleted = sql`exists (select 1 from deleted_user)`
  const deletedUser = db.$with('deleted_user').as(
    db
      .delete(users.table)
      .where(isUser())
      .returning({ one: sql`1`.as('one') }),
  )
  const parts = belongings.map(({ statements: { table, matches }, where: owned }, index) =>
    db.$with(`belonging_${index}`).as(db.delete(table).where(sql`${matches(owned)} and ${isDeleted}`)),
  )
  return db
    .with(deletedUser, ...parts)
    .select(users.fields)
    .from(users.table)
    .where(sql`${isUser()} and ${isDeleted}`)
    .$withCache(false)
}

/** The same in several statements. */
async function removeInTurn(user: Selection, belongings: readonly Selection[]): Promise<Row | null> {
  const [row] = await user.statements.list(user.where)
  const countDeleted = async (query: Query) => ((await query.returning({ one: sql`1` }).execute()) as unknown[]).length
  return row && (await removeInTransaction(user, belongings, countDeleted)) ? row : null
}

export const pg: Dialect = { name: 'pg', sql: postgres, rows }

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
      // After a change of the table's types, a statement of this name fails on its connection for good, and does nothing.
      if (toFailure(error, failures).details.code !== '0A000') throw error
      if (used === name) {
        name = names.get(text) === used ? newName(text) : (names.get(text) as string)
        run = executing(query.prepare(name))
      }
      return run(parameters)
    }
  }
}

function executing(prepared: ReturnType<Query['prepare']>): Run {
  return (parameters) => prepared.execute(parameters)
}
