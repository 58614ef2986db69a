import { accessTokens, refreshWith } from 'drizzle-auth-adapter/authjs'
import type { DemoAdapter } from './database/store.js'
import { mask } from './secrets.js'

export interface Asked {
  callers: number
  /** How often the provider was asked. */
  requests: number
  before: string
  after: string
  problem?: string
}

const callers = 20

/** Access tokens of the OpenID provider, and the outcome of each user's last request for one. */
export function openTokens(adapter: DemoAdapter, issuer: string, client: { client_id: string; client_secret: string }) {
  let requests = 0
  const refresh = refreshWith({ tokenEndpoint: `${issuer}/token`, clientId: client.client_id, clientSecret: client.client_secret })
  const tokens = accessTokens(adapter, {
    providers: {
      oidc(account, options) {
        requests++
        return refresh(account, options)
      },
    },
  })
  const last = new Map<string, Asked>()
  const find = async (userId: string) => (await adapter.listAccounts(userId)).find(({ provider }) => provider === 'oidc')
  const shown = (token: string | undefined) => mask(token ?? '')

  return {
    last: (userId: string) => last.get(userId),

    /** Requests the token many times concurrently, as different parts of an application do. */
    async ask(userId: string) {
      const before = shown((await find(userId))?.access_token)
      const requestsBefore = requests
      const answers = await Promise.allSettled(Array.from({ length: callers }, () => tokens.get(userId, 'oidc')))
      const failed = answers.find((answer) => answer.status === 'rejected')
      const after = shown((await find(userId))?.access_token)
      const problem = failed && { problem: (failed.reason as Error).message }
      last.set(userId, { callers, requests: requests - requestsBefore, before, after, ...problem })
    },

    /** Makes the token expire, as it does after an hour. */
    async expire(userId: string) {
      const account = await find(userId)
      if (!account) return
      const { provider, providerAccountId } = account
      await adapter.updateAccount({ provider, providerAccountId, expires_at: Math.floor(Date.now() / 1000) })
      last.delete(userId)
    },
  }
}
