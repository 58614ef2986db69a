import type { AccountKey, TokenField } from '../models.js'
import { tokenFields } from '../models.js'
import { equal } from '../query/conditions.js'
import type { Row, Values } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { isGenerated } from '../query/kinds.js'
import type { ModelTable } from '../query/table.js'
import type { AccountTokens } from './accounts.js'
import { accountOf } from './accounts.js'
import { isEncrypted, parse } from './cipher.js'
import type { SessionTokens } from './sessions.js'
import { isStored } from './sessions.js'
import type { OpenedAccounts } from './tables.js'

/** Rewrites a row if necessary. Returns whether it did. */
export type Rewrite = (row: Row) => Promise<boolean>

/** Hashes a plain session. */
export function hashing({ hash }: SessionTokens, sessions: ModelTable): Rewrite {
  const unchanged = automaticColumns(sessions)
  return async ({ sessionToken }) => {
    if (isStored(sessionToken)) return false
    try {
      const hashed = { ...unchanged, sessionToken: await hash(sessionToken as string) }
      return (await sessions.updateOne(equal({ sessionToken }), hashed)) !== null
    } catch (failure) {
      if (!(failure instanceof Failure && failure.kind === 'duplicate')) throw failure
      // The session also exists in its hashed form, which is kept.
      await sessions.deleteAll(equal({ sessionToken }))
      return true
    }
  }
}

/** Returns the new form of a stored token, or `undefined` if it already has that form or cannot be decrypted. */
type Convert = (stored: string, field: TokenField, account: AccountKey) => Promise<string | undefined>

/** Called for each token that cannot be decrypted, with the id of its key if that is known. */
export type OnUnreadable = (key: string | undefined) => void

/** Encrypts tokens that are plain or encrypted with an old key. */
export function encrypting({ cipher }: AccountTokens, onUnreadable?: OnUnreadable): Convert {
  return async (stored, field, account) => {
    const encrypted = parse(stored)
    if (encrypted?.key === cipher.newest) return undefined
    const token = encrypted ? await cipher.decrypt(encrypted, field, account) : stored
    if (token === undefined) onUnreadable?.(encrypted?.key)
    return token === undefined ? undefined : cipher.encrypt(token, field, account)
  }
}

/** Decrypts tokens. A token that has the prefix of encrypted tokens stays encrypted. */
export function decrypting({ cipher }: AccountTokens, onUnreadable?: OnUnreadable): Convert {
  return async (stored, field, account) => {
    const encrypted = parse(stored)
    if (!encrypted) return undefined
    const token = await cipher.decrypt(encrypted, field, account)
    if (token === undefined) onUnreadable?.(encrypted.key)
    return token === undefined || isEncrypted(token) ? undefined : token
  }
}

// Each retry means that the row was changed in between.
const mostTries = 10

/** Rewrites the tokens of an account. If the row is changed in between, it is read again. */
export function converting(convert: Convert, { table: accounts, names }: OpenedAccounts): Rewrite {
  const unchanged = automaticColumns(accounts)

  async function changesTo(row: Row, account: AccountKey): Promise<Values> {
    const changes: Values = {}
    for (const field of tokenFields) {
      const stored = row[names[field]]
      const changed = typeof stored === 'string' ? await convert(stored, field, account) : undefined
      if (changed !== undefined) changes[names[field]] = changed
    }
    return changes
  }

  return async (first) => {
    let row: Row | null = first
    for (let tries = 0; row && tries < mostTries; tries++) {
      const account = accountOf(row, names)
      const changes = account ? await changesTo(row, account) : {}
      if (Object.keys(changes).length === 0) return false
      const known = new Set([...accounts.key, names.provider, names.providerAccountId, ...Object.keys(changes)])
      const before = Object.fromEntries([...known].map((name) => [name, (row as Row)[name]]))
      if (await accounts.updateOne(equal(before), { ...unchanged, ...changes })) return true
      row = await accounts.lookup(accounts.key)(row)
    }
    return false
  }
}

/** Keeps the values of columns with `$onUpdate`, such as `updatedAt`: rewriting is not a change that the app makes. */
function automaticColumns({ columns }: ModelTable): Values {
  const automatic = Object.entries(columns).filter(([, column]) => column.onUpdateFn && !isGenerated(column))
  return Object.fromEntries(automatic.map(([name, column]) => [name, sql`${column}`]))
}
