import { setTimeout as sleep } from 'node:timers/promises'
import type { Parts, ProtectedSecrets, SecretCounts } from 'drizzle-auth-adapter/internal'
import { AdapterOperationError, rewriteSecrets } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import type { Context } from './command.js'
import { Problem } from './command.js'
import type { Opened } from './database.js'
import { progressOn, some } from './progress.js'
import type { SecretTables } from './secret-tables.js'
import { hasAccounts } from './secret-tables.js'
import { stopOnSignals } from './signals.js'

export interface RewriteWanted {
  limits: { batch: number; pause: number }
  quiet: boolean
  decrypt: boolean
}

/** Throws if the stored rows show that the app uses other secrets: the app could not read rows that were rewritten with these. */
export function refuseWrongSecrets({ sessions, tokens }: SecretCounts, { accounts }: Parts): void {
  if (sessions.foreign > 0 && sessions.hashed === 0)
    throw new Problem(
      'the stored sessions were hashed differently. Set AUTH_SESSION_HMAC if and only if sessionTokens of the app has hmac, to the same secret. Nothing was changed.',
      2,
    )
  const newest = accounts?.cipher.newest ?? ''
  const unreadable = tokens.unreadable.get(newest) ?? 0
  if (unreadable > 0 && unreadable === tokens.byKey.get(newest))
    throw new Problem(
      `the tokens of key ${newest} were encrypted with another secret than the one in AUTH_TOKEN_KEYS. Nothing was changed.`,
      2,
    )
}

/** Throws if neither the options nor the stored rows tell whether the app hashes sessions with a secret. */
export function refuseUnknownHash({ sessions: { plain, hashed, foreign } }: SecretCounts, check: boolean): void {
  if (foreign === 0 && (hashed > 0 || plain === 0 || check)) return
  throw new Problem(
    'if sessionTokens of the app has hmac, set AUTH_SESSION_HMAC to the same secret. Otherwise, pass --no-hmac. The app would not find sessions that are hashed differently. Nothing was changed.',
    2,
  )
}

/** Asks before rows are rewritten. Throws unless the answer is yes. */
export async function confirm(
  { sessions, unprotected, encrypted }: SecretCounts,
  tables: SecretTables,
  decrypt: boolean,
  address: string,
  ask: NonNullable<Context['ask']>,
): Promise<void> {
  const [plain, accounts] = [decrypt ? 0 : sessions.plain, decrypt ? encrypted : unprotected]
  if (plain + accounts === 0) return
  const parts = [
    ...(tables.sessionsTable ? [`hash ${some(plain, 'session')}, which cannot be undone,`] : []),
    ...(hasAccounts(tables) ? [`${decrypt ? 'decrypt' : 'encrypt'} the tokens of ${some(accounts, 'account')}`] : []),
  ]
  const answer = await ask(`This will ${parts.join(' and ')} in ${address}. Go on? yes, [no]: `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new Problem('stopped. Nothing was changed.')
}

// The adapter has already retried each statement for some seconds.
const lossesInARow = 3

/** Rewrites with a progress display, and stops at a signal. Continues after a lost connection, without repeating finished rows. */
export async function rewrite(
  opened: Opened,
  tables: SecretTables,
  parts: Parts,
  before: SecretCounts,
  { limits, quiet, decrypt }: RewriteWanted,
  context: Context,
): Promise<number> {
  const { stdout, stderr } = context
  const totals = { sessions: before.sessions.plain, accounts: decrypt ? before.encrypted : before.unprotected }
  const progress = await progressOn(context, quiet, 'rewritten', () => totals)
  const stop = stopOnSignals()
  const done: ProtectedSecrets = { sessions: 0, accounts: 0, finished: false }
  let unreadable: (string | undefined)[] = []
  try {
    for (let losses = 0; ; ) {
      const seen = { sessions: 0, accounts: 0 }
      unreadable = []
      try {
        const { finished } = await rewriteSecrets('secrets', opened.db, tables, parts, {
          ...limits,
          decrypt,
          signal: stop.signal,
          onUnreadable: (key) => unreadable.push(key),
          onProgress: ({ table, rewritten }) => {
            losses = 0
            done[table] += rewritten - seen[table]
            seen[table] = rewritten
            progress.show(table, done[table])
          },
        })
        done.finished = finished
        return !finished ? stop.exitCode() : unreadable.length > 0 ? 1 : 0
      } catch (error) {
        if (!(error instanceof AdapterOperationError) || error.kind !== 'unreachable' || ++losses > lossesInARow) throw error
        await sleep(100 * losses)
      }
    }
  } finally {
    progress.end()
    stop.forget()
    const isTold = done.finished || stop.signal.aborted || done.sessions + done.accounts > 0
    if (isTold && !quiet) stdout.write(`${done.finished ? '' : 'stopped; '}${inWords(done, tables, decrypt)}\n`)
    if (unreadable.length > 0) stderr.write(`drizzle-auth-adapter: ${unreadableInWords(unreadable)}\n`)
  }
}

function inWords({ sessions, accounts }: ProtectedSecrets, tables: SecretTables, decrypt: boolean): string {
  return [
    ...(tables.sessionsTable ? [`hashed ${some(sessions, 'session')}`] : []),
    ...(hasAccounts(tables) ? [`${decrypt ? 'decrypted' : 'encrypted'} the tokens of ${some(accounts, 'account')}`] : []),
  ].join(' and ')
}

function unreadableInWords(unreadable: readonly (string | undefined)[]): string {
  const keys = [...new Set(unreadable)].map((key) => (key === undefined ? 'unknown key' : `key ${key}`))
  return `${some(unreadable.length, 'token')} cannot be decrypted (${keys.join(', ')}) and ${unreadable.length === 1 ? 'was' : 'were'} not changed. Add the key to AUTH_TOKEN_KEYS, or set the columns to null.`
}

/** The write-ahead log contains old values until it is truncated. */
export async function truncateLog({ db }: Opened, say: (line: string) => unknown): Promise<void> {
  const pragma = sql`pragma wal_checkpoint(truncate)`
  const run = async () => (db as unknown as { all(query: unknown): Promise<object[]> }).all(pragma)
  const [row] = await run().catch(() => [])
  if (!row || Number(Object.values(row)[0]) !== 0)
    say('The write-ahead log could not be truncated and may contain old values. Run later: PRAGMA wal_checkpoint(truncate)')
}
