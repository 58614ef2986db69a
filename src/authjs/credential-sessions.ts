import { configError } from '../query/errors.js'
import type { Adapter } from '../types.js'

// The parts of the configuration that are wrapped. `@auth/core` and next-auth 4 and 5 have them in common.
interface Config {
  adapter?: unknown
  providers: readonly unknown[]
  session?: { strategy?: string; maxAge?: number; generateSessionToken?: () => string }
  callbacks?: { jwt?: (parameters: never) => unknown }
  jwt?: { encode?: (parameters: never) => unknown }
  cookies?: { sessionToken?: { name?: string } }
}

interface CredentialsProvider {
  type?: string
  options?: { authorize?: Authorize }
  authorize?: Authorize
}

type Authorize = (credentials: unknown, request: unknown) => unknown

interface SignIn {
  userId: string
  /** The token of the session that the browser had before. */
  previous: string | undefined
}

const thirtyDays = 30 * 24 * 60 * 60

/** The default names of the session cookie in Auth.js and next-auth 4. */
const cookieNames = ['authjs.session-token', 'next-auth.session-token'].flatMap((name) => [`__Secure-${name}`, name])

/**
 * Changes the configuration of Auth.js so that users who sign in with the credentials provider get a session in the database. Auth.js
 * itself does not support this. You still check passwords yourself, in `authorize`.
 *
 * @param adapter The adapter that stores the sessions.
 * @param config The configuration of Auth.js.
 * @example
 * // auth.ts
 * import type { AuthConfig } from '@auth/core'
 * import Credentials from '@auth/core/providers/credentials'
 * import { credentialSessions } from 'drizzle-auth-adapter/authjs'
 * import { adapter } from './adapter.js'
 * import { authorize } from './passwords.js'
 *
 * export const config: AuthConfig = credentialSessions(adapter, { adapter, providers: [Credentials({ authorize })] })
 */
export function credentialSessions<C extends Config>(adapter: Pick<Adapter, 'createSession' | 'deleteSession'>, config: C): C {
  if (typeof adapter?.createSession !== 'function')
    configError('credentialSessions: the adapter has no sessions table. Pass it to DrizzleAdapter')
  if (!config.adapter)
    configError('credentialSessions: the configuration has no adapter, so no session would be created. Add the adapter to it')
  if (config.session?.strategy === 'jwt')
    configError("credentialSessions: session.strategy is 'jwt', which stores no sessions. Leave it out")
  const { maxAge = thirtyDays, generateSessionToken = () => crypto.randomUUID(), strategy, ...session } = config.session ?? {}
  const names = config.cookies?.sessionToken?.name ? [config.cookies.sessionToken.name] : cookieNames
  // The library passes on the same objects: the user of `authorize` to `jwt`, and the token of `jwt` to `encode`.
  const previous = new WeakMap<object, string | undefined>()
  const signIns = new WeakMap<object, SignIn>()

  const wrapAuthorize =
    (authorize: Authorize): Authorize =>
    async (credentials, request) => {
      const user = await authorize(credentials, request)
      if (Object(user) === user) previous.set(user as object, cookieOf(request, names))
      return user
    }

  const wrapProvider = (given: unknown): unknown => {
    if (typeof given === 'function') return (...parameters: unknown[]) => wrapProvider(given(...parameters))
    const provider = given as CredentialsProvider
    if (provider?.type !== 'credentials') return provider
    const { options, authorize } = provider
    return {
      ...provider,
      ...(authorize && { authorize: wrapAuthorize(authorize) }),
      ...(options?.authorize && { options: { ...options, authorize: wrapAuthorize(options.authorize) } }),
    }
  }

  type Jwt = { token: object; user?: { id?: unknown }; account?: { type?: string } | null }
  const jwt = async (parameters: Jwt) => {
    const own = config.callbacks?.jwt as ((parameters: Jwt) => unknown) | undefined
    const token = own ? await own(parameters) : parameters.token
    const { user, account } = parameters
    if (account?.type === 'credentials' && user && Object(token) === token)
      signIns.set(token as object, { userId: String(user.id), previous: previous.get(user) })
    return token
  }

  type Encode = { token?: object }
  const encode = async (parameters: Encode) => {
    const signIn = parameters.token && signIns.get(parameters.token)
    if (!signIn) {
      const own = config.jwt?.encode as ((parameters: Encode) => unknown) | undefined
      return own
        ? own(parameters)
        : configError('credentialSessions: jwt.encode was called for something other than a sign-in with credentials')
    }
    const sessionToken = generateSessionToken()
    await adapter.createSession({ sessionToken, userId: signIn.userId, expires: new Date(Date.now() + maxAge * 1000) })
    if (signIn.previous) await adapter.deleteSession(signIn.previous)
    return sessionToken
  }

  return {
    ...config,
    providers: config.providers.map(wrapProvider),
    // Auth.js rejects the strategy `database` if credentials are the only provider. With an adapter, it is the default anyway.
    ...(config.session && { session: { ...session, maxAge, generateSessionToken } }),
    callbacks: { ...config.callbacks, jwt },
    jwt: { ...config.jwt, encode },
  }
}

/** The session cookie of a request: a `Request`, or an object with headers as next-auth 4 passes it. */
function cookieOf(request: unknown, names: readonly string[]): string | undefined {
  const { headers } = Object(request) as { headers?: Headers | Record<string, string> }
  const header =
    typeof headers?.get === 'function' ? (headers as Headers).get('cookie') : (headers as Record<string, string> | undefined)?.cookie
  const cookies = new Map<string, string>()
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0) cookies.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim())
  }
  const found = names.map((name) => cookies.get(name)).find((value) => value !== undefined)
  try {
    return found === undefined ? undefined : decodeURIComponent(found)
  } catch {
    return undefined
  }
}
