import type { Column } from 'drizzle-orm'
import type { Condition } from '../query/conditions.js'
import { equal } from '../query/conditions.js'
import type { Database, Row } from '../query/drizzle.js'
import type { Table } from '../query/table.js'

/** The rows of a table in the order of its key, some columns of them, a batch at a time. Rows may change meanwhile. */
export async function* walk({ stored: table, key, columns }: Table, names: readonly string[], batch: number): AsyncGenerator<Row[]> {
  const { codec } = table
  const selected = names.filter((name) => columns[name])
  const fields = Object.fromEntries(selected.map((name) => [name, codec.fields[name]]))
  const keyOf = (row: Row) => Object.fromEntries(key.map((name) => [name, row[name]]))

  const isAfter = (row: Row): Condition => {
    const last = keyOf(row)
    const alternatives = key.map((name, index) => {
      const before = Object.fromEntries(key.slice(0, index).map((each) => [each, last[each]]))
      return { and: [equal(before), { column: name, is: 'gt' as const, value: last[name] }] }
    })
    return { or: alternatives }
  }

  const read = async (condition: Condition, limit?: number): Promise<Row[]> => {
    const where = table.where(condition)
    const build = (db: Database) => {
      // The column's own comparisons, which go with the order of its index.
      const some = db.select(fields).from(table.drizzleTable).where(where.toSql(0, 'loosely'))
      const keys = key.map((name) => columns[name] as Column)
      return (limit === undefined ? some : some.orderBy(...keys).limit(limit)).$withCache(false)
    }
    const rows = (await table.run('read', build, where.values, [{ names: selected, isRaw: codec.isRaw }])) as unknown[][]
    const decode = (name: string, raw: unknown) => (raw == null ? null : codec.of(name).fromDriver(raw))
    return rows.map((values) => Object.fromEntries(selected.map((name, at) => [name, decode(name, values[at])])))
  }

  for (let last: Row | undefined; ; ) {
    const rows = await read(last ? isAfter(last) : { and: [] }, batch)
    last = rows.at(-1)
    if (!last || rows.length < batch) return rows.length > 0 ? yield rows : undefined
    // A collation can treat different keys as equal. Include those that are equal to the last key of the batch.
    const seen = new Set(rows.map((row) => JSON.stringify(row)))
    yield [...rows, ...(await read(equal(keyOf(last)))).filter((row) => !seen.has(JSON.stringify(row)))]
  }
}
