import { createRequire } from 'node:module'
import type { AuthOptions } from 'next-auth-4'
import { onTestFinished, vi } from 'vitest'
import { openClient } from '../support/client.js'

type Handler = (request: object, response: object, options: AuthOptions) => Promise<unknown>
type BuiltIn = (options: object) => AuthOptions['providers'][number]

// next-auth 4 is a CommonJS package, whose default exports Node.js and TypeScript resolve differently.
const require = createRequire(import.meta.url)
const NextAuth: Handler = require('next-auth-4').default

/** A built-in provider of next-auth 4. */
export const builtIn = (name: 'credentials' | 'email' | 'strava' | 'wordpress'): BuiltIn => require(`next-auth-4/providers/${name}`).default

const origin = 'http://localhost:3000'

/** Answers a request below this path. Converts requests and responses as Next.js does for an API route. */
export async function serveNextAuth(request: Request, path: string, options: AuthOptions): Promise<Response> {
  const url = new URL(request.url)
  const cookies = (request.headers.get('cookie') ?? '').split('; ').flatMap((cookie) => {
    const [name = '', ...value] = cookie.split('=')
    return name ? [[name, decodeURIComponent(value.join('='))] as const] : []
  })
  const headers = new Headers()
  const answer: { status: number; body: string | null } = { status: 200, body: null }
  const response = {
    status(status: number) {
      answer.status = status
      return response
    },
    getHeader: (name: string) => (name === 'Set-Cookie' ? headers.getSetCookie() : headers.get(name)),
    setHeader(name: string, value: string | string[]) {
      headers.delete(name)
      for (const each of [value].flat()) headers.append(name, each)
      return response
    },
    send(body: unknown) {
      answer.body = typeof body === 'string' ? body : JSON.stringify(body)
    },
    end() {},
  }
  const query = { nextauth: url.pathname.slice(path.length + 1).split('/'), ...Object.fromEntries(url.searchParams) }
  const body = request.method === 'POST' ? Object.fromEntries(new URLSearchParams(await request.text())) : undefined
  const nextRequest = {
    query,
    body,
    cookies: Object.fromEntries(cookies),
    headers: Object.fromEntries(request.headers),
    method: request.method,
  }
  await NextAuth(nextRequest, response, options)
  return new Response(answer.body, { status: answer.status, headers })
}

/** A minimal application: next-auth 4 as in an API route of Next.js, with an adapter and one provider. */
export function openNextAuth(
  adapter: object,
  provider: AuthOptions['providers'][number],
  change: (options: AuthOptions) => AuthOptions = (options) => options,
) {
  // next-auth 4 reads its address only from here. Other libraries read this variable, too, so it is reset.
  vi.stubEnv('NEXTAUTH_URL', `${origin}/auth`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const errors: unknown[] = []
  const options = change({
    secret: 'a secret of the tests',
    adapter: adapter as NonNullable<AuthOptions['adapter']>,
    session: { strategy: 'database' },
    pages: { error: '/problem', signIn: '/problem' },
    logger: { error: (_code, metadata) => void errors.push(metadata), warn() {}, debug() {} },
    providers: [provider],
    callbacks: { session: ({ session, user }) => ({ ...session, user: { ...session.user, id: user.id } }) },
  })

  const serve = (request: Request) => serveNextAuth(request, '/auth', options)

  return {
    errors,
    browser: () => openClient(origin, serve),
    /** Signs in with the provider in a new browser. Returns the path that this leads to, and the signed-in user. */
    async signIn() {
      const client = openClient(origin, serve)
      const { csrfToken } = await (await client.go('/auth/csrf')).response.json()
      const { url } = await client.go(`/auth/signin/${provider.id}`, { csrfToken, callbackUrl: '/' })
      const session = (await (await client.go('/auth/session')).response.json()) as { user?: { id: string; name?: string } }
      return { path: url.pathname + url.search, user: session.user }
    },
  }
}
