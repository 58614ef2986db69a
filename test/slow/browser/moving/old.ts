import { scryptSync, timingSafeEqual } from 'node:crypto'
import type { AuthConfig } from '@auth/core'
import { Auth, skipCSRFCheck } from '@auth/core'
import type { Adapter } from '@auth/core/adapters'
import Credentials from '@auth/core/providers/credentials'
import Passkey from '@auth/core/providers/passkey'
import { credentialSessions } from 'drizzle-auth-adapter/authjs'
import type { AuthOptions } from 'next-auth-4'
import { builtIn, serveNextAuth } from '../../../auth/next-auth.js'

/** What the old and the new app share. */
export interface Setting {
  origin: string
  secret: string
  issuer: string
  client: { client_id: string; client_secret: string }
  /** The links that were sent, by address. */
  links: Map<string, string>
}

export interface OldSetting extends Setting {
  adapter: object
  strategy: 'database' | 'jwt'
  /** Returns a user and the hash of the password. */
  findUser(email: string): Promise<{ id: string; password: string | null } | undefined>
}

/** An app, by its address. */
export interface App {
  /** Answers requests below /api/auth. */
  handle(request: Request): Promise<Response>
  /** Returns the id of the user who is signed in, as a page of the app sees it. */
  whoIs(request: Request): Promise<string | undefined>
}

export const path = '/api/auth'

/** How the old app hashes passwords. */
export const hash = (password: string) => `old:${scryptSync(password, 'salt', 32).toString('hex')}`
export const matches = (password: string, hashed: string) => timingSafeEqual(Buffer.from(hash(password)), Buffer.from(hashed))

async function authorize({ findUser }: OldSetting, { email, password }: { email?: unknown; password?: unknown } = {}) {
  const user = await findUser(String(email))
  return user?.password && matches(String(password), user.password) ? { id: user.id, email: String(email) } : null
}

const whoIs = (handle: App['handle'], origin: string) => async (request: Request) => {
  const headers = { cookie: request.headers.get('cookie') ?? '' }
  const session = (await (await handle(new Request(`${origin}${path}/session`, { headers }))).json()) as { user?: { id: string } } | null
  return session?.user?.id
}

/** An app with Auth.js 5. */
export function authjs(setting: OldSetting): App {
  const { origin, secret, issuer, client, links, strategy } = setting
  const adapter = setting.adapter as Adapter
  const config: AuthConfig = {
    basePath: path,
    secret,
    trustHost: true,
    skipCSRFCheck,
    logger: { warn() {} },
    adapter,
    session: { strategy },
    experimental: { enableWebAuthn: true },
    providers: [
      { id: 'oidc', name: 'OIDC', type: 'oidc', issuer, clientId: client.client_id, clientSecret: client.client_secret, ...login },
      {
        id: 'email',
        name: 'Email',
        type: 'email',
        sendVerificationRequest: async ({ identifier, url }: { identifier: string; url: string }) => void links.set(identifier, url),
      },
      Credentials({ credentials: { email: {}, password: {} }, authorize: (given) => authorize(setting, given) }),
      Passkey({}),
    ],
    callbacks: {
      session: ({ session, user, token }) => ({ ...session, user: { ...session.user, id: user?.id ?? token?.sub } }),
    },
  }
  const used = strategy === 'jwt' ? config : credentialSessions(adapter as never, config)
  const handle = async (request: Request): Promise<Response> => Auth(request, used)
  return { handle, whoIs: whoIs(handle, origin) }
}

// Shows the choice of people at each sign-in.
const login = { authorization: { params: { scope: 'openid email profile', prompt: 'login' } } }

/** An app with next-auth 4, which has no passkeys, and passwords only with JWTs. */
export function nextAuth(setting: OldSetting): App {
  const { origin, secret, issuer, client, links, strategy } = setting
  const email = { server: 'smtp://localhost', from: 'app@example.com' }
  const options = {
    secret,
    adapter: setting.adapter,
    session: { strategy },
    logger: { warn() {} },
    providers: [
      {
        id: 'oidc',
        name: 'OIDC',
        type: 'oauth',
        wellKnown: `${issuer}/.well-known/openid-configuration`,
        clientId: client.client_id,
        clientSecret: client.client_secret,
        idToken: true,
        checks: ['pkce', 'state'],
        profile: ({ sub, name, email }: Record<string, string>) => ({ id: sub, name, email }),
        ...login,
      },
      builtIn('email')({
        ...email,
        sendVerificationRequest: async ({ identifier, url }: { identifier: string; url: string }) => void links.set(identifier, url),
      }),
      ...(strategy === 'jwt'
        ? [builtIn('credentials')({ credentials: { email: {}, password: {} }, authorize: (given: object) => authorize(setting, given) })]
        : []),
    ],
    callbacks: {
      session: ({ session, user, token }: { session: object; user?: { id: string }; token?: { sub?: string } }) => ({
        ...session,
        user: { id: user?.id ?? token?.sub },
      }),
    },
  } as unknown as AuthOptions
  const handle = (request: Request) => serveNextAuth(request, path, options)
  return { handle, whoIs: whoIs(handle, origin) }
}
