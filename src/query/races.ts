import type { Where } from './conditions.js'
import { pause } from './connection.js'
import type { Row } from './drizzle.js'
import { Failure } from './errors.js'
import type { StoredTable } from './stored-table.js'

// After so many lost races, a trigger or a policy probably suppresses the write. Those for one row are rare: it must stop satisfying the
// condition, and satisfy it again before it is read.
const mostLostRaces = 200
const mostLostRacesForRow = 20

/** Tries until a row was written, or none is left. `tryOnce` returns `undefined` if another caller was faster. */
export async function untilWritten(table: StoredTable, where: Where, tryOnce: () => Promise<Row | null | undefined>): Promise<Row | null> {
  const isForRow = table.uniqueKeyIn(where) !== undefined
  for (let tries = 0; tries < (isForRow ? mostLostRacesForRow : mostLostRaces); tries++) {
    const row = await tryOnce()
    if (row !== undefined) return row
    if (isForRow) await pause(Math.random() * Math.min(20, 2 ** tries))
  }
  const hint = 'it wrote to no row although some match, perhaps because a trigger, a rule or a policy skipped the write'
  throw new Failure('conflict', { table: table.name, hint })
}
