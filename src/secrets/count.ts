import { tokenFields } from '../models.js'
import type { Row } from '../query/drizzle.js'
import { walk } from '../query/walk.js'
import { accountOf } from './accounts.js'
import { parse } from './cipher.js'
import type { Parts } from './options.js'
import { isStored } from './sessions.js'
import type { SecretTables } from './tables.js'
import { openTables } from './tables.js'

/** The number of secrets in a database, by the form in which they are stored. */
export interface SecretCounts {
  sessions: {
    plain: number
    hashed: number
    /** Hashed with an `hmac` that is not in the settings, or without the one that is. Nobody can sign in with them. */
    foreign: number
  }
  tokens: {
    plain: number
    /** Encrypted tokens, by the ids of their keys. */
    byKey: Map<string, number>
    /** Tokens with the prefix of encrypted tokens that cannot be parsed. */
    damaged: number
  }
  /** Number of accounts with a token that is plain or encrypted with an old key. */
  unprotected: number
  /** Number of accounts with an encrypted token. */
  encrypted: number
  /** A sample of the tokens under the newest key: the number that its secret decrypts, and the number that it does not. */
  newest: { read: number; unreadable: number }
}

const batch = 1_000
const samples = 5

/** Counts the secrets in the tables, and changes nothing. */
export async function countSecrets(caller: string, db: unknown, tables: SecretTables, parts: Parts): Promise<SecretCounts> {
  const { sessions, accounts, redact } = openTables(caller, db, tables, parts)
  const counts: SecretCounts = {
    sessions: { plain: 0, hashed: 0, foreign: 0 },
    tokens: { plain: 0, byKey: new Map(), damaged: 0 },
    unprotected: 0,
    encrypted: 0,
    newest: { read: 0, unreadable: 0 },
  }
  const cipher = parts.accounts?.cipher
  const form = parts.sessions && (await parts.sessions.hash('')).slice(0, 3)

  const countSession = (stored: unknown) => {
    counts.sessions[!isStored(stored) ? 'plain' : String(stored).startsWith(form ?? '') ? 'hashed' : 'foreign']++
  }

  const countAccount = async (row: Row) => {
    const { tokens, newest } = counts
    let [isUnprotected, isEncrypted] = [false, false]
    for (const field of tokenFields) {
      const stored = row[field]
      if (typeof stored !== 'string') continue
      const encrypted = parse(stored)
      if (!encrypted) tokens.plain++
      else if (encrypted.key === undefined) tokens.damaged++
      else tokens.byKey.set(encrypted.key, (tokens.byKey.get(encrypted.key) ?? 0) + 1)
      isUnprotected ||= encrypted?.key !== cipher?.newest
      isEncrypted ||= encrypted !== undefined
      const account = accountOf(row)
      if (encrypted?.key === cipher?.newest && encrypted && account && newest.read + newest.unreadable < samples)
        newest[(await cipher?.decrypt(encrypted, field, account)) === undefined ? 'unreadable' : 'read']++
    }
    counts.unprotected += Number(isUnprotected)
    counts.encrypted += Number(isEncrypted)
  }

  const countAll = async () => {
    for await (const rows of sessions ? walk(sessions, ['sessionToken'], batch) : [])
      for (const { sessionToken } of rows) countSession(sessionToken)
    for await (const rows of accounts ? walk(accounts, [...accounts.key, ...tokenFields], batch) : [])
      for (const row of rows) await countAccount(row)
  }
  await redact(countAll())
  return counts
}
