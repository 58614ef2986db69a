import type { Column } from 'drizzle-orm'
import type { Condition } from '../query/conditions.js'
import type { Database, Row } from '../query/drizzle.js'
import type { Table } from '../query/table.js'

/** The rows of a table in the order of its key, some columns of them, a batch at a time. Rows may change meanwhile. */
export async function* walk({ stored: table, key, columns }: Table, names: readonly string[], batch: number): AsyncGenerator<Row[]> {
  const { codec } = table
  const selected = names.filter((name) => columns[name])
  const fields = Object.fromEntries(selected.map((name) => [name, codec.fields[name]]))
  const compare = (name: string, is: 'lte' | 'gte' | 'gt', row: Row): Condition => ({ column: name, is, value: row[name] })

  /** The rows whose first columns of the key are in the same place as those of a row, in the order of the columns' own collations. */
  const isLevel = (row: Row, count: number): Condition => ({
    and: key.slice(0, count).flatMap((name) => [compare(name, 'gte', row), compare(name, 'lte', row)]),
  })
  const isAfter = (row: Row): Condition => ({
    or: key.map((name, count) => ({ and: [isLevel(row, count), compare(name, 'gt', row)] })),
  })

  const read = async (condition: Condition, limit?: number): Promise<Row[]> => {
    const where = table.where(condition)
    const build = (db: Database) => {
      const some = db.select(fields).from(table.drizzleTable).where(where.toSql())
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
    yield [...rows, ...(await read(isLevel(last, key.length))).filter((row) => !seen.has(JSON.stringify(row)))]
  }
}
