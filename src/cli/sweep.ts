import { parseArgs } from 'node:util'
import type { Column, Table } from 'drizzle-orm'
import { and, getTableColumns, gte, lt, sql } from 'drizzle-orm'
import { dialects } from '../dialects/all.js'
import type { FailureKind } from '../errors.js'
import { AdapterOperationError } from '../errors.js'
import type { DeletedExpired, DeleteExpiredOptions, ExpiringTables } from '../expired.js'
import { deleteExpired } from '../expired.js'
import { operationError } from '../guard.js'
import type { Command } from './command.js'
import { Problem } from './command.js'
import type { Opened } from './database.js'
import { openDatabase } from './database.js'
import { bars, lines, silence } from './progress.js'
import { tablesFor } from './tables.js'

const help = `Usage: drizzle-auth-adapter sweep [options]

Deletes expired sessions and verification tokens in small batches, while the app runs.
Ctrl-C stops it after the batch that is running; the next run goes on from there.

  --url URL        the database; DATABASE_URL by default. One of postgres://…, mysql://…,
                   libsql://…, file:app.db or the path of a file. A token for libsql is
                   read from DATABASE_AUTH_TOKEN or TURSO_AUTH_TOKEN.
  --schema FILE    a module that exports sessionsTable and verificationTokensTable;
                   without it, the tables are those of defineTables()
  --sessions NAME  the table of sessions (session), as in auth.session for one in a schema;
                   with --schema, the name of its export
  --tokens NAME    the table of verification tokens (verificationToken), likewise
  --only WHAT      sessions or tokens alone
  --before DATE    delete what expired before this date, as in 2026-01-31 (now)
  --batch N        the most rows that one statement deletes (200)
  --pause MS       milliseconds between two statements (100)
  --dry-run        count what has expired, and delete nothing
  --quiet          print nothing but errors
  --help           print this

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 or 143 stopped by a signal.
`

const options = {
  url: { type: 'string' },
  schema: { type: 'string' },
  sessions: { type: 'string' },
  tokens: { type: 'string' },
  only: { type: 'string' },
  before: { type: 'string' },
  batch: { type: 'string' },
  pause: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
} as const

export const sweep: Command = {
  summary: 'deletes expired sessions and verification tokens',
  help,
  async run(args) {
    const values = parse(args)
    const url = values.url ?? process.env.DATABASE_URL
    if (!url) throw new Problem('which database? Pass --url, or set DATABASE_URL.', 2)
    const limits = {
      before: values.before === undefined ? new Date() : dateOf(values.before),
      ...(values.batch !== undefined && { batch: numberOf('--batch', values.batch) }),
      ...(values.pause !== undefined && { pause: numberOf('--pause', values.pause) }),
    }
    const opened = await openDatabase(url)
    try {
      const tables = await tablesFor(opened.dialect, values)
      if (!values.schema) await refuseSeconds(opened, tables)
      if (!values.quiet) process.stderr.write(`${values['dry-run'] ? 'counting' : 'sweeping'} ${opened.address}\n`)
      return values['dry-run'] ? await count(opened, tables, limits.before) : await clean(opened, tables, limits, values.quiet)
    } catch (error) {
      throw withAdvice(error)
    } finally {
      await opened.close()
    }
  },
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new Problem(`${(error as Error).message.split('. ')[0]}. --help lists the options.`, 2)
  }
}

function dateOf(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new Problem(`--before takes a date such as 2026-01-31 or 2026-01-31T12:00:00Z, not ${text}.`, 2)
  return date
}

function numberOf(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Problem(`${option} takes a whole number, not ${text}.`, 2)
  return Number(text)
}

/** Deletes, shows how far it is, and minds signals. */
async function clean(opened: Opened, tables: ExpiringTables, limits: DeleteExpiredOptions & { before: Date }, quiet: boolean) {
  const { stderr } = process
  const progress = quiet ? silence : stderr.isTTY ? bars(stderr, titled(await countExpired(opened, tables, limits.before))) : lines(stderr)
  const stop = stopOnSignals()
  try {
    const counts = await deleteExpired(opened.db as never, tables, {
      ...limits,
      signal: stop.signal,
      onProgress: ({ table, deleted }) => progress.show(titles[table], deleted),
    })
    progress.end()
    if (!quiet) process.stdout.write(`${counts.finished ? 'deleted' : 'stopped; deleted'} ${inWords(counts, tables)}\n`)
    return counts.finished ? 0 : stop.exitCode()
  } finally {
    progress.end()
    stop.forget()
  }
}

