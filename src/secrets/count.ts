import type { AccountNames } from '../models.js'
import { tokenFields } from '../models.js'
import type { Row } from '../query/drizzle.js'
import { accountOf } from './accounts.js'
import { parse } from './cipher.js'
import type { Parts } from './options.js'
import { isStored } from './sessions.js'
import { accountColumns, openTables } from './tables.js'
import { walk } from './walk.js'

/** The number of secrets in a database, by the form in which they are stored. */
export interface SecretCounts {
  sessions: {
    plain: number
    hashed: number
    /** Hashed with another `hmac` than the settings have. Their users must sign in again. */
    foreign: number
  }
  tokens: {
    plain: number
    /** Encrypted tokens, by the ids of their keys. */
    byKey: Map<string, number>
    /** Encrypted tokens that the keys in the settings do not decrypt, by the ids of their keys. */
    unreadable: Map<string, number>
    /** Tokens with the prefix of encrypted tokens that cannot be parsed. */
    damaged: number
  }
  /** Number of accounts with a token that is plain or encrypted with an old key. */
  unprotected: number
  /** Number of accounts with an encrypted token. */
  encrypted: number
}

const batch = 1_000

/** Counts the secrets in the tables, and decrypts every encrypted token to see whether its key is right. Changes nothing. */
export async function countSecrets(
  caller: string,
  db: unknown,
  tables: object,
  parts: Parts,
  onProgress: (table: 'sessions' | 'accounts', counted: number) => void = () => {},
): Promise<SecretCounts> {
  const { sessions, accounts, redact } = openTables(caller, db, tables, parts)
  const counts: SecretCounts = {
    sessions: { plain: 0, hashed: 0, foreign: 0 },
    tokens: { plain: 0, byKey: new Map(), unreadable: new Map(), damaged: 0 },
    unprotected: 0,
    encrypted: 0,
  }
  const cipher = parts.accounts?.cipher
  const form = parts.sessions && (await parts.sessions.hash('')).slice(0, 3)

  const countSession = (stored: unknown) => {
    counts.sessions[!isStored(stored) ? 'plain' : String(stored).startsWith(form ?? '') ? 'hashed' : 'foreign']++
  }

  const add = (numbers: Map<string, number>, key: string) => numbers.set(key, (numbers.get(key) ?? 0) + 1)

  const countAccount = async (row: Row, names: AccountNames) => {
    const { tokens } = counts
    const account = accountOf(row, names)
    let [isUnprotected, isEncrypted] = [false, false]
    for (const field of tokenFields) {
      const stored = row[names[field]]
      if (typeof stored !== 'string') continue
      const encrypted = parse(stored)
      isUnprotected ||= encrypted?.key !== cipher?.newest
      isEncrypted ||= encrypted !== undefined
      if (!encrypted) tokens.plain++
      else if (encrypted.key === undefined) tokens.damaged++
      else {
        add(tokens.byKey, encrypted.key)
        const token = account && (await cipher?.decrypt(encrypted, field, account))
        if (token === undefined) add(tokens.unreadable, encrypted.key)
      }
    }
    counts.unprotected += Number(isUnprotected)
    counts.encrypted += Number(isEncrypted)
  }

  const countAll = async () => {
    let counted = 0
    for await (const rows of sessions ? walk(sessions, ['sessionToken'], batch) : []) {
      for (const { sessionToken } of rows) countSession(sessionToken)
      counted += rows.length
      onProgress('sessions', counted)
    }
    counted = 0
    for (const each of accounts)
      for await (const rows of walk(each.table, accountColumns(each), batch)) {
        await Promise.all(rows.map((row) => countAccount(row, each.names)))
        counted += rows.length
        onProgress('accounts', counted)
      }
  }
  await redact(countAll())
  return counts
}
