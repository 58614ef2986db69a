import type { DeleteExpiredOptions, Expiring } from 'drizzle-auth-adapter/internal'
import { expiringIn } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import type { Command, Context } from './command.js'
import { Problem } from './command.js'
import type { Work } from './connection.js'
import { onDatabase } from './connection.js'
import type { Opened } from './database.js'
import type { Counts } from './expired.js'
import { checkTables, countExpired, deleteAll, kinds, noCounts, refuseSeconds } from './expired.js'
import { findTables, librariesOf } from './libraries.js'
import { batchHelp, batchOptions, databaseHelp, databaseOptions, oneOf, pastDate, readLimits, readOptions, tableName } from './options.js'
import { progressOn, some } from './progress.js'
import type { Settings } from './settings.js'
import { stopOnSignals } from './signals.js'
import { chooseTable, defaultTables } from './tables.js'

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

const options = {
  ...databaseOptions,
  sessions: { type: 'string' },
  tokens: { type: 'string' },
  only: { type: 'string' },
  before: { type: 'string' },
  ...batchOptions,
  'dry-run': { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const

export const sweep: Command = {
  summary: 'deletes expired sessions and verification tokens',
  help,
  async run(args, context) {
    const wanted = read(args)
    const work = async ({ opened, settings, say }: Work) => {
      const { expiring, titles } = await tablesFor(opened, settings, wanted, context)
      say(`${wanted.dryRun ? 'counting' : 'sweeping'} the tables of ${titles} in ${settings.target.address}`)
      if (wanted.names || !settings.schema) await refuseSeconds(opened, expiring)
      return wanted.dryRun ? count(opened, expiring, wanted.limits.before, context) : clean(opened, expiring, wanted, context)
    }
    return onDatabase(wanted, context, work, advice)
  },
}

type Wanted = ReturnType<typeof read>

function read(args: string[]) {
  const values = readOptions(args, options)
  const { db, url, schema, sessions, tokens, only, before, quiet = false, 'dry-run': dryRun = false } = values
  if (dryRun && quiet) throw new Problem('--dry-run prints a count, which --quiet would hide. Leave out one of them.', 2)
  return {
    db,
    url,
    schema,
    // Names without --schema are names in the database.
    names: schema === undefined && (sessions ?? tokens) !== undefined,
    sessions: sessions && tableName('--sessions', sessions),
    tokens: tokens && tableName('--tokens', tokens),
    only: only === undefined ? undefined : oneOf('--only', only, ['sessions', 'tokens', 'rate-limits']),
    limits: {
      before: before === undefined ? new Date() : pastDate('--before', before),
      ...readLimits(values),
    } satisfies DeleteExpiredOptions,
    dryRun,
    quiet,
  }
}

const countedBy = {
  sessions: ['sessions'],
  tokens: ['verificationTokens', 'verifications'],
  'rate-limits': ['rateLimits'],
}

async function tablesFor(opened: Opened, settings: Settings, wanted: Wanted, context: Context): Promise<Swept> {
  const { only, sessions, tokens } = wanted
  const found = wanted.names
    ? librariesOf(await defaultTables(opened.dialect, { session: sessions, verificationToken: tokens }))
    : await findTables(opened, settings, context, (all) => choose(all, sessions, tokens))
  const expiring = expiringIn(found).filter(({ counted }) => only === undefined || countedBy[only].includes(counted))
  if (expiring.length === 0)
    throw new Problem(
      `${settings.schemaSource} exports no table ${only ? `for --only ${only}` : 'whose rows expire'}. Pass another file with --schema, or the names of the exports with --sessions and --tokens.`,
      2,
    )
  await checkTables(opened, expiring)
  return { expiring, titles: found.titles }
}

interface Swept {
  expiring: Expiring[]
  titles: string
}

/** Gives the tables that the user has named the names by which they are recognized. */
function choose(all: Record<string, Table>, sessions: string | undefined, tokens: string | undefined): Record<string, Table> {
  const first = chooseTable(all, '--sessions', sessions, { expires: 'sessionsTable', expiresAt: 'session' })
  return chooseTable(first, '--tokens', tokens, { expires: 'verificationTokensTable', expiresAt: 'verification' })
}

/** Deletes with a progress display, and stops at a signal. */
async function clean(opened: Opened, expiring: Expiring[], { limits, quiet }: Wanted, context: Context): Promise<number> {
  const { stdout } = context
  const progress = await progressOn(context, quiet, 'deleted', async () => titled(await countExpired(opened, expiring, limits.before)))
  const stop = stopOnSignals()
  const counts = noCounts()
  let isFinished = false
  try {
    isFinished = await deleteAll(opened, expiring, { ...limits, signal: stop.signal }, (table, deleted) => {
      counts[table] += deleted
      progress.show(`${kinds[table]}s`, counts[table])
    })
    return isFinished ? 0 : stop.exitCode()
  } finally {
    progress.end()
    stop.forget()
    const isTold = isFinished || stop.signal.aborted || Object.values(counts).some((deleted) => deleted > 0)
    if (isTold && !quiet) stdout.write(`${isFinished ? '' : 'stopped; '}deleted ${inWords(counts, expiring)}\n`)
  }
}

async function count(opened: Opened, expiring: Expiring[], before: Date, { stdout }: Context): Promise<number> {
  stdout.write(`${inWords(await countExpired(opened, expiring, before), expiring)} would be deleted\n`)
  return 0
}

const kindNames = Object.keys(kinds) as (keyof Counts)[]

const titled = (counts: Counts) => Object.fromEntries(kindNames.map((name) => [`${kinds[name]}s`, counts[name]]))

function inWords(counts: Counts, expiring: Expiring[]): string {
  const swept = kindNames.filter((name) => expiring.some(({ counted }) => counted === name))
  const parts = swept.map((name) => some(counts[name], kinds[name]))
  return [parts.slice(0, -1).join(', '), parts.at(-1)].filter(Boolean).join(' and ')
}

const advice = {
  denied: 'This user needs SELECT and DELETE privileges, and on PostgreSQL also UPDATE.',
  schema:
    'If your tables have other names, pass them with --sessions and --tokens, or pass --schema. If you have only one of them, pass --only.',
  'still-referenced': 'Add ON DELETE CASCADE to the foreign keys that reference it, or delete those rows first.',
  conflict: 'Run it again, with a smaller --batch.',
  timeout: 'Run it again, with a smaller --batch.',
}
