import type { Assets } from './assets.js'
import type { Frame } from './pages/frame.js'
import { framed } from './pages/frame.js'
import type { Html } from './pages/html.js'
import { problemPage } from './pages/problem.js'

/** The outcome of the last attempt to sign in. */
export interface Outcome {
  /** The kind of the problem, if there was one. */
  error?: string | undefined
  /** The submitted address. */
  email?: string | undefined
}

interface PageOptions {
  status?: number
  headers?: Record<string, string>
  hero?: Html
}

interface Visitor<User> {
  user: User | null
  /** Cookies that the response must set, because the session was extended. */
  cookies: string[]
}

interface SignIn<User> {
  whoIs(request: Request): Promise<Visitor<User>>
  signInPage(path: string, outcome: Outcome): Html
  hero: Html
}

interface Site {
  assets: Assets
  /** The pages by their paths. */
  pages: Record<string, (request: Request, url: URL) => Promise<Response> | Response>
  /** The forms by their paths. */
  forms: Record<string, (request: Request, form: FormData) => Promise<Response>>
  /** Answers requests below /auth. */
  auth(request: Request): Promise<Response> | Response
  log(line: string): void
}

export const outcomeOf = ({ searchParams }: URL): Outcome => ({
  error: searchParams.get('error') ?? undefined,
  email: searchParams.get('email') ?? undefined,
})

export const seeOther = (location: string) => new Response(null, { status: 303, headers: { location } })

/** What the pages of both libraries share. */
export function openSite(frame: Frame) {
  const page = (path: string, content: Html, { status = 200, headers = {}, hero }: PageOptions = {}) =>
    new Response(framed({ path, content, hero }, frame), { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } })

  const problem = (kind: string) =>
    page('/problem', problemPage(kind), { status: { NotFound: 404, Database: 503, Click: 405 }[kind] ?? 400 })

  return {
    page,
    problem,

    /** Creates pages for signed-in users. Everybody else is asked to sign in. */
    forUsers:
      <User>({ whoIs, signInPage, hero }: SignIn<User>) =>
      (content: (user: User, request: Request, outcome: Outcome) => Promise<Html>) =>
      async (request: Request, url: URL) => {
        const { user, cookies } = await whoIs(request)
        const outcome = outcomeOf(url)
        const response = user
          ? page(url.pathname, await content(user, request, outcome))
          : page(url.pathname, signInPage(url.pathname, outcome), { hero })
        for (const cookie of cookies) response.headers.append('set-cookie', cookie)
        return response
      },

    serve:
      ({ assets, pages, forms, auth, log }: Site) =>
      async (request: Request): Promise<Response> => {
        const url = new URL(request.url)
        const { pathname } = url
        const asset = assets.get(pathname)
        if (asset) return new Response(asset.text, { headers: { 'content-type': asset.type } })
        try {
          if (pathname.startsWith('/auth/')) return await auth(request)
          if (request.method === 'POST' && forms[pathname]) return await forms[pathname](request, await request.formData())
          return (await pages[pathname]?.(request, url)) ?? problem('NotFound')
        } catch (error) {
          log(`${request.method} ${pathname}: ${(error as Error).name}`)
          return problem('Database')
        }
      },
  }
}
