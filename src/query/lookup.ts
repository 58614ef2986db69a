import { attempt } from './connection.js'
import type { Row, Values } from './drizzle.js'
import { eq, sql } from './drizzle.js'
import type { Build, SelectedColumns, Statement } from './statements.js'
import type { StoredTable } from './stored-table.js'
import type { TableDefinition } from './table-definition.js'

/** Finds a row by the values of a key, or returns `null`. */
export type Lookup<Found = Row> = (given: object) => Promise<Found | null>

/** The columns that connect a row to one of another table. */
export interface Join {
  readonly from: string
  readonly to: string
  /** Whether a row is also returned without the other one (LEFT JOIN). */
  readonly isOptional?: true
}

/** Combines a row and the row of another table that it refers to. `other` is `null` only if the join is optional. */
export type Combine<Found> = (row: Row, other: Row | null) => Found

/** For callers that need both rows before they can combine them. */
export const asPair: Combine<readonly [row: Row, other: Row | null]> = (row, other) => [row, other]

/** The encoded key of an object. `null` if no row can have this key. */
export function keyFrom({ of }: TableDefinition, by: readonly string[], given: object): Values | null {
  const sent: Values = {}
  for (const name of by) {
    sent[name] = of(name).encodeKey((given as Values | null | undefined)?.[name])
    if (sent[name] === undefined) return null
  }
  return sent
}

/** Whether a row has exactly this key. The database's `=` may ignore case, accents, spaces and the spelling of a number. */
function hasKey({ of }: TableDefinition, row: Row, given: Values, sent: Values): boolean {
  for (const name in sent) {
    const value = String(row[name])
    // Most rows have the key as given. A custom type may store another form of it.
    if (value !== String(given[name]) && value !== String(of(name).decode(sent[name]))) return false
  }
  return true
}

/** Prepares a lookup by the columns of a key, together with the row of another table that the row refers to. */
export function createLookup<Found>(
  table: StoredTable,
  by: readonly string[],
  combine: Combine<Found>,
  joined?: { readonly other: StoredTable; readonly join: Join },
): Lookup<Found> {
  const { connection, definition } = table
  const other = joined?.other.definition
  const selected = other ? columnsOfBoth([definition, other]) : definition

  /** Selects the rows whose key is equal under the collations of its columns. `pickExact` compares exactly. */
  const build: Build = (db, bind) => {
    let query = db.select(selected.fields).from(table.drizzleTable)
    if (joined) {
      const { drizzleTable } = joined.other
      const isOther = eq(joined.other.column(joined.join.to), table.column(joined.join.from))
      query = joined.join.isOptional ? query.leftJoin(drizzleTable, isOther) : query.innerJoin(drizzleTable, isOther)
    }
    const matches = by.map((name, at) => sql`${table.column(name)} = ${bind(definition.of(name), at)}`)
    return query.where(sql.join(matches, sql` and `)).$withCache(false)
  }

  const otherAt = definition.names.length
  const otherKeyAt = otherAt + (joined && other ? other.names.indexOf(joined.join.to) : 0)
  const pickExact = (rows: readonly unknown[][], given: object, sent: Values): Found | null => {
    let withoutOther: Row | null = null
    for (const values of rows) {
      const row = definition.decode(values)
      if (!hasKey(definition, row, given as Values, sent)) continue
      if (!joined || !other) return combine(row, null)
      const otherRow = values[otherKeyAt] == null ? null : other.decode(values, otherAt)
      // The `=` of the join may be inexact, too.
      if (otherRow && String(otherRow[joined.join.to]) === String(row[joined.join.from])) return combine(row, otherRow)
      if (joined.join.isOptional) withoutOther ??= row
    }
    return withoutOther && combine(withoutOther, null)
  }

  let statement: Statement | undefined
  return async (given) => {
    const sent = keyFrom(definition, by, given)
    if (!sent) return null
    // Other adapters of the table use the same statement.
    statement ??= definition.statement(JSON.stringify(['find', by, other?.id, joined?.join]), 'read', selected)
    const rows = await attempt(connection, statement, { build, values: Object.values(sent) })
    return pickExact(rows as unknown[][], given, sent)
  }
}

/** The columns of two tables, in one flat object: Drizzle 0.45 returns null for a nested one whose first column is null. */
function columnsOfBoth(definitions: readonly TableDefinition[]): SelectedColumns {
  const fields = definitions.flatMap((definition, at) => Object.entries(definition.fields).map(([name, field]) => [`${at} ${name}`, field]))
  return { fields: Object.fromEntries(fields), isRaw: definitions.every(({ isRaw }) => isRaw) }
}
