import type { AuthConfig } from '@auth/core'
import { Auth, skipCSRFCheck } from '@auth/core'
import type { VerificationToken } from '@auth/core/adapters'
import type { Provider } from '@auth/core/providers'
import Credentials from '@auth/core/providers/credentials'
import Nodemailer from '@auth/core/providers/nodemailer'
import Passkey from '@auth/core/providers/passkey'
import { credentialSessions, freshTokens } from 'drizzle-auth-adapter/authjs'
import { createTransport } from 'nodemailer'
import { codeCookie, maxAge, openCodes } from './codes.js'
import type { DemoAdapter } from './database/store.js'
import { adapterFor } from './devices.js'
import { failureOf } from './failure.js'
import { linkFor } from './links.js'
import { problemUrl } from './pages/problem.js'
import { openPasswords } from './passwords.js'

export interface Settings {
  origin: string
  adapter: DemoAdapter
  strategy: 'database' | 'jwt'
  secret: string
  mailUrl: string
  issuer: string
  client: { client_id: string; client_secret: string }
  log(line: string): void
}

export interface SignedIn {
  /** Undefined if nobody is signed in. */
  userId: string | undefined
  /** Cookies that the response must set, because Auth.js extends the cookie together with the session. */
  cookies: string[]
}

const from = 'Demo <demo@example.com>'

export function openAuth({ origin, adapter, strategy, secret, mailUrl, issuer, client, log }: Settings) {
  const passwords = openPasswords(adapter)
  const mail = Nodemailer({ server: mailUrl, from })

  const configFor = (codes: ReturnType<typeof openCodes>): AuthConfig => ({
    basePath: '/auth',
    // The server answers only requests to its own host, from which links are built.
    trustHost: true,
    secret,
    session: { strategy },
    // The server rejects forms of other sites itself, so Auth.js need not check again.
    skipCSRFCheck,
    pages: { signIn: '/', error: '/problem', verifyRequest: '/mailbox' },
    experimental: { enableWebAuthn: true },
    providers: [
      // Cast, because with `exactOptionalPropertyTypes` its type does not fit Auth.js's own.
      {
        ...mail,
        options: { server: mailUrl, from },
        sendVerificationRequest: (request) => mail.sendVerificationRequest({ ...request, url: linkFor(request.url) } as never),
      } as Provider,
      {
        id: 'code',
        name: 'Code',
        type: 'email',
        maxAge,
        generateVerificationToken: codes.generate,
        async sendVerificationRequest({ identifier, token }) {
          const subject = `${token} is your code for the demo`
          const text = `Enter ${token} where you asked for it. It is valid for ten minutes.`
          await createTransport(mailUrl).sendMail({ to: identifier, from, subject, text })
        },
      },
      Credentials({
        credentials: { email: {}, password: {}, create: {} },
        authorize({ email, password, create }) {
          const [address, secret] = [String(email).trim().toLowerCase(), String(password)]
          return create ? passwords.create(address, secret) : passwords.check(address, secret)
        },
      }),
      Passkey({}),
      {
        id: 'oidc',
        name: 'OpenID Connect',
        type: 'oidc',
        issuer,
        clientId: client.client_id,
        clientSecret: client.client_secret,
        // Shows the choice of people at each sign-in.
        authorization: { params: { scope: 'openid email profile', prompt: 'login' } },
      },
    ],
    events: { signIn: freshTokens(adapter) },
    callbacks: {
      // A signed cookie may outlive its user.
      jwt: async ({ token }) => ((await adapter.getUser(token.sub ?? '')) ? token : null),
      session: ({ session, user, token }) => ({ ...session, user: { id: user?.id ?? token?.sub } }),
    },
  })

  /** Calls Auth.js, and returns its response and the first error that it would have logged. */
  async function callAuth(request: Request, codes = openCodes(adapter, secret), used = adapter) {
    const errors: Error[] = []
    const logger = { error: (error: Error) => void errors.push(error), warn() {} }
    const fullConfig = { ...configFor(codes), adapter: used, logger }
    return { response: await Auth(request, strategy === 'jwt' ? fullConfig : credentialSessions(used, fullConfig)), error: errors[0] }
  }

  /**
   * Answers a request below /auth. After an error, redirects to the page where the user can try again.
   *
   * @param enteredCode The cookie of the browser, if the request enters a code.
   */
  async function handle(request: Request, enteredCode?: string): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    // The submitted values, to fill in the form again after an error.
    const typed = await request
      .clone()
      .formData()
      .catch(() => searchParams)
    const isLink = pathname === '/auth/callback/nodemailer'
    let token: VerificationToken | null = null
    const codes = openCodes(adapter, secret, enteredCode)
    const { response, error } = await callAuth(request, codes, {
      ...adapterFor(request, adapter),
      createVerificationToken: codes.create,
      async useVerificationToken(params) {
        token = await codes.use(params)
        return token
      },
    })
    if (codes.setCookie) response.headers.append('set-cookie', codes.setCookie)
    if (!error) return response
    log(`${request.method} ${pathname}: ${error.name}`)
    const failure = failureOf(error, token)
    const kind = codes.isLimited ? 'Tries' : !isLink && failure === 'Used' ? 'Code' : failure
    const email = String(typed.get('email') ?? searchParams.get('email') ?? '')
    return new Response(null, { status: 303, headers: { location: problemUrl(kind, email) } })
  }

  /** Sends a form to Auth.js on behalf of another request. */
  const post = (request: Request, path: string, form: Record<string, string> = {}, enteredCode?: string) => {
    const headers = new Headers(request.headers)
    for (const name of ['content-length', 'content-type']) headers.delete(name)
    const body = new URLSearchParams({ callbackUrl: '/', ...form })
    return handle(new Request(`${origin}/auth/${path}`, { method: 'POST', headers, body }), enteredCode)
  }

  /** The user who sends this request. Throws if the database cannot be read. */
  async function signedIn(request: Request): Promise<SignedIn> {
    const headers = { cookie: request.headers.get('cookie') ?? '' }
    const { response, error } = await callAuth(new Request(`${origin}/auth/session`, { headers }))
    // If Auth.js cannot read the session, it answers as if there were none.
    if (error?.name === 'AdapterError') throw error
    const session = (await response.json()) as { user: { id: string } } | null
    return { userId: session?.user.id, cookies: response.headers.getSetCookie() }
  }

  return {
    handle,
    signedIn,
    /** Deletes the cookie, and the session if there is one. */
    signOut: (request: Request) => post(request, 'signout'),
    sendCode: (request: Request, email: string) => post(request, 'signin/code', { email }),
    checkCode(request: Request, email: string, code: string) {
      const query = new URLSearchParams({ email: email.trim().toLowerCase(), token: code.replace(/\s/g, '') })
      return post(request, `callback/code?${query}`, {}, codeCookie(request))
    },
  }
}
