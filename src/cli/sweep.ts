import type { Command, Context } from './command.js'
import { Problem } from './command.js'
import type { Work } from './connection.js'
import { onDatabase } from './connection.js'
import type { DeleteExpiredOptions, ExpiringTables } from './core.js'
import type { Opened } from './database.js'
import type { Counts } from './expired.js'
import { checkTables, countExpired, deleteAll, refuseSeconds } from './expired.js'
import { batchHelp, batchOptions, databaseHelp, databaseOptions, oneOf, pastDate, readLimits, readOptions, tableName } from './options.js'
import { progressOn, some } from './progress.js'
import type { Settings } from './settings.js'
import { stopOnSignals } from './signals.js'
import { defaultTables, pickTable, schemaTables } from './tables.js'

const help = `Usage: drizzle-auth-adapter sweep [options]

Deletes expired sessions and verification tokens in small batches, while the app runs.
Ctrl-C stops it after the current batch; the next run continues from there.

${databaseHelp}  --sessions NAME  the sessions table (session); if it is in a schema, such as auth.session;
                   with --schema, the name of its export (sessionsTable or sessions)
  --tokens NAME    the verification tokens table (verificationToken); with --schema, the name
                   of its export (verificationTokensTable or verificationTokens)
  --only WHAT      only sessions, or only tokens
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
      const tables = await tablesFor(opened, settings, wanted, context)
      say(`${wanted.dryRun ? 'counting' : 'sweeping'} ${settings.target.address}`)
      return wanted.dryRun ? count(opened, tables, wanted.limits.before, context) : clean(opened, tables, wanted, context)
    }
    return onDatabase(wanted, context, work, advice)
  },
}

type Wanted = ReturnType<typeof read>

function read(args: string[]) {
  const values = readOptions(args, options)
  const { url, schema, sessions, tokens, only, before, quiet = false, 'dry-run': dryRun = false } = values
  if (dryRun && quiet) throw new Problem('--dry-run prints a count, which --quiet would hide. Leave out one of them.', 2)
  return {
    url,
    schema,
    // Names without --schema are names in the database.
    names: schema === undefined && (sessions ?? tokens) !== undefined,
    sessions: sessions && tableName('--sessions', sessions),
    tokens: tokens && tableName('--tokens', tokens),
    only: only && oneOf('--only', only, ['sessions', 'tokens']),
    limits: {
      before: before === undefined ? new Date() : pastDate('--before', before),
      ...readLimits(values),
    } satisfies DeleteExpiredOptions,
    dryRun,
    quiet,
  }
}

async function tablesFor(opened: Opened, settings: Settings, wanted: Wanted, { cwd }: Context): Promise<ExpiringTables> {
  const { only, sessions, tokens } = wanted
  const isDefault = wanted.names || !settings.schema
  const all = isDefault
    ? await defaultTables(opened.dialect, { session: sessions, verificationToken: tokens })
    : await schemaTables(settings, cwd)
  const pick = (option: string, given: string | undefined, usual: string[], name: string) =>
    pickTable(all, option, isDefault ? undefined : given, usual, name)
  const sessionsTable = only === 'tokens' ? undefined : pick('--sessions', sessions, ['sessionsTable', 'sessions'], 'session')
  const verificationTokensTable =
    only === 'sessions' ? undefined : pick('--tokens', tokens, ['verificationTokensTable', 'verificationTokens'], 'verificationToken')
  if (!sessionsTable && !verificationTokensTable)
    throw new Problem(
      `${settings.schemaSource} exports neither sessionsTable nor verificationTokensTable. Pass another file with --schema, or the names of the exports with --sessions and --tokens.`,
      2,
    )
  const tables = { ...(sessionsTable && { sessionsTable }), ...(verificationTokensTable && { verificationTokensTable }) } as ExpiringTables
  await checkTables(opened, tables)
  if (isDefault) await refuseSeconds(opened, tables)
  return tables
}

const titles = { sessions: 'sessions', verificationTokens: 'verification tokens' }

/** Deletes with a progress display, and stops at a signal. */
async function clean(opened: Opened, tables: ExpiringTables, { limits, quiet }: Wanted, context: Context): Promise<number> {
  const { stdout } = context
  const progress = await progressOn(context, quiet, 'deleted', async () => titled(await countExpired(opened, tables, limits.before)))
  const stop = stopOnSignals()
  const counts: Counts = { sessions: 0, verificationTokens: 0 }
  let isFinished = false
  try {
    isFinished = await deleteAll(opened, tables, { ...limits, signal: stop.signal }, (table, deleted) => {
      counts[table] += deleted
      progress.show(titles[table], counts[table])
    })
    return isFinished ? 0 : stop.exitCode()
  } finally {
    progress.end()
    stop.forget()
    const isTold = isFinished || stop.signal.aborted || counts.sessions + counts.verificationTokens > 0
    if (isTold && !quiet) stdout.write(`${isFinished ? '' : 'stopped; '}deleted ${inWords(counts, tables)}\n`)
  }
}

async function count(opened: Opened, tables: ExpiringTables, before: Date, { stdout }: Context): Promise<number> {
  stdout.write(`${inWords(await countExpired(opened, tables, before), tables)} would be deleted\n`)
  return 0
}

const titled = ({ sessions, verificationTokens }: Counts) => ({
  [titles.sessions]: sessions,
  [titles.verificationTokens]: verificationTokens,
})

function inWords({ sessions, verificationTokens }: Counts, tables: ExpiringTables): string {
  return [
    ...(tables.sessionsTable ? [some(sessions, 'session')] : []),
    ...(tables.verificationTokensTable ? [some(verificationTokens, 'verification token')] : []),
  ].join(' and ')
}

const advice = {
  denied: 'This user needs SELECT and DELETE privileges, and on PostgreSQL also UPDATE.',
  schema:
    'If your tables have other names, pass them with --sessions and --tokens, or pass --schema. If you have only one of them, pass --only.',
  'still-referenced': 'Add ON DELETE CASCADE to the foreign keys that reference it, or delete those rows first.',
  conflict: 'Run it again, with a smaller --batch.',
  timeout: 'Run it again, with a smaller --batch.',
}
