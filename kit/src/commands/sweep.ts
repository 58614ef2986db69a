import type { DeleteExpiredOptions, Expiring } from 'drizzle-auth-adapter/internal'
import { dialectOfTables, expiringIn, sweepTables } from 'drizzle-auth-adapter/internal'
import type { Column } from 'drizzle-orm'
import { and, getTableColumns, gte, lt } from 'drizzle-orm'
import { inBatches, some } from './batches.js'
import type { Command, Context } from './command.js'
import { Problem } from './command.js'
import type { Advice, Opened, Work } from './connection.js'
import { countRows, onDatabase } from './connection.js'
import { batchHelp, databaseHelp, databaseOptions, flags, oneOf, pastDate, readLimits, readOptions, tableName, values } from './options.js'
import { findTables } from './tables.js'

const help = `Usage: drizzle-auth-kit sweep [options]

Deletes expired sessions and verification tokens of Auth.js and of Better Auth, and rate limits of
Better Auth whose last request is older than a day, in small batches, while the app runs.
Ctrl-C stops it after the current batch; the next run continues from there.

${databaseHelp}  --sessions NAME  the sessions table (session); if it is in a schema, such as auth.session;
                   with --schema, the name of its export (sessionsTable or sessions)
  --tokens NAME    the verification tokens table (verificationToken); with --schema, the name
                   of its export (verificationTokensTable or verificationTokens)
  --only WHAT      only sessions, only tokens (verifications of Better Auth), or only rate-limits
  --before DATE    delete rows that expired before this date, such as 2026-01-31 (now)
${batchHelp}  --dry-run        count expired rows, and delete nothing
  --quiet          print only errors; not with --dry-run
  --help           print this help
  --version        print the version

Exit codes: 0 success, 1 failed, 2 wrong usage or settings, 130 or 143 stopped by a signal.
`

const options = { ...databaseOptions, ...values('sessions', 'tokens', 'only', 'before', 'batch', 'pause'), ...flags('dry-run', 'quiet') }

export const command: Command = {
  help,
  async run(args, context) {
    const wanted = read(args)
    const work = async ({ opened, settings, say }: Work) => {
      const { expiring, titles } = await expiringTables({ opened, settings, say }, wanted, context)
      say(`${wanted.dryRun ? 'counting' : 'sweeping'} the tables of ${titles} in ${settings.target.address}`)
      if (opened.dialect === 'sqlite') await refuseSeconds(opened, expiring)
      if (!wanted.dryRun) return clean(opened, expiring, wanted, context)
      context.stdout.write(`${inWords(await countExpired(opened, expiring, wanted.limits.before), expiring)} would be deleted\n`)
      return 0
    }
    return onDatabase(wanted, context, work, advice)
  },
}

type Wanted = ReturnType<typeof read>

function read(args: string[]) {
  const { sessions, tokens, only, before, quiet = false, 'dry-run': dryRun = false, batch, pause, ...given } = readOptions(args, options)
  if (dryRun && quiet) throw new Problem('--dry-run prints a count, which --quiet would hide. Leave out one of them.', 2)
  return {
    ...given,
    names: {
      sessions: sessions && tableName('--sessions', sessions),
      tokens: tokens && tableName('--tokens', tokens),
    },
    only: only === undefined ? undefined : oneOf('--only', only, ['sessions', 'tokens', 'rate-limits']),
    limits: { before: before === undefined ? new Date() : pastDate('--before', before), ...readLimits({ batch, pause }) },
    dryRun,
    quiet,
  }
}

const countedBy = {
  sessions: ['sessions'],
  tokens: ['verificationTokens', 'verifications'],
  'rate-limits': ['rateLimits'],
}

/** The tables to sweep. Throws if they cannot be swept. */
async function expiringTables({ opened, settings }: Work, { names, only }: Wanted, context: Context) {
  const found = await findTables(opened, settings, context, names)
  const expiring = expiringIn(found).filter(({ counted }) => only === undefined || countedBy[only].includes(counted))
  if (expiring.length === 0)
    throw new Problem(
      `${settings.schemaSource} exports no table ${only ? `for --only ${only}` : 'whose rows expire'}. Pass another file with --schema, or the names of the exports with --sessions and --tokens.`,
      2,
    )
  // Checks the tables, and deletes nothing.
  await deleteExpired(opened, expiring, { signal: AbortSignal.abort() })
  return { expiring, titles: found.titles }
}

const deleteExpired = ({ db }: Opened, expiring: readonly Expiring[], limits: DeleteExpiredOptions) => {
  const tables = Object.fromEntries(expiring.map(({ counted, table }) => [counted, table]))
  return sweepTables(dialectOfTables(tables, 'sweep', ''), db, expiring, limits)
}

/** Deletes with a progress display, and stops at a signal. */
async function clean(opened: Opened, expiring: Expiring[], { limits, quiet }: Wanted, context: Context): Promise<number> {
  const totals = context.stderr.isTTY && !quiet ? await countExpired(opened, expiring, limits.before) : {}
  return inBatches({
    context,
    quiet,
    verb: 'deleted',
    totals,
    async work(signal, onProgress) {
      const report = ({ table, deleted }: { table: string; deleted: number }) => onProgress(titleOf(table), deleted)
      return (await deleteExpired(opened, expiring, { ...limits, signal, onProgress: report })).finished
    },
    summary: (counts) => `deleted ${inWords(counts, expiring)}`,
  })
}

type Counts = Partial<Record<string, number>>

/** `verificationTokens` as `verification tokens`. */
const titleOf = (counted: string) => counted.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

async function countExpired(opened: Opened, expiring: readonly Expiring[], before: Date): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const each of expiring) {
    const title = titleOf(each.counted)
    counts[title] = (counts[title] ?? 0) + (await countRows('sweep', opened, each.table, lt(columnOf(each), each.bound(before))))
  }
  return counts
}

function inWords(counts: Counts, expiring: Expiring[]): string {
  const titles = [...new Set(expiring.map(({ counted }) => titleOf(counted)))]
  const parts = titles.map((title) => some(counts[title] ?? 0, title.slice(0, -1)))
  return [parts.slice(0, -1).join(', '), parts.at(-1)].filter(Boolean).join(' and ')
}

const columnOf = ({ table, column }: Expiring) => getTableColumns(table)[column as never] as Column

/**
 * SQLite has no type for dates. The default tables store milliseconds. In a table that stores seconds, every row would look expired.
 * Present-day seconds, read as milliseconds, are dates in the first months of 1970.
 */
async function refuseSeconds(opened: Opened, expiring: readonly Expiring[]): Promise<void> {
  for (const each of expiring.filter(({ column }) => column !== 'lastRequest')) {
    const column = columnOf(each)
    if ((await countRows('sweep', opened, each.table, and(gte(column, new Date(1e9)), lt(column, new Date(1e10))))) > 0)
      throw new Problem(
        `the column ${each.column} seems to store seconds instead of milliseconds. Pass --schema with the file that declares it.`,
      )
  }
}

const advice: Advice = {
  denied: 'This user needs SELECT and DELETE privileges, and on PostgreSQL also UPDATE.',
  schema:
    'If your tables have other names, pass them with --sessions and --tokens, or pass --schema. If you have only one of them, pass --only.',
  'still-referenced': 'Add ON DELETE CASCADE to the foreign keys that reference it, or delete those rows first.',
  conflict: 'Run it again, with a smaller --batch.',
  timeout: 'Run it again, with a smaller --batch.',
}
