import type { Column } from 'drizzle-orm'
import type { Condition } from './conditions.js'
import { equal } from './conditions.js'
import type { Row } from './drizzle.js'
import type { Rows } from './rows.js'

/** The rows of a table in the order of its key, some columns of them, a batch at a time. Rows may change meanwhile. */
export async function* walk({ key, columns, codec, statements }: Rows, names: readonly string[], batch: number): AsyncGenerator<Row[]> {
  const { db, table, fields, matches, run } = statements
  const selected = Object.fromEntries(names.filter((name) => columns[name]).map((name) => [name, fields[name]]))
  const sent = (row: Row) => Object.fromEntries(key.map((name) => [name, codec.encodeKey(name, row[name])]))

  const isAfter = (row: Row): Condition => {
    const last = sent(row)
    const alternatives = key.map((name, index) => {
      const before = Object.fromEntries(key.slice(0, index).map((each) => [each, last[each]]))
      return { and: [equal(before), { column: name, is: 'gt' as const, value: last[name] }] }
    })
    return { or: alternatives }
  }

  const read = async (where: Condition, limit?: number): Promise<Row[]> => {
    const build = () => {
      // The column's own comparisons, which go with the order of its index.
      const some = db.select(selected).from(table).where(matches(where, 'loosely'))
      const keys = key.map((name) => columns[name] as Column)
      return (limit === undefined ? some : some.orderBy(...keys).limit(limit)).$withCache(false)
    }
    return (await run('read', build)) as Row[]
  }

  for (let last: Row | undefined; ; ) {
    const rows = await read(last ? isAfter(last) : { and: [] }, batch)
    last = rows.at(-1)
    if (!last || rows.length < batch) return rows.length > 0 ? yield rows : undefined
    // A collation can treat different keys as equal. Include those that are equal to the last key of the batch.
    const seen = new Set(rows.map((row) => JSON.stringify(row)))
    yield [...rows, ...(await read(equal(sent(last)))).filter((row) => !seen.has(JSON.stringify(row)))]
  }
}
