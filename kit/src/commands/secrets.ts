import type { Parts, SecretCounts } from 'drizzle-auth-adapter/internal'
import { AdapterConfigError, countSecrets, partsOf, rewriteSecrets, secretsAtRest } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import { inBatches, number, some, startProgress } from './batches.js'
import type { Command, Context, Prompts } from './command.js'
import { Problem } from './command.js'
import type { Advice, Opened, Work } from './connection.js'
import { onDatabase } from './connection.js'
import { batchHelp, databaseHelp, databaseOptions, flags, oneOf, readLimits, readOptions, tableName, values } from './options.js'
import { findTables } from './tables.js'

const help = `Usage: drizzle-auth-kit secrets [options]

Hashes plain session tokens, encrypts plain OAuth tokens, and re-encrypts tokens that use an old
key, in small batches while the app runs. Of Better Auth, OAuth tokens only.
Every instance of the app must have the mode 'migrating' or beyond in the options sessionTokens and
accountTokens of secretsAtRest.
It asks before it changes anything. Ctrl-C stops it after the current batch; the next run continues
from there.

${databaseHelp}  --sessions NAME  the sessions table (session); if it is in a schema, such as auth.session;
                   with --schema, the name of its export (sessionsTable or sessions)
  --accounts NAME  the accounts table (account); with --schema, the name of its export
                   (accountsTable or accounts)
  --only WHAT      only sessions, or only accounts
  --check          change nothing; count plain tokens and the tokens of each key, decrypt each
                   of them, and exit with 1 if anything is left to rewrite or cannot be decrypted
  --yes            do not ask; required without a terminal
  --no-hmac        sessionTokens of the app has no hmac. Not needed if AUTH_SESSION_HMAC is set,
                   or if the app has already stored hashed sessions
  --decrypt        decrypt the tokens of accounts; every instance must have
                   accountTokens.mode 'ready'. Hashing of sessions cannot be undone.
${batchHelp}  --quiet          print only errors; not with --check
  --help           print this help
  --version        print the version

Secrets are read from the environment or from .env:
  AUTH_TOKEN_KEYS    id:secret,id:secret: the keys of accountTokens, the newest first.
                     Required unless --only sessions is passed.
  AUTH_SESSION_HMAC  hmac of sessionTokens, if the app sets it

Exit codes: 0 success, 1 failed or rows left to rewrite, 2 wrong usage or settings,
130 or 143 stopped by a signal.
`

const options = {
  ...databaseOptions,
  ...values('sessions', 'accounts', 'only', 'batch', 'pause'),
  ...flags('check', 'yes', 'decrypt', 'no-hmac', 'quiet'),
}

export const command: Command = {
  help,
  async run(args, context) {
    const wanted = read(args)
    const { check, decrypt, noHmac, yes } = wanted
    let parts: Parts
    const work = async ({ opened, settings, say }: Work) => {
      const { tables, titles } = await secretTables({ opened, settings, say }, wanted, context)
      const { address } = settings.target
      say(`counting the tables of ${titles} in ${address}`)
      const job: Job = { opened, tables, parts, wanted, context }
      const counts = await count(job)
      refuseWrongSecrets(counts, job)
      if (check) return report(counts, job)
      const mode = decrypt ? "accountTokens.mode 'ready'" : "the mode 'migrating' or beyond in sessionTokens and accountTokens"
      say(`Every instance of the app must have ${mode} of secretsAtRest.`)
      if (context.prompts && !yes) await confirm(counts, job, address, context.prompts)
      const code = await rewrite(counts, job)
      if (opened.dialect === 'sqlite') await truncateLog(opened, say)
      return code
    }
    return onDatabase(wanted, context, work, advice, () => {
      // After the variables of .env were added, and before anything is opened.
      if (noHmac && context.env.AUTH_SESSION_HMAC !== undefined)
        throw new Problem('AUTH_SESSION_HMAC is set, but --no-hmac says that the app has no hmac. Remove one of them.', 2)
      parts = partsOfEnvironment(context.env, wanted.only)
      if (!check && !yes && !context.prompts)
        throw new Problem(
          'secrets rewrites rows, and there is no terminal to ask whether it should. Pass --yes, or --check to change nothing.',
          2,
        )
    })
  },
}

