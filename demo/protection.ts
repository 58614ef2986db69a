import { createHash } from 'node:crypto'
import type { Secrets } from 'drizzle-auth-adapter/secrets'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import type { DemoAdapter, Row, TableName } from './database/store.js'
import { mask, masked } from './secrets.js'

export interface Protection {
  secrets: Secrets
  /** An adapter whose session tokens are remembered, to be shown. A real app forgets them. */
  remembering(adapter: DemoAdapter): DemoAdapter
  /** A row as anybody may see it, with the stored values and a part of the raw ones beside them. */
  show(table: TableName, row: Row): Promise<Row>
}

const tokens = ['access_token', 'refresh_token', 'id_token']

/** Secrets at rest, and what it takes to show what they do. */
export function openProtection(secret: string): Protection {
  const secrets = secretsAtRest({ sessionTokens: 'hashed', accountTokens: { keys: [{ id: 'demo', secret }] } })
  const stored = (token: string) => `s1.${createHash('sha256').update(token).digest('base64url')}`
  const raw = new Map<string, string>()
  const remember = (token: string) => raw.set(stored(token), token)

  // Tokens of a run with another AUTH_SECRET cannot be decrypted.
  const decrypted = (row: Row) => secrets.decryptAccount(row).catch(() => ({}) as Row)
  const beside = (value: unknown, token: unknown) =>
    value && `${String(value).slice(0, 16)}… (raw: ${token ? mask(String(token)) : 'unknown'})`

  return {
    secrets,
    remembering: (adapter) => ({
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
      if (table === 'session') shown.sessionToken = beside(row.sessionToken, raw.get(String(row.sessionToken)))
      if (table === 'account') {
        const account = await decrypted(row)
        for (const name of tokens) shown[name] = beside(row[name], account[name])
      }
      return shown
    },
  }
}
