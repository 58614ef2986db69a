import type { Column } from 'drizzle-orm'
import type { TableStatements } from '../query/dialect.js'
import { digest } from '../query/digest.js'
import { getTableName } from '../query/drizzle.js'
import type { FailureKind } from '../query/errors.js'
import { Failure } from '../query/errors.js'
import type { Protection } from '../query/protection.js'
import { lazy, remembering, toBase64Url, utf8 } from './encoding.js'

export const sessionModes = ['plain', 'ready', 'migrating', 'hashed'] as const

/** Which forms of session tokens are read and written. */
export type SessionTokensMode = (typeof sessionModes)[number]

/** How session tokens are stored. */
export interface SessionTokens {
  readonly mode: Exclude<SessionTokensMode, 'plain'>
  /** The stored form of a token. */
  hash(token: string): Promise<string>
}

/** Whether a text has the form of a stored token, of either kind. */
export const isStored = (text: unknown) => typeof text === 'string' && /^s[12]\.[\w-]{43}$/.test(text)

/**
 * SHA-256, or HMAC-SHA-256 with a secret. WebCrypto computes it in another thread, and the way there and back can take longer than the
 * query; a person who is signed in sends the same token with every request.
 */
export function hashWith(secret: string | undefined): SessionTokens['hash'] {
  if (secret === undefined) return remembering(async (token) => `s1.${await digest(token)}`)
  const key = lazy(() => crypto.subtle.importKey('raw', utf8(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']))
  return remembering(async (token) => `s2.${toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', await key(), utf8(token))))}`)
}

export function protectSessions({ mode, hash }: SessionTokens, statements: TableStatements): Protection {
  const column = statements.columns.sessionToken as Column

  const fail = (kind: FailureKind, hint?: string): never => {
    throw new Failure(kind, { table: getTableName(statements.table), column: column.name, hint })
  }

  // A custom type may send something else than it was given.
  const looksStored = (token: unknown) => isStored(token) || isStored(column.mapToDriverValue(token))

  return {
    tokenHash: { hash, isHashed: isStored },

    async storedKey(key) {
      if (!key || !Object.hasOwn(key, 'sessionToken')) return key
      const token = key.sessionToken as string
      if (looksStored(token)) return null
      const hashed = await hash(token)
      return { ...key, sessionToken: mode === 'hashed' ? hashed : [token, hashed] }
    },

    async storedValues(values, key) {
      const { sessionToken: token } = key ?? values
      // One that the database makes could not be hashed, nor returned.
      if (typeof token !== 'string') return fail(token == null ? 'missing-value' : 'invalid')
      if (!key && looksStored(token)) fail('invalid', 'it has the form of a stored token')
      const isWritten = key ? mode === 'migrating' : mode !== 'ready'
      return isWritten ? { ...values, sessionToken: await hash(token) } : values
    },

    async reveal(row, key, use) {
      if (!key || !Object.hasOwn(key, 'sessionToken')) return row
      const token = key.sessionToken as string
      if (use === 'inserted' && mode !== 'hashed') await refuseSecond(token, row.sessionToken)
      row.sessionToken = token
      return row
    },
  }

  /** Removes a new session if its token is taken in the other form. Of two that are created at once, none may be left, never both. */
  async function refuseSecond(token: string, written: unknown): Promise<void> {
    const hashed = await hash(token)
    const other = written === token ? hashed : token
    if ((await statements.select({ sessionToken: other })).length === 0) return
    await statements.deleteAll({ sessionToken: other === token ? hashed : token })
    fail('duplicate')
  }
}
