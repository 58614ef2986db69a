import type { Parts } from 'drizzle-auth-adapter/internal'
import { countSecrets } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import { reportSecrets } from './check.js'
import type { Command, Context } from './command.js'
import { Problem } from './command.js'
import type { Work } from './connection.js'
import { onDatabase } from './connection.js'
import type { Opened } from './database.js'
import { countRows } from './database.js'
import { partsOfEnvironment } from './keys.js'
import { batchHelp, batchOptions, databaseHelp, databaseOptions, oneOf, readLimits, readOptions, tableName } from './options.js'
import { progressOn } from './progress.js'
import { confirm, refuseUnknownHash, refuseWrongSecrets, rewrite, truncateLog } from './rewriting.js'
import type { SecretTables } from './secret-tables.js'
import { secretTables } from './secret-tables.js'

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
  sessions: { type: 'string' },
  accounts: { type: 'string' },
  only: { type: 'string' },
  check: { type: 'boolean' },
  yes: { type: 'boolean' },
  decrypt: { type: 'boolean' },
  'no-hmac': { type: 'boolean' },
  ...batchOptions,
  quiet: { type: 'boolean' },
} as const

export const secrets: Command = {
  summary: 'hashes stored session tokens and encrypts stored OAuth tokens',
  help,
  async run(args, context) {
    const wanted = read(args)
    let parts: Parts
    const work = async ({ opened, settings, say }: Work) => {
      const { tables, titles } = await secretTables(opened, settings, wanted, context)
      say(`counting the tables of ${titles} in ${settings.target.address}`)
      const counts = await count(opened, tables, parts, wanted, context)
      refuseWrongSecrets(counts, parts)
      if (!wanted.noHmac && context.env.AUTH_SESSION_HMAC === undefined) refuseUnknownHash(counts, wanted.check)
      if (wanted.check) return reportSecrets(counts, tables, parts, wanted.decrypt, context)
      say(
        `Every instance of the app must have ${wanted.decrypt ? "accountTokens.mode 'ready'" : "the mode 'migrating' or beyond in sessionTokens and accountTokens"} of secretsAtRest.`,
      )
      if (context.ask && !wanted.yes) await confirm(counts, tables, wanted.decrypt, settings.target.address, context.ask)
      const code = await rewrite(opened, tables, parts, counts, wanted, context)
      if (opened.dialect === 'sqlite') await truncateLog(opened, say)
      return code
    }
    return onDatabase(wanted, context, work, advice, () => {
      // After the variables of .env were added, and before anything is opened.
      if (wanted.noHmac && context.env.AUTH_SESSION_HMAC !== undefined)
        throw new Problem('AUTH_SESSION_HMAC is set, but --no-hmac says that the app has no hmac. Remove one of them.', 2)
      parts = partsOfEnvironment(context.env, wanted.only)
      if (!wanted.check && !wanted.yes && !context.ask)
        throw new Problem(
          'secrets rewrites rows, and there is no terminal to ask whether it should. Pass --yes, or --check to change nothing.',
          2,
        )
    })
  },
}

type Wanted = ReturnType<typeof read>

function read(args: string[]) {
  const values = readOptions(args, options)
  const { db, url, schema, sessions, accounts, only, check = false, decrypt = false, yes = false, quiet = false } = values
  if (check && quiet) throw new Problem('--check prints a count, which --quiet would hide. Leave out one of them.', 2)
  const part = only === undefined ? undefined : oneOf('--only', only, ['sessions', 'accounts'])
  if (decrypt && part === 'sessions') throw new Problem('--decrypt is only for accounts: hashing of sessions cannot be undone.', 2)
  return {
    db,
    url,
    schema,
    // Names without --schema are names in the database.
    names: schema === undefined && (sessions ?? accounts) !== undefined,
    sessions: sessions && tableName('--sessions', sessions),
    accounts: accounts && tableName('--accounts', accounts),
    only: decrypt ? 'accounts' : part,
    limits: readLimits(values),
    check,
    yes,
    decrypt,
    noHmac: values['no-hmac'] ?? false,
    quiet,
  }
}

/** Counts with a progress display. */
async function count(opened: Opened, tables: SecretTables, parts: Parts, { check, quiet }: Wanted, context: Context) {
  const { sessionsTable, accountsTable, account } = tables
  const rowsOf = async (table: Table | undefined) => (table ? countRows('secrets', opened, table) : 0)
  const totals = async () => ({ sessions: await rowsOf(sessionsTable), accounts: (await rowsOf(accountsTable)) + (await rowsOf(account)) })
  const progress = await progressOn(context, quiet, check ? 'checked' : 'counted', totals)
  try {
    return await countSecrets('secrets', opened.db, tables, parts, (table, counted) => progress.show(table, counted))
  } finally {
    progress.end()
  }
}

const advice = {
  denied: 'This user needs SELECT and UPDATE privileges.',
  schema:
    'If your tables have other names, pass them with --sessions and --accounts, or pass --schema. If you have only one of them, pass --only.',
  invalid: 'If another table references sessionToken, its foreign key needs ON UPDATE CASCADE.',
  'still-referenced': 'If another table references sessionToken, its foreign key needs ON UPDATE CASCADE.',
  'too-long': 'Make the column longer: an encrypted token is longer than a plain one.',
  conflict: 'Run it again: it continues where it stopped.',
  timeout: 'Run it again: it continues where it stopped.',
}
