import { setTimeout as sleep } from 'node:timers/promises'
import type { Column, Table } from 'drizzle-orm'
import { and, getTableColumns, gte, lt } from 'drizzle-orm'
import { Problem } from './command.js'
import type { DeleteExpiredOptions, ExpiringTables } from './core.js'
import { AdapterOperationError, deleteExpired } from './core.js'
import type { Opened } from './database.js'
import { countRows } from './database.js'

export interface Counts {
  sessions: number
  verificationTokens: number
}

/** Throws if the tables cannot be swept. Deletes nothing. */
export async function checkTables({ db }: Opened, tables: ExpiringTables): Promise<void> {
  await deleteExpired(db as never, tables, { signal: AbortSignal.abort() })
}

// The adapter has already retried each statement for some seconds.
const lossesInARow = 3

/** Continues after a lost connection: deleting expired rows again is harmless. Returns whether it finished. */
export async function deleteAll(
  { db }: Opened,
  tables: ExpiringTables,
  limits: DeleteExpiredOptions,
  onDeleted: (table: keyof Counts, rows: number) => void,
): Promise<boolean> {
  for (let losses = 0; ; ) {
    const seen: Counts = { sessions: 0, verificationTokens: 0 }
    try {
      const onProgress = ({ table, deleted }: { table: keyof Counts; deleted: number }) => {
        losses = 0
        onDeleted(table, deleted - seen[table])
        seen[table] = deleted
      }
      return (await deleteExpired(db as never, tables, { ...limits, onProgress })).finished
    } catch (error) {
      if (!(error instanceof AdapterOperationError) || error.kind !== 'unreachable' || ++losses > lossesInARow) throw error
      await sleep(100 * losses)
    }
  }
}

export async function countExpired(
  opened: Opened,
  { sessionsTable, verificationTokensTable }: ExpiringTables,
  before: Date,
): Promise<Counts> {
  const countIn = async (table: Table | undefined) => (table ? countRows('sweep', opened, table, lt(expiryOf(table), before)) : 0)
  return { sessions: await countIn(sessionsTable), verificationTokens: await countIn(verificationTokensTable) }
}

const expiryOf = (table: Table) => (getTableColumns(table) as Record<string, Column>).expires as Column

/**
 * SQLite has no type for dates. The default tables store milliseconds. In a table that stores seconds, every row would look expired.
 * Present-day seconds, read as milliseconds, are dates in the first months of 1970.
 */
export async function refuseSeconds(opened: Opened, tables: ExpiringTables): Promise<void> {
  if (opened.dialect !== 'sqlite') return
  for (const table of Object.values(tables) as Table[]) {
    const expires = expiryOf(table)
    const seconds = and(gte(expires, new Date(1e9)), lt(expires, new Date(1e10))) as ReturnType<typeof lt>
    if ((await countRows('sweep', opened, table, seconds)) > 0)
      throw new Problem('the column expires seems to store seconds instead of milliseconds. Pass --schema with the file that declares it.')
  }
}
