import type { AccountKey, AdapterAccount } from '../models.js'
import { AdapterOperationError, configError } from '../query/errors.js'
import type { Adapter } from '../types.js'
import { AccessTokenError, errorOfCode } from './errors.js'
import type { Lease, LeaseAdapter } from './lease.js'
import { acquireLease } from './lease.js'
import type { Refresh } from './refresh-with.js'
import type { IssuedTokens } from './tokens.js'
import { changesOf, inSeconds } from './tokens.js'

type TokenAdapter = LeaseAdapter & Pick<Adapter, 'getAccount' | 'listAccounts' | 'updateAccount'>

/** The options of `accessTokens`. */
export interface AccessTokensOptions {
  /** For each provider, the function that renews its tokens, such as the result of `refreshWith`. */
  providers: Record<string, Refresh>
  /**
   * A token is renewed if it expires within this many seconds.
   *
   * @default 60
   */
  early?: number
  /**
   * How long one caller may take to renew a token, in milliseconds, from 1000 to 600000. Others do not ask the provider meanwhile. The request
   * is aborted after nine tenths of this time. If a process dies, others ask the provider at most twenty seconds after the end of its lease.
   *
   * @default 30000
   */
  lease?: number
}

/** The result of `accessTokens`. */
export interface AccessTokens {
  /**
   * Returns a valid access token of the user. If it has to be renewed, one caller asks the provider, and all others wait, on all machines.
   *
   * @param userId The id of the user.
   * @param provider The id of the provider, as in `providers`.
   * @param options Which account to use if the user has several of this provider.
   */
  get(userId: string, provider: string, options?: { providerAccountId?: string | undefined }): Promise<string>
}

/**
 * Returns valid access tokens of a provider, and renews those that have expired.
 *
 * @param adapter The adapter that stores the accounts.
 * @param options How to renew the tokens of each provider, and when.
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
  const { providers, early = 60, lease: duration = 30_000 } = checked(adapter, options)
  const running = new Map<string, Promise<string>>()

  async function find(userId: string, provider: string, providerAccountId: string | undefined): Promise<AdapterAccount> {
    if (providerAccountId !== undefined) return read({ userId, provider, providerAccountId })
    const [account, ...others] = (await adapter.listAccounts(userId)).filter((each) => each.provider === provider)
    if (!account) return fail('no-account')
    if (others.length > 0) return fail('ambiguous')
    // A list leaves out tokens that cannot be decrypted. Reading the account alone fails and says so.
    return account.access_token === undefined ? read(account) : account
  }

  async function read({ userId, provider, providerAccountId }: AccountKey & { userId: string }): Promise<AdapterAccount> {
    const account = await adapter.getAccount(providerAccountId, provider).catch((error) => {
      throw error instanceof AdapterOperationError && error.kind === 'undecipherable' ? new AccessTokenError('undecipherable') : error
    })
    return account?.userId === userId ? account : fail('no-account')
  }

  /** Whether the access token can be returned as it is. Without `expires_at`, it is renewed if it can be. `expires_at` is in seconds. */
  const isValid = ({ access_token, expires_at, refresh_token }: AdapterAccount, refresh: Refresh | undefined) =>
    access_token !== undefined &&
    (expires_at === undefined ? !refresh || refresh_token === undefined : expires_at * 1000 > Date.now() + early * 1000)

  /** Renews the tokens of an account, or waits until another caller has done so. */
  async function renew(first: AdapterAccount, refresh: Refresh): Promise<string> {
    for (let wait = 25; ; wait = Math.min(wait * 2, 250)) {
      const lease = await acquireLease(adapter, first, duration)
      if (lease) return refreshAndStore(first, refresh, lease)
      await sleep(wait)
      const theirs = renewedToken(await read(first), first)
      if (theirs !== undefined) return theirs
    }
  }

  async function refreshAndStore(first: AdapterAccount, refresh: Refresh, { deadline, release }: Lease): Promise<string> {
    let request: Promise<unknown> | undefined
    const isOver = () => {
      request = undefined
    }
    try {
      // Another caller may have renewed the tokens before this lease began.
      const account = await read(first)
      const theirs = renewedToken(account, first)
      if (theirs !== undefined) return theirs
      try {
        const signal = timeUntil(deadline)
        const answer = (async () => refresh(renewable(account), { signal }))()
        request = answer.then(isOver, isOver)
        return await store(account, await beforeAbort(answer, signal))
      } catch (error) {
        // Others may have renewed the tokens meanwhile: the user by a new sign-in, or a machine after this lease was over.
        const latest = renewedToken(await read(first), account)
        if (latest === undefined) throw error
        return latest
      }
    } finally {
      // A request can continue after its caller has given up. Until it ends, no other caller may ask the provider.
      if (request) void request.then(release)
      else await release()
    }
  }

  async function store(account: AdapterAccount, issued: IssuedTokens & { error?: unknown }): Promise<string> {
    if (issued.error) throw errorOfCode(issued.error, 'the provider answered with an error')
    const { access_token, expires_at = inSeconds(account.expires_in || unknownLifetime), ...others } = changesOf(issued)
    if (access_token === undefined) return fail('unreachable', 'it sent no access_token')
    const { provider, providerAccountId } = account
    const changes = { provider, providerAccountId, access_token, expires_at, ...others }
    const written = await adapter.updateAccount(changes, { unlessChanged: account })
    return written ? access_token : (renewedToken(await read(account), account) ?? access_token)
  }

  return {
    async get(userId, provider, { providerAccountId } = {}) {
      const account = await find(userId, provider, providerAccountId)
      const refresh = Object.hasOwn(providers, provider) ? providers[provider] : undefined
      if (isValid(account, refresh)) return account.access_token as string
      if (!refresh) return fail('no-provider')
      const key = JSON.stringify([provider, account.providerAccountId])
      const work = running.get(key) ?? renew(renewable(account), refresh).finally(() => running.delete(key))
      running.set(key, work)
      return work
    },
  }
}