async function count(opened: Opened, tables: ExpiringTables, before: Date): Promise<number> {
  const counts = await countExpired(opened, tables, before)
  process.stdout.write(`${inWords(counts, tables)} would be deleted\n`)
  return 0
}

const signals = { SIGINT: 130, SIGTERM: 143 } as const

// npx passes a signal on that the terminal has sent to everyone already: only one that comes later is a second one.
const sameSignal = 1_000

function stopOnSignals() {
  const stopping = new AbortController()
  let first: { signal: keyof typeof signals; time: number } | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (first && Date.now() - first.time > sameSignal) process.exit(signals[first.signal])
    first ??= { signal: signal as keyof typeof signals, time: Date.now() }
    stopping.abort()
  }
  for (const signal of Object.keys(signals)) process.on(signal, onSignal)
  return {
    signal: stopping.signal,
    exitCode: () => (first ? signals[first.signal] : 1),
    forget: () => {
      for (const signal of Object.keys(signals)) process.off(signal, onSignal)
    },
  }
}

const titles = { sessions: 'sessions', verificationTokens: 'verification tokens' } as const

type Counts = Pick<DeletedExpired, 'sessions' | 'verificationTokens'>

const titled = ({ sessions, verificationTokens }: Counts) => ({
  [titles.sessions]: sessions,
  [titles.verificationTokens]: verificationTokens,
})

function inWords({ sessions, verificationTokens }: Counts, tables: ExpiringTables): string {
  const some = (count: number, one: string) => `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`
  return [
    ...(tables.sessionsTable ? [some(sessions, 'session')] : []),
    ...(tables.verificationTokensTable ? [some(verificationTokens, 'verification token')] : []),
  ].join(' and ')
}

async function countExpired(opened: Opened, { sessionsTable, verificationTokensTable }: ExpiringTables, before: Date): Promise<Counts> {
  const countIn = async (table: Table | undefined) => (table ? rowsOf(opened, table, lt(expiryOf(table), before)) : 0)
  return { sessions: await countIn(sessionsTable), verificationTokens: await countIn(verificationTokensTable) }
}

const expiryOf = (table: Table) => (getTableColumns(table) as Record<string, Column>).expires as Column

async function rowsOf({ db, dialect }: Opened, table: Table, condition: ReturnType<typeof lt>): Promise<number> {
  const own = dialects[dialect]
  try {
    const query = db.select({ count: sql`count(*)` }).from(table).where(condition)
    const [row] = (await own.once(query, true)({})) as [{ count: unknown }]
    return Number(row.count)
  } catch (error) {
    throw operationError('sweep', error, own)
  }
}

/**
 * SQLite has no type for dates. The default tables hold milliseconds; in a table that holds seconds every row would seem to be long expired.
 * Seconds of our age, read as milliseconds, are of the first weeks of 1970.
 */
async function refuseSeconds(opened: Opened, tables: ExpiringTables): Promise<void> {
  if (opened.dialect !== 'sqlite') return
  for (const table of Object.values(tables) as Table[]) {
    const expires = expiryOf(table)
    const seconds = and(gte(expires, new Date(1e9)), lt(expires, new Date(1e10))) as ReturnType<typeof lt>
    if ((await rowsOf(opened, table, seconds)) > 0)
      throw new Problem('the column expires seems to hold seconds, not milliseconds. Pass the file that declares it with --schema.')
  }
}

const advice: Partial<Record<FailureKind, string>> = {
  unreachable: 'Is the server running, and is its address right?',
  denied: 'Check the name and the password in the URL, and that this user may select and delete.',
  schema: 'If your tables have other names, say so with --sessions and --tokens, or pass --schema; --only takes one of them alone.',
  'still-referenced': 'Let the foreign keys that refer to it cascade, or delete those rows first.',
  conflict: 'Run it again, with a smaller --batch.',
  timeout: 'Run it again, with a smaller --batch.',
}

function withAdvice(error: unknown): unknown {
  const next = error instanceof AdapterOperationError ? advice[error.kind] : undefined
  return next ? new Problem(`${(error as Error).message}. ${next}`) : error
}
