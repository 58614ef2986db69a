import type { Column } from 'drizzle-orm'
import type { Dialect } from './dialect.js'
import { classify, Refusal } from './errors.js'
import type { Row, Selected, TableStatements, Values } from './statements.js'
import { isSql } from './statements.js'
import type { KeyParser } from './values.js'
import { isSame, keyParser, unfit } from './values.js'

/** The rows of one table, by the keys and values that the contract speaks of. What is asked for is named by the table's key, or by columns. */
export interface Rows {
  readonly statements: TableStatements
  /** Values in the columns' terms; `null` where no row can have them. */
  inside(values: object, by?: readonly string[]): Values | null
  outside(row: Row): Row
  list(values: object, by?: readonly string[]): Promise<Row[]>
  find(values: object, by?: readonly string[]): Promise<Row | null>
  /** A row under its name, and the user that its `userId` names. */
  findWithUser(values: object, users: Rows): Promise<Record<string, Row> | null>
  insert(input: object): Promise<Row>
  /** The changed row, or `null` where no row has the key. */
  update(input: object): Promise<Row | null>
  /** The deleted row; of many callers at once, one gets it and the others `null`. */
  remove(values: object): Promise<Row | null>
  removeAll(values: object, by: readonly string[]): Promise<unknown>
  /** Removes a user, and with it the rows of others that have its id. */
  removeWith(others: readonly Rows[], id: string): Promise<Row | null>
}