/** Seconds for which a new token counts as valid if neither the provider nor the token before it says for how long. */
const unknownLifetime = 300

/** Returns the access token of an account if it was renewed since it was last read. Some providers extend the same token. */
function renewedToken({ access_token, expires_at = 0 }: AdapterAccount, before: AdapterAccount): string | undefined {
  return access_token !== before.access_token || expires_at > (before.expires_at ?? 0) ? access_token : undefined
}

function renewable(account: AdapterAccount): AdapterAccount & { refresh_token: string } {
  const { refresh_token = fail('no-refresh-token') } = account
  return { ...account, refresh_token }
}

/** A signal that aborts at this time. A process that was paused until after it must not ask the provider. */
function timeUntil(deadline: number): AbortSignal {
  const milliseconds = deadline - Date.now()
  return milliseconds > 0 ? AbortSignal.timeout(milliseconds) : fail('unreachable', 'the lease ended before the request')
}

/** Waits for the provider's answer until the signal aborts. Errors contain no tokens. */
async function beforeAbort(answer: Promise<unknown>, signal: AbortSignal): Promise<object> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new AccessTokenError('unreachable', 'no answer in time')))
  })
  try {
    return Object(await Promise.race([answer, late]))
  } catch (error) {
    // Errors of fetch and of the app's own functions may contain tokens.
    throw error instanceof AccessTokenError ? error : new AccessTokenError('unreachable')
  }
}

function checked(adapter: TokenAdapter, options: AccessTokensOptions): AccessTokensOptions {
  const must = (isRight: boolean, message: string) => isRight || configError(`accessTokens: ${message}`)
  must(
    typeof adapter?.createVerificationToken === 'function',
    'the adapter has no verification tokens table, which holds the leases. Pass it to DrizzleAdapter',
  )
  const { providers, early = 60, lease = 30_000 } = options
  // Each ten seconds of a lease take a row.
  must(Number.isFinite(lease) && lease >= 1_000 && lease <= 600_000, 'lease must be a number of milliseconds from 1000 to 600000')
  return { providers, early, lease }
}

function fail(kind: ConstructorParameters<typeof AccessTokenError>[0], detail?: string): never {
  throw new AccessTokenError(kind, detail)
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
