import type { AdapterAccount } from '../models.js'
import { AdapterOperationError, configError } from '../query/errors.js'
import { sha256 } from '../query/sha256.js'
import type { Adapter } from '../types.js'
import { AccessTokenError } from './errors.js'
import type { Refresh } from './refresh-with.js'
import { changesOf } from './tokens.js'

type TokenAdapter = Pick<Adapter, 'listAccounts' | 'updateAccount' | 'createVerificationToken' | 'useVerificationToken'>

/** How `accessTokens` gets new tokens. */
export interface AccessTokensOptions {
  /** How to renew the tokens of each provider. */
  providers: Record<string, Refresh>
  /**
   * Seconds that a token must still be valid.
   *
   * @default 60
   */
  early?: number
  /**
   * Milliseconds after which the work of a process that died is taken over. A provider has less than that to answer.
   *
   * @default 30000
   */
  lease?: number
}

/** What `accessTokens` returns. */
export interface AccessTokens {
  /** An access token of the user that is valid for some time. Renews it at the provider if need be, once for all callers on all machines. */
  get(userId: string, provider: string, options?: { providerAccountId?: string | undefined }): Promise<string>
}

/**
 * Gives access tokens that are valid, and renews them where they are not.
 *
 * @example
 * // calendar.ts
 * import { accessTokens, refreshWith } from 'drizzle-auth-adapter/authjs'
 * import { adapter } from './adapter.js'
 *
 * const tokens = accessTokens(adapter, {
 *   providers: {
 *     google: refreshWith({
 *       tokenEndpoint: 'https://oauth2.googleapis.com/token',
 *       clientId: process.env.AUTH_GOOGLE_ID,
 *       clientSecret: process.env.AUTH_GOOGLE_SECRET,
 *     }),
 *   },
 * })
 * export const tokenOf = (userId: string) => tokens.get(userId, 'google')
 */
export function accessTokens(adapter: TokenAdapter, options: AccessTokensOptions): AccessTokens {
  const { providers, early = 60, lease = 30_000 } = checked(adapter, options)
  const running = new Map<string, Promise<string>>()
  /** The next generation of leases whose holders died, so that they are waited for once. Forgotten before their rows expire. */
  const generations = new Map<string, { next: number; until: number }>()
  const firstGeneration = (name: string) => {
    const { next = 1, until = 0 } = generations.get(name) ?? {}
    return until > Date.now() ? next : 1
  }

  async function find(userId: string, provider: string, providerAccountId: string | undefined): Promise<AdapterAccount> {
    const accounts = (await adapter.listAccounts(userId)).filter(
      (each) => each.provider === provider && (providerAccountId === undefined || each.providerAccountId === providerAccountId),
    )
    if (accounts.length > 1) throw new AccessTokenError('ambiguous')
    return accounts[0] ?? fail('no-account')
  }

  // `expires_at` is in seconds. Tokens without it never expire.
  const isValid = ({ access_token, expires_at }: AdapterAccount) =>
    access_token !== undefined && (expires_at === undefined || expires_at * 1000 > Date.now() + early * 1000)

  const reread = (account: AdapterAccount) => find(account.userId, account.provider, account.providerAccountId)

  /** Renews the tokens of an account, or waits for whoever does. */
  async function renew(first: AdapterAccount, refresh: Refresh): Promise<string> {
    const name = await leaseOf(first)
    for (let generation = firstGeneration(name); ; generation++) {
      const seen = Date.now()
      for (let wait = 25; ; wait = Math.min(wait * 2, 250)) {
        const begin = Date.now()
        if (await acquire(name, generation))
          try {
            const token = await refreshAndStore(first, refresh, begin + lease * 0.9)
            generations.delete(name)
            return token
          } catch (error) {
            // Others count on the row of a lease that is over: without it, the same tokens could be spent twice.
            if (Date.now() < begin + lease) await release(name, generation)
            throw error
          }
        await sleep(wait)
        const account = await reread(first)
        if (!hasSameTokens(account, first)) return account.access_token ?? fail('no-refresh-token')
        // Whoever has the lease began before we saw it, so it is over by now.
        if (Date.now() - seen > lease) break
      }
      generations.set(name, { next: generation + 1, until: Date.now() + (lease * kept) / 2 })
    }
  }

  /** The access token of an account whose tokens are no longer these. */
  async function renewedByOthers(first: AdapterAccount): Promise<string | undefined> {
    const account = await reread(first)
    return hasSameTokens(account, first) ? undefined : account.access_token
  }

  /** Asks the provider and stores its answer. Nobody else does so for these tokens, unless this takes longer than the lease. */
  async function refreshAndStore(first: AdapterAccount, refresh: Refresh, deadline: number): Promise<string> {
    // Somebody may have been done before this lease began.
    const ready = await renewedByOthers(first)
    if (ready !== undefined) return ready
    const issued = await askUntil(deadline, refresh, first).catch(async (error) => {
      // The provider refuses a token that somebody else has spent.
      const theirs = await renewedByOthers(first)
      if (theirs === undefined) throw error
      return { access_token: theirs, isStored: true }
    })
    if ('isStored' in issued) return issued.access_token as string
    const { access_token, expires_at = null, expires_in = null, ...others } = changesOf(issued)
    if (access_token === undefined) return fail('unreachable', 'it sent no access_token')
    const { provider, providerAccountId } = first
    const changes = { provider, providerAccountId, access_token, expires_at, expires_in, ...others }
    const written = await adapter.updateAccount(changes, { unlessChanged: first })
    return written ? access_token : ((await renewedByOthers(first)) ?? access_token)
  }

  // The lease is a row of the verification tokens. A row can be made once: whoever makes it has the lease. It stays after success, so that a
  // machine which still sees the old tokens does not spend them again, and expires like any other row.
  async function acquire(identifier: string, generation: number): Promise<boolean> {
    try {
      await adapter.createVerificationToken({ identifier, token: `lease ${generation}`, expires: new Date(Date.now() + lease * kept) })
      return true
    } catch (error) {
      if (error instanceof AdapterOperationError && error.kind === 'duplicate') return false
      throw error
    }
  }

  const release = (identifier: string, generation: number) =>
    adapter.useVerificationToken({ identifier, token: `lease ${generation}` }).catch(() => null)

  return {
    async get(userId, provider, { providerAccountId } = {}) {
      const account = await find(userId, provider, providerAccountId)
      if (isValid(account)) return account.access_token as string
      const refresh = Object.hasOwn(providers, provider) ? (providers[provider] as Refresh) : fail('no-provider')
      if (account.refresh_token === undefined) return fail('no-refresh-token')
      const key = JSON.stringify([account.provider, account.providerAccountId])
      const work = running.get(key) ?? renew(account, refresh).finally(() => running.delete(key))
      running.set(key, work)
      return work
    },
  }
}