type Wanted = ReturnType<typeof read>

function read(args: string[]) {
  const { sessions, accounts, only, batch, pause, 'no-hmac': noHmac = false, ...given } = readOptions(args, options)
  const { check = false, decrypt = false, yes = false, quiet = false } = given
  if (check && quiet) throw new Problem('--check prints a count, which --quiet would hide. Leave out one of them.', 2)
  const part = only === undefined ? undefined : oneOf('--only', only, ['sessions', 'accounts'])
  if (decrypt && part === 'sessions') throw new Problem('--decrypt is only for accounts: hashing of sessions cannot be undone.', 2)
  return {
    ...given,
    names: {
      sessions: sessions && tableName('--sessions', sessions),
      accounts: accounts && tableName('--accounts', accounts),
    },
    only: decrypt ? 'accounts' : part,
    limits: readLimits({ batch, pause }),
    check,
    yes,
    decrypt,
    noHmac,
    quiet,
  }
}

/** Reads the secrets from the environment. Messages contain names and positions, never values. */
export function partsOfEnvironment(env: Context['env'], only: 'sessions' | 'accounts' | undefined): Parts {
  const { AUTH_TOKEN_KEYS: keys, AUTH_SESSION_HMAC: hmac } = env
  if (!keys && only !== 'sessions')
    throw new Problem(
      'AUTH_TOKEN_KEYS is not set. Set it to the value that your app has: id:secret pairs separated by commas, the newest first. ' +
        'To work without it, pass --only sessions.',
      2,
    )
  try {
    const secrets = secretsAtRest({
      ...(only !== 'accounts' && { sessionTokens: { mode: 'migrating', ...(hmac !== undefined && { hmac }) } }),
      ...(only !== 'sessions' && { accountTokens: { mode: 'migrating', keys } }),
    })
    return partsOf(secrets, 'secrets')
  } catch (error) {
    if (!(error instanceof AdapterConfigError)) throw error
    const message = error.message.replace('secretsAtRest: ', '')
    throw new Problem(message.replace('accountTokens.keys', 'AUTH_TOKEN_KEYS').replace('sessionTokens.hmac', 'AUTH_SESSION_HMAC'), 2)
  }
}

/** The tables with secrets: those of Auth.js, and the accounts of Better Auth. */
interface SecretTables {
  sessionsTable?: Table | undefined
  accountsTable?: Table | undefined
  account?: Table | undefined
}

/** What the steps of the command have in common. */
interface Job {
  opened: Opened
  tables: SecretTables
  parts: Parts
  wanted: Wanted
  context: Context
}

/** The tables of the command, and the names of their libraries. */
async function secretTables({ opened, settings }: Work, { names, only }: Wanted, context: Context) {
  const { authjs, betterAuth, titles } = await findTables(opened, settings, context, names)
  const { sessionsTable, accountsTable } = authjs ?? {}
  const account = betterAuth?.account
  const refuse = (name: string, option: string) => {
    const advice = `Pass the name of the export with ${option}, or skip the table with --only.`
    throw new Problem(`${settings.schemaSource} exports no ${name}. ${advice}`, 2)
  }
  if (!authjs && only === 'sessions')
    throw new Problem("the sessions of Better Auth stay plain: it lists and revokes them by their tokens. Leave out '--only sessions'.", 2)
  if (authjs && only !== 'accounts' && !sessionsTable) refuse('sessionsTable', '--sessions')
  if (only !== 'sessions' && !accountsTable && !account) refuse(authjs ? 'accountsTable' : 'account', '--accounts')
  const tables: SecretTables = { ...(only !== 'accounts' && { sessionsTable }), ...(only !== 'sessions' && { accountsTable, account }) }
  return { tables, titles }
}

