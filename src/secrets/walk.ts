import type { Column, SQL } from 'drizzle-orm'
import type { Row, TableStatements } from '../query/dialect.js'
import type { Query } from '../query/drizzle.js'
import { and, eq, gt, or } from '../query/drizzle.js'

/** The rows of a table in the order of its key, some columns of them, a batch at a time. Rows may change meanwhile. */
export async function* walk(
  { db, table, key, columns, fields, parameter, run }: TableStatements,
  names: readonly string[],
  batch: number,
): AsyncGenerator<Row[]> {
  const selected = Object.fromEntries(names.filter((name) => columns[name]).map((name) => [name, fields()[name]]))
  const keys = key.map((name) => columns[name] as Column)

  // The column's own comparisons, which go with the order of its index.
  const equals = (name: string, row: Row) => eq(columns[name] as Column, parameter(name, row[name]))
  const isAfter = (row: Row): SQL => {
    const alternatives = key.map((name, index) => {
      const before = key.slice(0, index).map((each) => equals(each, row))
      return and(...before, gt(columns[name] as Column, parameter(name, row[name])))
    })
    return or(...alternatives) as SQL
  }
  const isTie = (row: Row): SQL => and(...key.map((name) => equals(name, row))) as SQL

  const read = async (condition: SQL | undefined, limit?: number): Promise<Row[]> => {
    const build = (): Query => {
      const all = db.select(selected).from(table)
      const some = condition ? all.where(condition) : all
      return (limit === undefined ? some : some.orderBy(...keys).limit(limit)).$withCache(false)
    }
    return (await run('read', build)) as Row[]
  }

  for (let last: Row | undefined; ; ) {
    const rows = await read(last && isAfter(last), batch)
    last = rows.at(-1)
    if (!last || rows.length < batch) return rows.length > 0 ? yield rows : undefined
    // A column's collation can take different keys for equal. Those that a batch would divide belong to it.
    const seen = new Set(rows.map((row) => JSON.stringify(row)))
    yield [...rows, ...(await read(isTie(last))).filter((row) => !seen.has(JSON.stringify(row)))]
  }
}
