import { isSql } from './columns.js'
import { attempt } from './connection.js'
import type { Dialect } from './dialect.js'
import type { Database, Row, Values } from './drizzle.js'
import { eq, sql } from './drizzle.js'
import { Failure } from './errors.js'
import type { SelectedColumns, Statement } from './statements.js'
import type { StoredTable } from './stored-table.js'
import type { TableDefinition } from './table-definition.js'

/** Finds a row by the values of a key. `null` if there is none. */
export type Lookup<Found = Row> = (given: object) => Promise<Found | null>

/** The columns that connect a row to one of another table. */
export interface Join {
  readonly from: string
  readonly to: string
  /** Whether the other row may be missing, as in joins of Better Auth. */
  readonly isOptional?: true
}

/** What becomes of a row and the row of another table that it refers to. `null` only where the join says that it may be missing. */
export type Combine<Found> = (row: Row, other: Row | null) => Found

/** For callers that need both rows before they can combine them. */
export const asPair: Combine<readonly [row: Row, other: Row | null]> = (row, other) => [row, other]

/** A key as it is given and as it is sent. */
interface Key {
  readonly given: Values
  readonly sent: Values
}

/** The key that an object has. `null` if no row can have it. */
export function keyFrom({ of }: TableDefinition, by: readonly string[], input: object): Key | null {
  const given: Values = {}
  const sent: Values = {}
  for (const name of by) {
    const value = Object.hasOwn(Object(input), name) ? (input as Values)[name] : undefined
    const encoded = of(name).toKey(value)
    if (encoded === undefined) return null
    given[name] = value
    sent[name] = encoded
  }
  return { given, sent }
}

/** Whether a row has exactly this key: the database's `=` may ignore case, accents, spaces, and how a number is written. */
function hasKey({ of }: TableDefinition, by: readonly string[], row: Row, { given, sent }: Key): boolean {
  for (const name of by) {
    const value = String(row[name])
    // Most rows have the key as it was given. A custom type may store another form of it, and what it sends as SQL, only the database knows.
    if (value === String(given[name])) continue
    if (isSql(sent[name]) || value !== String(of(name).fromDriver(sent[name]))) return false
  }
  return true
}

/** Rethrows a failure, unless the database confirms that no row can have the values that the statement requires. */
export async function rethrowUnlessImpossible(dialect: Dialect, table: StoredTable, failure: unknown, required: Values): Promise<void> {
  const isImpossible = failure instanceof Failure && failure.kind === 'invalid' && (await dialect.isImpossible?.(table, required, failure))
  if (!isImpossible) throw failure
}

/** Prepares a lookup by the columns of a key, together with the row of another table that the row refers to. */
export function createLookup<Found>(
  dialect: Dialect,
  table: StoredTable,
  by: readonly string[],
  combine: Combine<Found>,
  joined?: { readonly other: StoredTable; readonly join: Join },
): Lookup<Found> {
  const { definition } = table
  const definitions = joined ? [definition, joined.other.definition] : [definition]

  const select = (db: Database) => {
    const query = db.select(selectedFrom(definitions).fields).from(table.drizzleTable)
    if (!joined) return query
    const { other, join } = joined
    const isOther = eq(other.column(join.to), table.column(join.from))
    return join.isOptional ? query.leftJoin(other.drizzleTable, isOther) : query.innerJoin(other.drizzleTable, isOther)
  }

  /** Selects the rows whose key is equal under the collations of its columns. `pickExact` compares exactly. */
  const build = (db: Database, sent: readonly unknown[]) => {
    const sentOf = (name: string, at: number) => (isSql(sent[at]) ? sent[at] : definition.of(name).toPlaceholder(at))
    const matches = by.map((name, at) => sql`${table.column(name)} = ${sentOf(name, at)}`)
    return select(db).where(sql.join(matches, sql` and `)).$withCache(false)
  }

  const statementFor = (id: string | undefined) => definition.statements.get(id, 'read', selectedFrom(definitions))
  let kept: Statement | undefined
  const keptStatement = () => {
    // The id shares it with other adapters of the table.
    kept ??= statementFor(JSON.stringify(['find', by, joined?.other.definition.id, joined?.join]))
    return kept
  }

  const otherAt = definition.names.length
  const otherKeyAt = otherAt + (joined?.other.definition.names.indexOf(joined.join.to) ?? 0)
  const pickExact = (rows: readonly unknown[][], key: Key): Found | null => {
    let withoutOther: Row | null = null
    for (const values of rows) {
      const row = definition.fromDriver(values)
      if (!hasKey(definition, by, row, key)) continue
      if (!joined) return combine(row, null)
      const otherRow = values[otherKeyAt] == null ? null : joined.other.definition.fromDriver(values, otherAt)
      // The join's own `=` may be as inexact as any other.
      if (otherRow && String(otherRow[joined.join.to]) === String(row[joined.join.from])) return combine(row, otherRow)
      if (joined.join.isOptional) withoutOther ??= row
    }
    return withoutOther && combine(withoutOther, null)
  }

  /** Finds the row and then the other one, if the database cannot compare the columns that connect them. */
  const findSeparately = async (given: object, { other, join }: { other: StoredTable; join: Join }): Promise<Found | null> => {
    const row = await createLookup(dialect, table, by, (each) => each)(given)
    const otherRow = row && (await createLookup(dialect, other, [join.to], (each) => each)({ [join.to]: row[join.from] }))
    return row && (otherRow || join.isOptional) ? combine(row, otherRow) : null
  }

  return async (given) => {
    const key = keyFrom(definition, by, given)
    if (!key) return null
    const values = by.map((name) => key.sent[name])
    let rows: unknown
    try {
      // What a custom type sends as SQL is a part of the statement.
      const statement = values.some(isSql) ? statementFor(undefined) : keptStatement()
      rows = await attempt(table.connection, statement, { build: (db) => build(db, values), values })
    } catch (failure) {
      if (joined && failure instanceof Failure && dialect.isUnjoinable?.(failure)) return findSeparately(given, joined)
      await rethrowUnlessImpossible(dialect, table, failure, key.sent)
      return null
    }
    return pickExact(rows as unknown[][], key)
  }
}

/** The columns of one table or of two. Not nested: Drizzle 0.45 takes an object for missing if its first column is null. */
function selectedFrom(definitions: readonly TableDefinition[]): SelectedColumns {
  const [first, second] = definitions
  if (first && !second) return first
  const fields = definitions.flatMap((definition, at) => Object.entries(definition.fields).map(([name, field]) => [`${at} ${name}`, field]))
  return { fields: Object.fromEntries(fields), isRaw: definitions.every(({ isRaw }) => isRaw) }
}
