import type { AuthConfig } from '@auth/core'
import { Auth, skipCSRFCheck } from '@auth/core'
import type { Adapter } from '@auth/core/adapters'
import Passkey from '@auth/core/providers/passkey'
import type { startIdentity } from '../../demo/identity.js'
import type { Client } from './client.js'
import { openClient } from './client.js'

export const origin = 'http://localhost:3000'

interface Options {
  adapter: object
  strategy: 'database' | 'jwt'
  identity: Awaited<ReturnType<typeof startIdentity>>
}

/** A minimal application: `Auth()` with an adapter, called directly and without a server. */
export function openApp({ adapter, strategy, identity: { issuer, client } }: Options) {
  const links: string[] = []
  const config: AuthConfig = {
    basePath: '/auth',
    secret: 'a secret of the tests',
    trustHost: true,
    skipCSRFCheck,
    adapter: adapter as Adapter,
    session: { strategy },
    experimental: { enableWebAuthn: true },
    pages: { error: '/problem', signIn: '/problem', verifyRequest: '/mailbox' },
    logger: { error() {}, warn() {} },
    providers: [
      { id: 'email', type: 'email', name: 'Email', sendVerificationRequest: ({ url }) => void links.push(url) },
      { id: 'oidc', type: 'oidc', name: 'OpenID', issuer, clientId: client.client_id, clientSecret: client.client_secret },
      ...('createAuthenticator' in adapter ? [Passkey({})] : []),
    ],
    callbacks: { session: ({ session, user, token }) => ({ ...session, user: { ...session.user, id: user?.id ?? token?.sub } }) },
  }

  return {
    open: () => openClient(origin, (request) => Auth(request, config)),

    async askForLink(client: Client, email: string): Promise<string> {
      await client.go('/auth/signin/email', { email, callbackUrl: '/' })
      return links.at(-1) ?? ''
    },

    async signInByOpenId(client: Client, person: 'ada' | 'bob') {
      const { url } = await client.go('/auth/signin/oidc', { callbackUrl: '/' })
      return url.pathname.startsWith('/choose/') ? client.go(`${url.href}/${person}`, {}) : { url }
    },
  }
}

/** Registers or signs in with a passkey: fetches the options from Auth.js, and posts what the device answers. */
export async function usePasskey(
  client: Client,
  action: 'register' | 'authenticate',
  device: Record<typeof action, (options: { challenge: string }) => string>,
  email = '',
) {
  const { response } = await client.go(`/auth/webauthn-options/passkey?${new URLSearchParams({ action, ...(email && { email }) })}`)
  if (!response.ok) return { url: new URL(origin), status: response.status }
  const { options } = (await response.json()) as { options: { challenge: string } }
  const { url } = await client.go('/auth/callback/passkey', { action, data: device[action](options), callbackUrl: '/' })
  return { url, status: 200 }
}

/** The signed-in user, as Auth.js's session route returns it. */
export async function whoIs(client: Client): Promise<{ id: string; email: string } | undefined> {
  const { response } = await client.go('/auth/session')
  return ((await response.json()) as { user: { id: string; email: string } } | null)?.user
}
