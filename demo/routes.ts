import { openActions } from './actions.js'
import type { Assets } from './assets.js'
import type { openAuth } from './auth.js'
import type { DemoAdapter, Store } from './database/store.js'
import { tokenOf } from './devices.js'
import { confirmPolicy, onlyOpensCallback } from './links.js'
import type { Mail } from './mail.js'
import { accountPage } from './pages/account.js'
import { codePage } from './pages/code.js'
import { confirmPage } from './pages/confirm.js'
import { devicesPage } from './pages/devices.js'
import type { Frame } from './pages/frame.js'
import { framed } from './pages/frame.js'
import type { Html } from './pages/html.js'
import { mailboxPage } from './pages/mailbox.js'
import { problemPage } from './pages/problem.js'
import type { Outcome } from './pages/signin.js'
import { signInPage, startHero } from './pages/signin.js'
import { tokensPage } from './pages/tokens.js'
import type { openTokens } from './tokens.js'

interface Parts {
  store: Store
  adapter: DemoAdapter
  auth: ReturnType<typeof openAuth>
  tokens: ReturnType<typeof openTokens>
  mails: Mail[]
  assets: Assets
  strategy: Frame['strategy']
  log(line: string): void
}

interface PageOptions {
  status?: number
  headers?: Record<string, string>
  hero?: Html
}

type User = NonNullable<Awaited<ReturnType<DemoAdapter['getUser']>>>

const outcomeOf = ({ searchParams }: URL): Outcome => ({
  error: searchParams.get('error') ?? undefined,
  email: searchParams.get('email') ?? undefined,
})

const seeOther = (location: string) => new Response(null, { status: 303, headers: { location } })

/** The pages by their paths. */
export function openRoutes({ store, adapter, auth, tokens, mails, assets, strategy, log }: Parts) {
  const actions = openActions(store, adapter, tokens)
  const page = (path: string, content: Html, { status = 200, headers = {}, hero }: PageOptions = {}) =>
    new Response(framed({ path, content, hero }, { database: store.name, strategy }), {
      status,
      headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
    })

  const problem = (kind: string) =>
    page('/problem', problemPage(kind), { status: { NotFound: 404, Database: 503, Click: 405 }[kind] ?? 400 })

  /** A page for signed-in users. Everybody else is asked to sign in. */
  const personal = (content: (user: User, request: Request, outcome: Outcome) => Promise<Html>) => async (request: Request, url: URL) => {
    const signedIn = await auth.signedIn(request)
    const user = signedIn.userId ? await adapter.getUser(signedIn.userId) : null
    const outcome = outcomeOf(url)
    const response = user
      ? page(url.pathname, await content(user, request, outcome))
      : page(url.pathname, signInPage(url.pathname, outcome), { hero: startHero(store.name) })
    for (const cookie of signedIn.cookies) response.headers.append('set-cookie', cookie)
    return response
  }

  const findOidc = async (userId: string) => (await adapter.listAccounts(userId)).find(({ provider }) => provider === 'oidc')

  const pages: Record<string, (request: Request, url: URL) => Promise<Response> | Response> = {
    '/': personal(async (user, _, { error }) => accountPage(user, await adapter.listAccounts(user.id), error)),
    '/devices': personal(async ({ id }, request) => devicesPage(await adapter.listSessions(id, { current: tokenOf(request) }), strategy)),
    '/tokens': personal(async ({ id }) => tokensPage(await findOidc(id), tokens.last(id))),
    '/mailbox': () => page('/mailbox', mailboxPage(mails)),
    '/confirm': () => page('/confirm', confirmPage(), { headers: confirmPolicy }),
    '/code': (_, url) => page('/code', codePage(outcomeOf(url))),
    '/problem': (_, url) => problem(outcomeOf(url).error ?? ''),
  }

  const forms: Record<string, (request: Request, form: FormData) => Promise<Response>> = {
    async '/send-code'(request, form) {
      const email = String(form.get('email'))
      const response = await auth.sendCode(request, email)
      // The response sets the cookie with which the code can be entered.
      if (response.headers.get('location')?.includes('/verify-request'))
        response.headers.set('location', `/code?${new URLSearchParams({ email })}`)
      return response
    },
    '/code': (request, form) => auth.checkCode(request, String(form.get('email')), String(form.get('code'))),
  }

  async function act(name: string, request: Request): Promise<Response> {
    const form = await request.formData()
    const { userId } = await auth.signedIn(request)
    const next = userId && actions[name] ? await actions[name](userId, form, request) : '/'
    return next === null ? auth.signOut(request) : seeOther(next)
  }

  return async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    const { pathname } = url
    const asset = assets.get(pathname)
    if (asset) return new Response(asset.text, { headers: { 'content-type': asset.type } })
    try {
      if (onlyOpensCallback(request)) return problem('Click')
      if (pathname.startsWith('/auth/')) return await auth.handle(request)
      if (request.method === 'POST' && Object.hasOwn(actions, pathname.slice(1))) return await act(pathname.slice(1), request)
      if (request.method === 'POST' && forms[pathname]) return await forms[pathname](request, await request.formData())
      return (await pages[pathname]?.(request, url)) ?? problem('NotFound')
    } catch (error) {
      log(`${request.method} ${pathname}: ${(error as Error).name}`)
      return problem('Database')
    }
  }
}
