import { setTimeout as sleep } from 'node:timers/promises'
import type { DeleteExpiredOptions, ExpiredProgress, Expiring } from 'drizzle-auth-adapter/internal'
import { AdapterOperationError } from 'drizzle-auth-adapter/internal'
import type { Column, Table } from 'drizzle-orm'
import { and, getTableColumns, gte, lt } from 'drizzle-orm'
import { Problem } from './command.js'
import { deleteExpiredIn } from './core.js'
import type { Opened } from './database.js'
import { countRows } from './database.js'

/** The rows that expire, in the order in which they are deleted, with their name for one of them. */
export const kinds = {
  sessions: 'session',
  verificationTokens: 'verification token',
  verifications: 'verification',
  rateLimits: 'rate limit',
} as const satisfies Record<ExpiredProgress['table'], string>

export type Counts = Record<keyof typeof kinds, number>

export const noCounts = (): Counts => ({ sessions: 0, verificationTokens: 0, verifications: 0, rateLimits: 0 })

/** Throws if the tables cannot be swept. Deletes nothing. */
export async function checkTables({ db }: Opened, expiring: readonly Expiring[]): Promise<void> {
  await deleteExpiredIn(db, expiring, { signal: AbortSignal.abort() })
}

// The adapter has already retried each statement for some seconds.
const lossesInARow = 3

/** Continues after a lost connection: deleting expired rows again is harmless. Returns whether it finished. */
export async function deleteAll(
  { db }: Opened,
  expiring: readonly Expiring[],
  limits: DeleteExpiredOptions,
  onDeleted: (table: keyof Counts, rows: number) => void,
): Promise<boolean> {
  for (let losses = 0; ; ) {
    const seen = noCounts()
    try {
      const onProgress = ({ table, deleted }: ExpiredProgress) => {
        losses = 0
        onDeleted(table, deleted - seen[table])
        seen[table] = deleted
      }
      return (await deleteExpiredIn(db, expiring, { ...limits, onProgress })).finished
    } catch (error) {
      if (!(error instanceof AdapterOperationError) || error.kind !== 'unreachable' || ++losses > lossesInARow) throw error
      await sleep(100 * losses)
    }
  }
}

export async function countExpired(opened: Opened, expiring: readonly Expiring[], before: Date): Promise<Counts> {
  const counts = noCounts()
  for (const { counted, table, column, bound } of expiring)
    counts[counted] += await countRows('sweep', opened, table, lt(columnOf(table, column), bound(before)))
  return counts
}

const columnOf = (table: Table, name: string) => (getTableColumns(table) as Record<string, Column>)[name] as Column

/**
 * SQLite has no type for dates. The default tables store milliseconds. In a table that stores seconds, every row would look expired.
 * Present-day seconds, read as milliseconds, are dates in the first months of 1970.
 */
export async function refuseSeconds(opened: Opened, expiring: readonly Expiring[]): Promise<void> {
  if (opened.dialect !== 'sqlite') return
  for (const { table, column } of expiring) {
    const expires = columnOf(table, column)
    const seconds = and(gte(expires, new Date(1e9)), lt(expires, new Date(1e10))) as ReturnType<typeof lt>
    if ((await countRows('sweep', opened, table, seconds)) > 0)
      throw new Problem('the column expires seems to store seconds instead of milliseconds. Pass --schema with the file that declares it.')
  }
}
