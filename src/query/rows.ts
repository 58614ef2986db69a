import type { Table } from 'drizzle-orm'
import type { Model } from '../contract.js'
import type { Codec } from './codec.js'
import { createCodec } from './codec.js'
import type { Row, Selection, SqlDialect, TableStatements, Values, Writes } from './dialect.js'
import { hasForms } from './dialect.js'
import type { Database } from './drizzle.js'
import { getTableName } from './drizzle.js'
import { Failure } from './errors.js'
import type { Protection, Use } from './protection.js'
import type { RetryLimits } from './retry.js'
import { createStatements } from './statements.js'

/** The rows of one table, in the contract's terms. Rows are found by the table's key, or by the columns that are named. */
export interface Rows {
  list(given: object, by?: readonly string[]): Promise<Row[]>
  find(given: object, by?: readonly string[]): Promise<Row | null>
  /** A row and the user that its `userId` refers to. */
  findWithUser(given: object, users: Rows): Promise<{ row: Row; user: Row } | null>
  insert(input: object): Promise<Row>
  /** The changed row, or `null` if no row has the key. */
  update(input: object): Promise<Row | null>
  /** The changed row. Fails if no row has the key. */
  updateExisting(input: object): Promise<Row>
  /** The deleted row. Of concurrent callers one gets it, the others get `null`. */
  remove(given: object): Promise<Row | null>
  /** Deletes a user and the rows of other tables that belong to it. If the user stays, everything does. */
  removeWith(belongings: readonly Rows[], id: string): Promise<Row | null>
  /** For other rows, and for operations beyond the contract. */
  readonly internals: {
    codec: Codec
    statements: TableStatements
    protection: Protection
    /** The rows as they are stored. */
    select(where: Values): Promise<Row[]>
    unlessIncomparable<T>(failure: unknown, where: Values, otherwise: T): Promise<T>
  }
}

/** What all tables of an adapter share. */
export interface Connection {
  readonly db: Database
  readonly sql: SqlDialect
  readonly writes: Writes
  readonly retry: RetryLimits | false
}

const unprotected: Protection = { storedKey: (key) => key, storedValues: (values) => values, reveal: (row) => row }

export function createRows(
  { db, sql, writes, retry }: Connection,
  table: Table,
  model: Model,
  key: readonly string[],
  protect?: (statements: TableStatements) => Protection | undefined,
): Rows {
  const codec = createCodec(model, table, sql)
  const statements = createStatements(db, table, key, codec, sql, retry)
  const { decodeRow } = codec
  const protection = protect?.(statements) ?? unprotected
  const { storedKey, storedValues, reveal } = protection

  /**
   * The answer if no row has the key: given where the database cannot compare the column with it, as with text outside the column's
   * character set. Every other failure is one, also where a trigger or a policy failed on the same account.
   */
  const unlessIncomparable = async <T>(failure: unknown, where: Values, otherwise: T): Promise<T> => {
    if (failure instanceof Failure && failure.kind === 'invalid') {
      // A synchronous driver throws at once.
      const comparing = async () => statements.compare(where)
      const reason = await comparing().then(
        () => null,
        (error: Failure) => error,
      )
      await statements.checkConnection()
      if (reason?.kind === 'invalid') return otherwise
    }
    throw failure
  }

  /** Runs a write, and gives the row as callers get it. */
  const write = async (asked: Values | null, where: Values, run: () => Promise<Row | null>, use?: Use): Promise<Row | null> => {
    try {
      // A row that gets the other form of its key meanwhile can escape a write that looks for one form after the other. It gets it once.
      const row = (await run()) ?? (hasForms(where) ? await run() : null)
      return row && reveal(decodeRow(row), asked, use)
    } catch (failure) {
      return unlessIncomparable(failure, where, null)
    }
  }

  const select = async (where: Values): Promise<Row[]> => {
    try {
      return (await statements.select(where)).map(decodeRow)
    } catch (failure) {
      return unlessIncomparable(failure, where, [])
    }
  }

  const list = async (given: object, by = key): Promise<Row[]> => {
    const asked = codec.encodeKey(given, by)
    const where = await storedKey(asked)
    return where ? Promise.all((await select(where)).map((row) => reveal(row, asked))) : []
  }

  const find = async (given: object, by?: readonly string[]): Promise<Row | null> => (await list(given, by))[0] ?? null

  const update = async (input: object): Promise<Row | null> => {
    const asked = codec.encodeKey(input, key)
    const given = codec.encodeUpdate(input, key)
    const where = await storedKey(asked)
    if (!where) return null
    if (Object.keys(given).length === 0) return find(input)
    const values = await storedValues(given, asked)
    return write(asked, where, () => writes.update(statements, where, values))
  }

  return {
    internals: { codec, statements, protection, select, unlessIncomparable },
    list,
    find,

    async findWithUser(given, users) {
      const asked = codec.encodeKey(given, key)
      // Awaiting what is there already would cost as much as a part of the query.
      const where = protection === unprotected ? asked : await storedKey(asked)
      if (!where) return null
      let found: { row: Row; user: Row } | null
      try {
        const result = statements.selectWithUser(where, users.internals.statements)
        const [joined] = Array.isArray(result) ? result : await result
        found = joined ? { row: decodeRow(joined.auth_row), user: users.internals.codec.decodeRow(joined.auth_user) } : null
      } catch (failure) {
        if (!(failure instanceof Failure && failure.kind === 'invalid')) throw failure
        // MySQL cannot join two tables of different collations. Each can be asked by itself.
        const [row] = await select(where)
        const user = row && (await users.find({ id: row.userId }))
        found = user ? { row, user } : null
      }
      if (found && protection !== unprotected) found.row = await reveal(found.row, asked, 'joined')
      return found
    },

    async insert(input) {
      const values = codec.encodeInsert(input)
      const row = decodeRow(await writes.insert(statements, await storedValues(values)))
      return reveal(row, values, 'inserted')
    },

    update,

    async updateExisting(input) {
      const row = await update(input)
      if (!row) throw new Failure('not-found', { table: getTableName(table) })
      return row
    },

    async remove(given) {
      const asked = codec.encodeKey(given, key)
      const where = await storedKey(asked)
      return where && write(asked, where, () => writes.remove(statements, where), 'removed')
    },

    async removeWith(belongings, id) {
      const where = codec.encodeKey({ id }, key)
      if (!where) return null
      const owned = belongings.flatMap(({ internals }): Selection[] => {
        const theirs = internals.codec.encodeKey({ userId: id }, ['userId'])
        return theirs ? [[internals.statements, theirs]] : []
      })
      return write(where, where, () => writes.removeUser(statements, where, owned))
    },
  }
}
