import type { Secrets, SecretsOptions } from 'drizzle-auth-adapter/secrets'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'

export const newKey = { id: '2026b', secret: 'the new secret of the tests with 32 characters or more' }
export const oldKey = { id: '2025a', secret: 'the old secret of the tests with 32 characters or more' }
export const keys = [newKey, oldKey]

/** Keys in the format of AUTH_TOKEN_KEYS. */
export const pairsOf = (...given: { id: string; secret: string }[]) => given.map(({ id, secret }) => `${id}:${secret}`).join()
export const hmac = 'the secret for session tokens, of 32 characters or more'

const optionsOf = {
  plain: { sessionTokens: 'plain' },
  ready: { sessionTokens: 'ready', accountTokens: { mode: 'ready', keys } },
  migrating: { sessionTokens: 'migrating', accountTokens: { mode: 'migrating', keys } },
  final: { sessionTokens: 'hashed', accountTokens: { keys } },
} satisfies Record<string, SecretsOptions>

export type Mode = keyof typeof optionsOf
export const modes = Object.keys(optionsOf) as Mode[]

/** The secrets of a mode. The modes are in the order in which an app goes through them. */
export const secretsOf = (mode: Mode): Secrets => secretsAtRest(optionsOf[mode])

export const inAnHour = () => new Date(Date.now() + 3_600_000)

export const tokensOf = (name: string) => ({
  access_token: `access-${name}-${crypto.randomUUID()}`,
  refresh_token: `refresh-${name}-${crypto.randomUUID()}`,
  id_token: `id-${name}-${crypto.randomUUID()}`,
})