export function openRows(
  /** What one row is called. */
  name: string,
  statements: TableStatements,
  dialect: Dialect,
  /** The column that holds a user's id, if there is one: a string outside, whatever it is in the database. */
  userId?: 'id' | 'userId',
  /** What else is done to a row on its way out. */
  finish = (row: Row) => row,
): Rows {
  const { columns } = statements
  const parsers: Record<string, KeyParser> = {}

  const parse = (name: string, key: unknown): unknown => {
    parsers[name] ??= keyParser(columns[name] as Column, dialect)
    return parsers[name](key)
  }

  const inside = (given: object, by = statements.key): Values | null => {
    const values: Values = {}
    for (const name of by) {
      const value = parse(name, (given as Values)[name])
      if (value === undefined) return null
      values[name] = value
    }
    return values
  }

  const outside = (row: Row): Row => {
    if (userId && row[userId] != null) row[userId] = String(row[userId])
    return finish(row)
  }

  // Exactness, whatever the database takes for equal: case, accents, trailing spaces and Unicode form count.
  const has = (row: Row, key: Values): boolean => {
    for (const name in key) if (!isSame(columns[name] as Column, row[name], key[name])) return false
    return true
  }

  // A key that the database itself refuses to compare with, such as one outside its character set, is the key of no row.
  const unlessRefused = <T>(error: unknown, otherwise: () => T): T => {
    if (classify(error, dialect.failures).kind === 'invalid') return otherwise()
    throw error
  }

  const checked = (name: string, column: Column, value: unknown): unknown => {
    if (value === null || isSql(value)) return value
    if (typeof value === 'string' && name === userId) {
      const id = parse(name, value)
      if (id === undefined) throw new Refusal(name === 'userId' ? 'unknown-user' : 'invalid', name)
      return id
    }
    const failure = unfit(column, value, dialect)
    if (failure) throw new Refusal(failure, name)
    return value
  }

  // `$defaultFn` and `$onUpdate` are called here, for each row, because Drizzle would call them once for each statement.
  const toInsert = (input: Values): Values => {
    const values: Values = {}
    for (const [name, column] of Object.entries(columns)) {
      if (isGenerated(column)) continue
      let value = Object.hasOwn(input, name) ? input[name] : undefined
      if (value === undefined)
        value = column.defaultFn ? column.defaultFn() : column.default === undefined ? column.onUpdateFn?.() : undefined
      // What has no value is left to the database, which may have a default that Drizzle does not know.
      if (value !== undefined) values[name] = checked(name, column, value)
    }
    return values
  }

  const toUpdate = (input: Values): Values => {
    const given: Values = {}
    const automatic: Values = {}
    for (const [name, column] of Object.entries(columns)) {
      if (isGenerated(column) || statements.key.includes(name)) continue
      if (Object.hasOwn(input, name) && input[name] !== undefined) given[name] = checked(name, column, input[name])
      else if (column.onUpdateFn) automatic[name] = checked(name, column, column.onUpdateFn() ?? null)
    }
    return Object.keys(given).length > 0 ? { ...given, ...automatic } : {}
  }

  const select = async (where: Values | null): Promise<Row[]> => {
    if (!where) return []
    try {
      return (await statements.selectAlike(where)).filter((row) => has(row, where)).map(outside)
    } catch (error) {
      return unlessRefused(error, () => [])
    }
  }

  const list = (values: object, by?: readonly string[]): Promise<Row[]> => select(inside(values, by))

  const find = async (values: object, by?: readonly string[]): Promise<Row | null> => (await list(values, by))[0] ?? null

  const remove = async (values: object): Promise<Row | null> => {
    const where = inside(values)
    const row = where && (await dialect.remove(statements, where).catch((error) => unlessRefused(error, () => null)))
    return row && outside(row)
  }

  const removeAll = async (values: object, by: readonly string[]): Promise<unknown> => {
    const where = inside(values, by)
    return where && statements.deleteAll(where).catch((error) => unlessRefused(error, () => null))
  }

  return {
    statements,
    inside,
    outside,
    list,
    find,
    remove,
    removeAll,

    async findWithUser(values: object, users: Rows): Promise<Record<string, Row> | null> {
      const where = inside(values)
      if (!where) return null
      try {
        const answer = statements.selectAlikeWithUser(where, name, users.statements)
        // Awaiting what is there already would cost as much as a part of the answer.
        for (const found of Array.isArray(answer) ? answer : await answer) {
          if (!has(found[name] as Row, where)) continue
          found[name] = outside(found[name] as Row)
          found.user = users.outside(found.user as Row)
          if (found[name].userId === found.user.id) return found
        }
        return null
      } catch (error) {
        // Two tables whose collations cannot be compared with each other can still be asked one after the other.
        return unlessRefused(error, async () => {
          const [row] = await select(where)
          const user = row && (await users.find({ id: row.userId }))
          return user ? { [name]: row, user } : null
        })
      }
    },

    insert: async (input: object): Promise<Row> => outside(await dialect.insert(statements, toInsert(input as Values))),

    async update(input: object): Promise<Row | null> {
      const values = toUpdate(input as Values)
      if (Object.keys(values).length === 0) return find(input)
      const where = inside(input)
      if (!where) return null
      const row = await dialect.update(statements, where, values).catch((error) =>
        unlessRefused(error, async () => {
          // Was it the key that the database refused, or a value? Where that cannot be told, the error stands.
          const [found] = await select(where).catch(() => [error])
          if (found) throw error
          return null
        }),
      )
      return row && outside(row)
    },

    async removeWith(others: readonly Rows[], id: string): Promise<Row | null> {
      const where = inside({ id })
      if (!where) return null
      const inTurn = async () => {
        // One after the other: they may share a connection, and not every driver takes a query while another runs on it.
        for (const rows of others) await rows.removeAll({ userId: id }, ['userId'])
        return remove({ id })
      }
      const selected = others.map((rows) => [rows.statements, rows.inside({ userId: id }, ['userId'])] as const)
      const removing = dialect.removeWith?.(
        statements,
        where,
        selected.filter((each): each is Selected => each[1] !== null),
      )
      // What one of the tables refuses to compare with its column may still be the key of another's rows. And some tables cannot be part
      // of such a statement: triggers or rules of theirs forbid it, or a setting of the server.
      const orInTurn = (error: unknown) => {
        if (['invalid', 'unknown'].includes(classify(error, dialect.failures).kind)) return inTurn()
        throw error
      }
      const row = await (removing?.catch(orInTurn) ?? inTurn())
      return row && outside(row)
    },
  }
}

function isGenerated(column: Column): boolean {
  return column.generated !== undefined || column.generatedIdentity?.type === 'always'
}
