import { createHash } from 'node:crypto'
import type { Secrets } from 'drizzle-auth-adapter/secrets'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import type { DemoAdapter, Row } from './database/store.js'
import type { Show } from './live.js'
import { mask, masked } from './secrets.js'

export interface Protection {
  secrets: Secrets
  /** Wraps an adapter so that raw session tokens are remembered and can be shown. A real app must not do this. */
  withRememberedTokens(adapter: DemoAdapter): DemoAdapter
  /** A row with its stored values and a masked part of the raw ones. */
  show: Show
}

const tokens = ['access_token', 'refresh_token', 'id_token']

/** Secrets at rest, and functions that show their effect. */
export function openProtection(secret: string): Protection {
  const secrets = secretsAtRest({ sessionTokens: 'hashed', accountTokens: { keys: [{ id: 'demo', secret }] } })
  const stored = (token: string) => `s1.${createHash('sha256').update(token).digest('base64url')}`
  const raw = new Map<string, string>()
  const remember = (token: string) => raw.set(stored(token), token)

  // Tokens of a run with another AUTH_SECRET cannot be decrypted.
  const decrypted = (row: Row) => secrets.decryptAccount(row).catch(() => ({}) as Row)
  const withRaw = (value: unknown, token: unknown) =>
    value && `${String(value).slice(0, 16)}… (raw: ${token ? mask(String(token)) : 'unknown'})`

  return {
    secrets,
    withRememberedTokens: (adapter) => ({
      ...adapter,
      createSession(session) {
        remember(session.sessionToken)
        return adapter.createSession(session)
      },
      async getSessionAndUser(token) {
        const found = await adapter.getSessionAndUser(token)
        if (found) remember(token)
        return found
      },
    }),
    async show(table, row) {
      const shown = masked(row)
      if (table === 'session') shown.sessionToken = withRaw(row.sessionToken, raw.get(String(row.sessionToken)))
      if (table === 'account') {
        const account = await decrypted(row)
        for (const name of tokens) shown[name] = withRaw(row[name], account[name])
      }
      return shown
    },
  }
}
