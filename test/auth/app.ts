import type { AuthConfig } from '@auth/core'
import { Auth, skipCSRFCheck } from '@auth/core'
import type { Adapter } from '@auth/core/adapters'
import { whoIs } from '../browser/app.js'
import type { Client } from '../browser/client.js'
import { openClient } from '../browser/client.js'

export const origin = 'http://localhost:3000'

/** A minimal application: `Auth()` with an adapter and one provider. */
export function openApp(adapter: object, provider: AuthConfig['providers'][number]) {
  const errors: Error[] = []
  const config: AuthConfig = {
    basePath: '/auth',
    secret: 'a secret of the tests',
    trustHost: true,
    skipCSRFCheck,
    adapter: adapter as Adapter,
    session: { strategy: 'database' },
    experimental: { enableWebAuthn: true },
    pages: { error: '/problem', signIn: '/problem' },
    logger: { error: (error) => void errors.push(error), warn() {}, debug() {} },
    providers: [provider],
    callbacks: { session: ({ session, user }) => ({ ...session, user: { ...session.user, id: user?.id } }) },
  }
  const { id } = typeof provider === 'function' ? provider() : provider
  const open = () => openClient(origin, (request) => Auth(request, config))

  return {
    /** The errors that Auth.js has logged. */
    errors,
    open,
    /** Signs in with the provider, by default in a new browser. Returns the path that this leads to, and the signed-in user. */
    async signIn(client: Client = open()) {
      const { url } = await client.go(`/auth/signin/${id}`, { callbackUrl: '/' })
      return { path: url.pathname + url.search, user: await whoIs(client) }
    },
  }
}
