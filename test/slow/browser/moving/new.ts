import { passkey } from '@better-auth/passkey'
import type { BetterAuthOptions } from 'better-auth'
import { betterAuth } from 'better-auth'
import { genericOAuth, magicLink } from 'better-auth/plugins'
import { authjsSessions, drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import type { App, Setting } from './old.js'
import { matches } from './old.js'

/** The options of the same app with Better Auth. */
export function optionsOf({ origin, secret, issuer, client, links }: Setting, strategy: 'database' | 'jwt') {
  const until = new Date(Date.now() + 86_400_000)
  return {
    baseURL: origin,
    secret: `${secret} for Better Auth`,
    emailAndPassword: { enabled: true, password: { verify: async ({ hash, password }) => matches(password, hash) } },
    // Better Auth leaves these checks out when it is tested.
    advanced: { disableOriginCheck: false, disableCSRFCheck: false, database: { joins: true } },
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: 'oidc',
            discoveryUrl: `${issuer}/.well-known/openid-configuration`,
            clientId: client.client_id,
            clientSecret: client.client_secret,
            scopes: ['openid', 'email', 'profile'],
            prompt: 'login',
            disableProviderLogout: true,
          },
        ],
      }),
      magicLink({ sendMagicLink: async ({ email, url }) => void links.set(email, url) }),
      passkey(),
      authjsSessions({ until, ...(strategy === 'jwt' && { secret }) }),
    ],
  } satisfies BetterAuthOptions
}

/** The app with Better Auth, and the tables in this schema. */
export function openBetterAuth(options: ReturnType<typeof optionsOf>, db: object, schema: Record<string, unknown>): App {
  const auth = betterAuth({ ...options, database: drizzleAdapter(db, { schema }) })
  return {
    handle: (request) => auth.handler(request),
    // As in a server component, which cannot set cookies.
    whoIs: async ({ headers }) => (await auth.api.getSession({ headers }))?.user.id,
  }
}
