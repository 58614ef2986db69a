import { kindOf } from '../query/detection.js'
import type { Run } from '../query/dialect.js'
import type { Database, Query } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'

export function prepare(query: Query): Run {
  const prepared = query.prepare()
  return (parameters) => prepared.execute(parameters)
}

/** Outside of a transaction, a write that the server did not commit is a failure: its connection would lose it. */
export function prepareCommitting(query: Query): Run {
  const run = prepare(query)
  return async (parameters) => {
    const result = await run(parameters)
    const [header] = Array.isArray(result) ? result : []
    // Only mysql2 tells the status, in the header of a write.
    if (header?.fieldCount === 0 && header.serverStatus >= 0 && !(header.serverStatus & autocommitFlag))
      throw new Failure('unknown', { hint: 'the connection has autocommit off, so the write is not committed' })
    return result
  }
}
const autocommitFlag = 2

/** Whether the driver is mysql2, which formats each statement itself. */
export const isMysql2 = ({ session }: Database) => kindOf(session) === 'MySql2Session'

// mysql2 returns `[header]`. PlanetScale and TiDB return an object with other names, Bun an empty array that has them.
export function headerOf(result: unknown): { affectedRows: number; insertId: unknown } {
  const header = (Array.isArray(result) ? (result[0] ?? result) : result) as Record<string, unknown>
  return {
    affectedRows: Number(header.affectedRows ?? header.rowsAffected ?? 0),
    insertId: header.insertId ?? header.lastInsertId ?? header.lastInsertRowid,
  }
}
