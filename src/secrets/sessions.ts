import { sha256, toBase64Url } from '../base64url.js'
import type { Row, Values } from '../query/drizzle.js'
import type { FailureKind } from '../query/errors.js'
import { Failure } from '../query/errors.js'
import type { Lookup } from '../query/lookup.js'
import { asPair } from '../query/lookup.js'
import type { ModelTable } from '../query/table.js'
import { lazy, memoize, utf8 } from './encoding.js'

export const sessionModes = ['plain', 'ready', 'migrating', 'hashed'] as const

/** Which forms of session tokens are read and written. */
export type SessionTokensMode = (typeof sessionModes)[number]

/** How session tokens are stored. */
export interface SessionTokens {
  readonly mode: Exclude<SessionTokensMode, 'plain'>
  /** The stored form of a token. */
  hash(token: string): Promise<string>
}

/** Whether a text has the form of a stored token, with or without `hmac`. */
export const isStored = (text: unknown) => typeof text === 'string' && /^s[12]\.[\w-]{43}$/.test(text)

/**
 * SHA-256, or HMAC-SHA-256 with a secret. Results are cached: WebCrypto works in another thread, which can take longer than the query, and
 * a signed-in user sends the same token with every request.
 */
export function hashWith(secret: string | undefined): SessionTokens['hash'] {
  if (secret === undefined) return memoize(async (token) => `s1.${await sha256(token)}`)
  const key = lazy(() => crypto.subtle.importKey('raw', utf8(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']))
  return memoize(async (token) => `s2.${toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', await key(), utf8(token))))}`)
}

/** Wraps the sessions table: tokens are stored as hashes, and callers see the tokens that they passed. */
export function protectSessions(table: ModelTable, { mode, hash }: SessionTokens): ModelTable {
  const fail = (kind: FailureKind, hint?: string): never => {
    throw new Failure(kind, { table: table.name, column: table.columns.sessionToken?.name, hint })
  }

  /** Runs an operation with each form in which the token may be stored, until one finds the session. */
  const withStoredKey =
    <Found, Shown>(run: Lookup<Found>, show: (found: Found, token: string) => Shown) =>
    async (given: object): Promise<Shown | null> => {
      const token = table.keyOf(given)?.sessionToken
      // A stored form is not a token: it must not let a reader of the database sign in.
      if (typeof token !== 'string' || isStored(token)) return null
      const hashed = { ...given, sessionToken: await hash(token) }
      // Look for the plain form first: protectSecrets may hash the session between the two lookups, but never the reverse.
      const found = (mode === 'hashed' ? null : await run(given)) ?? (await run(hashed))
      return found && show(found, token)
    }
  const showToken = (row: Row, sessionToken: string): Row => ({ ...row, sessionToken })

  /** Removes a new session if its token exists in the other form. Two concurrent calls may both fail, but never both succeed. */
  const refuseSecond = async (token: string, stored: string): Promise<void> => {
    const other = stored === token ? await hash(token) : token
    if (!(await table.lookup(table.key)({ sessionToken: other }))) return
    await table.deleteByKey({ sessionToken: stored })
    fail('duplicate')
  }

  return {
    ...table,
    unprotected: table,

    seal: async (values) => {
      const { sessionToken: token } = values as Values
      return isStored(token) || typeof token !== 'string' ? values : { ...values, sessionToken: await hash(token) }
    },

    lookup: (by) => withStoredKey(table.lookup(by), showToken),

    lookupWith: (by, other, join, combine) =>
      withStoredKey(table.lookupWith(by, other, join, asPair), ([row, otherRow], token) => combine(showToken(row, token), otherRow)),

    async insert(input) {
      const { sessionToken: token } = Object(input) as Values
      // A token that the database generates could neither be hashed nor returned.
      if (typeof token !== 'string') return fail(token == null ? 'missing-value' : 'invalid')
      if (isStored(token)) fail('invalid', 'it has the form of a stored token')
      table.stored.definition.of('sessionToken').encodeValue(token)
      const stored = mode === 'ready' ? token : await hash(token)
      const row = await table.insert({ ...input, sessionToken: stored })
      if (mode !== 'hashed') await refuseSecond(token, stored)
      return showToken(row, token)
    },

    updateByKey: withStoredKey((input) => table.updateByKey(input), showToken),

    deleteByKey: withStoredKey((given) => table.deleteByKey(given), showToken),
  }
}
