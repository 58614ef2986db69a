import type { Column, SQL } from 'drizzle-orm'
import type { Query, Row } from '../query/drizzle.js'
import { and, or, sql } from '../query/drizzle.js'
import type { ModelTable } from '../query/table.js'

/** The rows of a table in the order of its key, some columns of them, a batch at a time. Rows may change meanwhile. */
export async function* walk({ stored: table, key, columns }: ModelTable, names: readonly string[], batch: number): AsyncGenerator<Row[]> {
  const { definition } = table
  const selected = names.filter((name) => columns[name])
  const fields = Object.fromEntries(selected.map((name) => [name, definition.fields[name] as Column | SQL]))
  const keys = key.map((name) => columns[name] as Column)
  const keyOf = (row: Row) => key.map((name) => definition.of(name).parameter(definition.of(name).encodeForComparison(row[name])))

  // The columns' own comparisons, which go with the order of their index.
  const isLevel = (row: Row) => areEqual(keys, keyOf(row))
  const isAfter = (row: Row) => areAfter(keys, keyOf(row))

  const read = async (where: SQL | undefined, limit?: number): Promise<Row[]> => {
    const complete = (query: Query) => {
      const some = query.from(table.drizzleTable).where(where)
      return limit === undefined ? some : some.orderBy(...keys).limit(limit)
    }
    const rows = await table.select(fields, complete, definition.isRaw)
    const decode = (name: string, raw: unknown) => (raw == null ? null : definition.of(name).decode(raw))
    return rows.map((values) => Object.fromEntries(selected.map((name, at) => [name, decode(name, values[at])])))
  }

  for (let last: Row | undefined; ; ) {
    const rows = await read(last && isAfter(last), batch)
    last = rows.at(-1)
    if (!last || rows.length < batch) return rows.length > 0 ? yield rows : undefined
    // A collation can treat different keys as equal. Include those that are equal to the last key of the batch.
    const idOf = (row: Row) => JSON.stringify(key.map((name) => String(row[name])))
    const seen = new Set(rows.map(idOf))
    yield [...rows, ...(await read(isLevel(last))).filter((row) => !seen.has(idOf(row)))]
  }
}

function areEqual(keys: readonly Column[], values: readonly SQL[]): SQL | undefined {
  return and(...keys.map((column, at) => sql`${column} = ${values[at]}`))
}

/** MySQL finds such rows by an index only in the second form, the other databases only in the first. */
function areAfter(keys: readonly Column[], values: readonly SQL[]): SQL | undefined {
  const after = keys.map((column, at) => and(areEqual(keys.slice(0, at), values), sql`${column} > ${values[at]}`))
  return and(keys.length > 1 ? sql`(${sql.join([...keys], sql`, `)}) > (${sql.join([...values], sql`, `)})` : undefined, or(...after))
}