/** Counts with a progress display. */
async function count({ opened, tables, parts, wanted: { check, quiet }, context }: Job): Promise<SecretCounts> {
  const progress = startProgress(context, quiet, check ? 'checked' : 'counted')
  try {
    return await countSecrets('secrets', opened.db, tables, parts, progress.show)
  } finally {
    progress.end()
  }
}

/** Throws if the app would not find sessions, or not decrypt tokens, that are rewritten with these secrets. */
function refuseWrongSecrets({ sessions, tokens }: SecretCounts, { parts, wanted: { check, noHmac }, context }: Job): void {
  const { plain, hashed, foreign } = sessions
  const refuse = (message: string) => {
    throw new Problem(`${message} Nothing was changed.`, 2)
  }
  if (foreign > 0 && hashed === 0)
    refuse(
      'the stored sessions were hashed differently. Set AUTH_SESSION_HMAC if and only if sessionTokens of the app has hmac, to the same secret.',
    )
  const newest = parts.accounts?.cipher.newest ?? ''
  const unreadable = tokens.unreadable.get(newest) ?? 0
  if (unreadable > 0 && unreadable === tokens.byKey.get(newest))
    refuse(`the tokens of key ${newest} were encrypted with another secret than the one in AUTH_TOKEN_KEYS.`)
  const isShown = foreign === 0 && (hashed > 0 || plain === 0 || check)
  if (!isShown && !noHmac && context.env.AUTH_SESSION_HMAC === undefined)
    refuse(
      'if sessionTokens of the app has hmac, set AUTH_SESSION_HMAC to the same secret. Otherwise, pass --no-hmac. The app would not find sessions that are hashed differently.',
    )
}

/** What is done to sessions and to accounts, as far as the command works on them. */
const inWords = ({ sessionsTable, accountsTable, account }: SecretTables, ofSessions: string, ofAccounts: string) =>
  [sessionsTable && ofSessions, (accountsTable ?? account) && ofAccounts].filter(Boolean).join(' and ')

/** Prints how many secrets are stored in each form. Returns 1 if some must still be rewritten, or cannot be decrypted. */
function report({ sessions, tokens }: SecretCounts, { tables, parts, wanted: { decrypt }, context: { stdout } }: Job): number {
  const newest = parts.accounts?.cipher.newest ?? ''
  const byKey = new Map([[newest, 0], ...tokens.byKey])
  const encrypted = [...byKey.values()].reduce((sum, count) => sum + count, tokens.damaged)
  const ofSessions = [`${number(sessions.plain)} plain`, `${number(sessions.hashed)} hashed`]
  if (sessions.foreign > 0) ofSessions.push(`${number(sessions.foreign)} hashed differently, which cannot sign anyone in`)
  const ofTokens = [`${number(tokens.plain)} plain`, ...[...byKey].map(([key, count]) => `${number(count)} under key ${key}`)]
  if (tokens.damaged > 0) ofTokens.push(`${number(tokens.damaged)} damaged`)
  const left = {
    sessions: decrypt ? 0 : sessions.plain,
    tokens: decrypt ? encrypted : tokens.plain + encrypted - (byKey.get(newest) ?? 0),
  }
  const isDone = left.sessions + left.tokens === 0
  const leftInWords = inWords(tables, some(left.sessions, 'session'), some(left.tokens, 'token'))
  const unreadable = [...tokens.unreadable].map(([key, count]) => `${some(count, 'token')} under key ${key}`)
  const lines = [
    tables.sessionsTable && `sessions: ${ofSessions.join(', ')}`,
    (tables.accountsTable ?? tables.account) && `tokens: ${ofTokens.join(', ')}`,
    isDone ? 'nothing left to rewrite' : `left to rewrite: ${leftInWords}`,
    unreadable.length > 0 && `cannot be decrypted: ${unreadable.join(', ')}. ${addKeys}`,
  ]
  for (const line of lines.filter(Boolean)) stdout.write(`${line}\n`)
  return isDone && unreadable.length === 0 ? 0 : 1
}

