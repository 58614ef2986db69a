import type { AuthConfig } from '@auth/core'
import { Auth, skipCSRFCheck } from '@auth/core'
import type { Adapter } from '@auth/core/adapters'
import type { Client } from '../support/client.js'
import { openClient } from '../support/client.js'

export const origin = 'http://localhost:3000'

type Provider = AuthConfig['providers'][number]

/** A minimal application: `Auth()` with an adapter and providers, called directly and without a server. */
export function openApp(adapter: object, providers: Provider[], strategy: 'database' | 'jwt' = 'database') {
  const errors: Error[] = []
  const config: AuthConfig = {
    basePath: '/auth',
    secret: 'a secret of the tests',
    trustHost: true,
    skipCSRFCheck,
    adapter: adapter as Adapter,
    session: { strategy },
    experimental: { enableWebAuthn: true },
    pages: { error: '/problem', signIn: '/problem' },
    logger: { error: (error) => void errors.push(error), warn() {}, debug() {} },
    providers,
    callbacks: { session: ({ session, user, token }) => ({ ...session, user: { ...session.user, id: user?.id ?? token?.sub } }) },
  }
  const open = () => openClient(origin, (request) => Auth(request, config))

  return {
    /** The errors that Auth.js has logged. */
    errors,
    /** A new browser. */
    open,
    /** Signs in with the first provider, in a new browser. Returns the path that this leads to, and the signed-in user. */
    async signIn() {
      const client = open()
      const [provider] = providers
      const { url } = await client.go(`/auth/signin/${(typeof provider === 'function' ? provider() : provider)?.id}`, { callbackUrl: '/' })
      return { path: url.pathname + url.search, user: await whoIs(client) }
    },
  }
}

/** Registers or signs in with a passkey: fetches the options from Auth.js, and posts what the device answers. */
export async function usePasskey(
  client: Client,
  action: 'register' | 'authenticate',
  device: Record<typeof action, (options: { challenge: string }) => string>,
  email = '',
): Promise<void> {
  const { response } = await client.go(`/auth/webauthn-options/passkey?${new URLSearchParams({ action, ...(email && { email }) })}`)
  if (!response.ok) return
  const { options } = (await response.json()) as { options: { challenge: string } }
  await client.go('/auth/callback/passkey', { action, data: device[action](options), callbackUrl: '/' })
}

/** The signed-in user, as Auth.js's session route returns it. */
export async function whoIs(client: Client): Promise<{ id: string; email: string } | undefined> {
  const { response } = await client.go('/auth/session')
  return ((await response.json()) as { user: { id: string; email: string } } | null)?.user
}
