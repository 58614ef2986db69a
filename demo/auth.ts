import type { AuthConfig } from '@auth/core'
import { Auth, skipCSRFCheck } from '@auth/core'
import type { Adapter, VerificationToken } from '@auth/core/adapters'
import type { Provider } from '@auth/core/providers'
import Nodemailer from '@auth/core/providers/nodemailer'
import Passkey from '@auth/core/providers/passkey'
import { failureOf } from './failure.js'

export interface Settings {
  origin: string
  adapter: Required<Adapter>
  strategy: 'database' | 'jwt'
  secret: string
  mailUrl: string
  issuer: string
  client: { client_id: string; client_secret: string }
  log(line: string): void
}

export interface SignedIn {
  /** Nobody, if it is missing. */
  userId: string | undefined
  /** What the answer must carry: Auth.js moves the cookie's expiry with the session's. */
  cookies: string[]
}

export function openAuth({ origin, adapter, strategy, secret, mailUrl, issuer, client, log }: Settings) {
  const config: AuthConfig = {
    basePath: '/auth',
    trustHost: true,
    secret,
    adapter,
    session: { strategy },
    // The server lets no form of another site through, so Auth.js need not check again.
    skipCSRFCheck,
    pages: { signIn: '/', error: '/problem', verifyRequest: '/mailbox' },
    experimental: { enableWebAuthn: true },
    providers: [
      // Its type disagrees with Auth.js's own under `exactOptionalPropertyTypes`.
      Nodemailer({ server: mailUrl, from: 'Demo <demo@example.com>' }) as Provider,
      Passkey({}),
      {
        id: 'oidc',
        name: 'OpenID Connect',
        type: 'oidc',
        issuer,
        clientId: client.client_id,
        clientSecret: client.client_secret,
        // Asks who it is each time, so that there is a choice.
        authorization: { params: { scope: 'openid email profile', prompt: 'login' } },
      },
    ],
    callbacks: {
      // A signed cookie may outlive the person that it names.
      jwt: async ({ token }) => ((await adapter.getUser(token.sub ?? '')) ? token : null),
      session: ({ session, user, token }) => ({ ...session, user: { id: user?.id ?? token?.sub } }),
    },
  }

  /** The answer of Auth.js, and what it would have logged first. */
  async function ask(request: Request, used = adapter) {
    const errors: Error[] = []
    const logger = { error: (error: Error) => void errors.push(error), warn() {} }
    return { response: await Auth(request, { ...config, adapter: used, logger }), error: errors[0] }
  }

  /** Answers a request below /auth; what goes wrong leads to a page that says so. */
  async function handle(request: Request): Promise<Response> {
    let token: VerificationToken | null = null
    const { response, error } = await ask(request, {
      ...adapter,
      async useVerificationToken(params) {
        token = await adapter.useVerificationToken(params)
        return token
      },
    })
    if (!error) return response
    log(`${request.method} ${new URL(request.url).pathname}: ${error.name}`)
    return new Response(null, { status: 303, headers: { location: `/problem?error=${failureOf(error, token)}` } })
  }

  /** Who sends this request. Throws if the database cannot say. */
  async function signedIn(request: Request): Promise<SignedIn> {
    const headers = { cookie: request.headers.get('cookie') ?? '' }
    const { response, error } = await ask(new Request(`${origin}/auth/session`, { headers }))
    // Auth.js takes a session that it cannot read for none.
    if (error?.name === 'AdapterError') throw error
    const session = (await response.json()) as { user: { id: string } } | null
    return { userId: session?.user.id, cookies: response.headers.getSetCookie() }
  }

  /** Takes the cookie away, and the session if there is one. */
  const signOut = (request: Request) =>
    handle(
      new Request(`${origin}/auth/signout`, {
        method: 'POST',
        headers: { cookie: request.headers.get('cookie') ?? '' },
        body: new URLSearchParams({ callbackUrl: '/' }),
      }),
    )

  return { handle, signedIn, signOut }
}