/** For how many leases a row is kept. Much longer than one: a sweep must not remove what others count on. */
const kept = 20

const tokenFields = ['access_token', 'refresh_token', 'id_token'] as const

const hasSameTokens = (one: AdapterAccount, other: AdapterAccount) => tokenFields.every((field) => one[field] === other[field])

/** Names the lease of these tokens. It looks like no address and shows no token. */
async function leaseOf(account: AdapterAccount): Promise<string> {
  const tokens = tokenFields.map((field) => account[field] ?? null)
  return `token refresh ${await sha256(JSON.stringify([account.provider, account.providerAccountId, ...tokens]))}`
}

/** What the provider sends, or an error without tokens. */
async function askUntil(deadline: number, refresh: Refresh, account: AdapterAccount): Promise<object> {
  const milliseconds = deadline - Date.now()
  // A process that was paused for so long must not spend what somebody else has renewed.
  if (milliseconds <= 0) return fail('unreachable', 'there was no time to ask')
  const signal = AbortSignal.timeout(milliseconds)
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new AccessTokenError('unreachable', 'no answer in time')))
  })
  try {
    return Object(await Promise.race([refresh(account as AdapterAccount & { refresh_token: string }, { signal }), late]))
  } catch (error) {
    // Errors of apps and of fetch may hold anything.
    throw error instanceof AccessTokenError ? error : new AccessTokenError('unreachable')
  }
}

function checked(adapter: TokenAdapter, options: AccessTokensOptions): AccessTokensOptions {
  const must = (isRight: boolean, message: string) => isRight || configError(`accessTokens: ${message}`)
  must(typeof adapter?.updateAccount === 'function', 'the first argument must be an adapter of this package')
  must(
    typeof adapter.createVerificationToken === 'function',
    'the adapter has no verification tokens table, which holds the leases. Pass it to DrizzleAdapter',
  )
  const { providers, early = 60, lease = 30_000 } = Object(options) as AccessTokensOptions
  must(
    Object(providers) === providers && Object.values(providers).every((each) => typeof each === 'function'),
    'providers must map the names of providers to functions, such as those of refreshWith',
  )
  must(Number.isFinite(early) && early >= 0, 'early must be a number of seconds, 0 or more')
  must(Number.isFinite(lease) && lease >= 1_000, 'lease must be a number of milliseconds, 1000 or more')
  return { providers, early, lease }
}

function fail(kind: ConstructorParameters<typeof AccessTokenError>[0], detail?: string): never {
  throw new AccessTokenError(kind, detail)
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