const addKeys = 'Add the right secrets to AUTH_TOKEN_KEYS, or set the columns to null.'

/** Asks before rows are rewritten. Throws unless the answer is yes. */
async function confirm(counts: SecretCounts, { tables, wanted: { decrypt } }: Job, address: string, prompts: Prompts): Promise<void> {
  const [plain, accounts] = [decrypt ? 0 : counts.sessions.plain, decrypt ? counts.encrypted : counts.unprotected]
  if (plain + accounts === 0) return
  const tokens = `${decrypt ? 'decrypt' : 'encrypt'} the tokens of ${some(accounts, 'account')}`
  const work = inWords(tables, `hash ${some(plain, 'session')}, which cannot be undone,`, tokens)
  if (!(await prompts.confirm(`This will ${work} in ${address}. Go on?`))) throw new Problem('stopped. Nothing was changed.')
}

/** Rewrites with a progress display, and stops at a signal. After a lost connection, it does not repeat finished rows. */
async function rewrite(before: SecretCounts, { opened, tables, parts, wanted, context }: Job): Promise<number> {
  const { limits, quiet, decrypt } = wanted
  let unreadable: (string | undefined)[] = []
  const code = await inBatches<'sessions' | 'accounts'>({
    context,
    quiet,
    verb: 'rewritten',
    totals: { sessions: before.sessions.plain, accounts: decrypt ? before.encrypted : before.unprotected },
    async work(signal, show) {
      unreadable = []
      const onUnreadable = (key: string | undefined) => unreadable.push(key)
      const onProgress = ({ table, rewritten }: { table: 'sessions' | 'accounts'; rewritten: number }) => show(table, rewritten)
      const options = { ...limits, decrypt, signal, onUnreadable, onProgress }
      return (await rewriteSecrets('secrets', opened.db, tables, parts, options)).finished
    },
    summary({ sessions = 0, accounts = 0 }) {
      const tokens = `${decrypt ? 'decrypted' : 'encrypted'} the tokens of ${some(accounts, 'account')}`
      return inWords(tables, `hashed ${some(sessions, 'session')}`, tokens)
    },
  })
  if (unreadable.length === 0) return code
  const keys = [...new Set(unreadable)].map((key) => (key === undefined ? 'unknown key' : `key ${key}`))
  const tokens = some(unreadable.length, 'token')
  context.stderr.write(`drizzle-auth-kit: ${tokens} cannot be decrypted and stayed as they are (${keys.join(', ')}). ${addKeys}\n`)
  return code || 1
}

/** The write-ahead log contains old values until it is truncated. */
async function truncateLog({ db }: Opened, say: (line: string) => unknown): Promise<void> {
  const pragma = sql`pragma wal_checkpoint(truncate)`
  const run = async () => (db as unknown as { all(query: unknown): Promise<object[]> }).all(pragma)
  const [row] = await run().catch(() => [])
  if (!row || Number(Object.values(row)[0]) !== 0)
    say('The write-ahead log could not be truncated and may contain old values. Run later: PRAGMA wal_checkpoint(truncate)')
}

const advice: Advice = {
  denied: 'This user needs SELECT and UPDATE privileges.',
  schema:
    'If your tables have other names, pass them with --sessions and --accounts, or pass --schema. If you have only one of them, pass --only.',
  invalid: 'If another table references sessionToken, its foreign key needs ON UPDATE CASCADE.',
  'still-referenced': 'If another table references sessionToken, its foreign key needs ON UPDATE CASCADE.',
  'too-long': 'Make the column longer: an encrypted token is longer than a plain one.',
  conflict: 'Run it again: it continues where it stopped.',
  timeout: 'Run it again: it continues where it stopped.',
}
