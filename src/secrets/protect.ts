import type { BatchOptions } from '../extensions/batches.js'
import { checkBatches, rest } from '../extensions/batches.js'
import type { BetterAuthSchema } from '../library.js'
import type { OnError } from '../query/errors.js'
import { configError } from '../query/errors.js'
import type { ModelTable } from '../query/table.js'
import type { DatabaseOfSchema } from '../types.js'
import type { AccountTokens } from './accounts.js'
import type { Parts } from './options.js'
import type { OnUnreadable, Rewrite } from './rewrite.js'
import { converting, decrypting, encrypting, hashing } from './rewrite.js'
import type { Secrets } from './secrets.js'
import { partsOf } from './secrets.js'
import type { OpenedTables, SecretTables } from './tables.js'
import { accountColumns, openTables } from './tables.js'
import { walk } from './walk.js'

/** The progress of `protectSecrets`, reported after each batch that changed rows. */
export interface ProtectProgress {
  /** The table of the batch. */
  table: 'sessions' | 'accounts'
  /** Number of rows of this table that this call has rewritten so far. */
  rewritten: number
}

/** The options of `protectSecrets`. */
export interface ProtectSecretsOptions extends BatchOptions {
  /** The result of `secretsAtRest`, with each part at `migrating` or beyond. */
  secrets: Secrets
  /** Called and awaited after each batch that changed rows. */
  onProgress?: (progress: ProtectProgress) => unknown
  /** Called before an error is thrown, with that error and the original one of the driver. */
  onError?: OnError
}

/** The result of `protectSecrets`. */
export interface ProtectedSecrets {
  /** Number of sessions that were hashed. */
  sessions: number
  /** Number of accounts whose tokens were encrypted. */
  accounts: number
  /** `false` if `signal` stopped the call. */
  finished: boolean
}

const optionNames = ['secrets', 'batch', 'pause', 'signal', 'onProgress', 'onError']

/**
 * Hashes plain session tokens, encrypts plain OAuth tokens, and re-encrypts OAuth tokens that are encrypted with an old key. It works in
 * small batches while the app runs. Every instance of the app must be at `migrating` or beyond.
 *
 * You can stop it at any time, and run it on several machines at once.
 *
 * @param db The Drizzle database.
 * @param tables The tables whose rows are rewritten. For Better Auth, all exports of your schema file: its OAuth tokens are encrypted.
 * @param options The secrets, the size of the batches, and when to stop.
 * @example
 * // protect.ts
 * import { protectSecrets, secretsAtRest } from 'drizzle-auth-adapter/secrets'
 * import { db } from './db.js'
 * import { accountsTable, sessionsTable } from './schema.js'
 *
 * const secrets = secretsAtRest({ sessionTokens: 'migrating' })
 * const { sessions } = await protectSecrets(db, { sessionsTable, accountsTable }, { secrets })
 * console.log(`hashed the tokens of ${sessions} sessions`)
 */
export async function protectSecrets<const T extends SecretTables | BetterAuthSchema>(
  db: DatabaseOfSchema<T>,
  tables: T,
  options: ProtectSecretsOptions,
): Promise<ProtectedSecrets> {
  const caller = 'protectSecrets'
  const batches = checkBatches(caller, options, optionNames)
  const parts = partsOf(options.secrets, caller)
  for (const [name, part] of Object.entries(parts))
    if (part.mode === 'ready')
      configError(`${caller}: ${name.slice(0, -1)}Tokens is at 'ready', which writes plain tokens. Set every instance to 'migrating' first`)
  return rewriteSecrets(caller, db, tables, parts, { ...batches, onProgress: options.onProgress, onError: options.onError })
}

interface RewriteOptions extends Required<Pick<BatchOptions, 'batch' | 'pause'>> {
  signal: AbortSignal | undefined
  onProgress: ProtectSecretsOptions['onProgress']
  onError?: OnError | undefined
  onUnreadable?: OnUnreadable
  /** Decrypts the OAuth tokens instead. */
  decrypt?: boolean
}

/** Rewrites rows that are not yet in the target form. */
export async function rewriteSecrets(
  caller: string,
  db: unknown,
  tables: object,
  parts: Parts,
  { batch, pause, signal, onProgress, onError, ...options }: RewriteOptions,
): Promise<ProtectedSecrets> {
  const opened = openTables(caller, db, tables, parts, onError)
  const counts: ProtectedSecrets = { sessions: 0, accounts: 0, finished: false }
  for (const { name, table, columns, rewrite } of worksOn(opened, parts, options)) {
    const pages = walk(table, columns, batch)
    for (;;) {
      if (signal?.aborted) return counts
      const { value: rows, done } = await opened.redact(pages.next())
      if (done) break
      const before = counts[name]
      for (const row of rows) if (await opened.redact(rewrite(row))) counts[name]++
      const isChanged = counts[name] > before
      if (isChanged) await onProgress?.({ table: name, rewritten: counts[name] })
      if (rows.length >= batch) await rest(isChanged ? pause : 0, signal)
    }
  }
  counts.finished = true
  return counts
}

interface Work {
  name: 'sessions' | 'accounts'
  table: ModelTable
  columns: readonly string[]
  rewrite: Rewrite
}

function worksOn(opened: OpenedTables, parts: Parts, { decrypt, onUnreadable }: Pick<RewriteOptions, 'decrypt' | 'onUnreadable'>): Work[] {
  const { sessions, accounts } = opened
  const works: Work[] = []
  if (sessions && parts.sessions && !decrypt)
    works.push({ name: 'sessions', table: sessions, columns: ['sessionToken'], rewrite: hashing(parts.sessions, sessions) })
  for (const each of parts.accounts ? accounts : []) {
    const convert = (decrypt ? decrypting : encrypting)(parts.accounts as AccountTokens, onUnreadable)
    works.push({ name: 'accounts', table: each.table, columns: accountColumns(each), rewrite: converting(convert, each) })
  }
  return works
}
