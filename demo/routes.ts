import type { Adapter } from '@auth/core/adapters'
import { openActions } from './actions.js'
import type { Assets } from './assets.js'
import type { openAuth } from './auth.js'
import type { Store } from './database/store.js'
import type { Mail } from './mail.js'
import { accountPage } from './pages/account.js'
import type { Frame } from './pages/frame.js'
import { framed } from './pages/frame.js'
import type { Html } from './pages/html.js'
import { mailboxPage } from './pages/mailbox.js'
import { problemPage } from './pages/problem.js'
import { signInPage } from './pages/signin.js'
import type { Protection } from './protection.js'
import { fingerprint } from './secrets.js'

interface Parts {
  store: Store
  adapter: Required<Adapter>
  auth: ReturnType<typeof openAuth>
  mails: Mail[]
  assets: Assets
  strategy: Frame['strategy']
  protection?: Protection | undefined
  log(line: string): void
}

/** The pages by their paths. */
export function openRoutes({ store, adapter, auth, mails, assets, strategy, protection, log }: Parts) {
  const actions = openActions(store, adapter, protection !== undefined)
  const page = (content: Html, status = 200) =>
    new Response(framed(content, { database: store.name, strategy }), { status, headers: { 'content-type': 'text/html; charset=utf-8' } })

  const problem = (kind: string) => page(problemPage(kind), { NotFound: 404, Database: 503 }[kind] ?? 400)

  async function home(request: Request): Promise<Response> {
    const who = await auth.signedIn(request)
    const user = who.userId ? await adapter.getUser(who.userId) : null
    const response = page(user ? accountPage(user, await belongings(user.id, request), strategy) : signInPage())
    for (const cookie of who.cookies) response.headers.append('set-cookie', cookie)
    return response
  }

  async function belongings(userId: string, request: Request) {
    const token = /authjs\.session-token=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1]
    const sessions = (await store.sessionsOf(userId)).map(({ sessionToken, expires }) => ({
      id: fingerprint(sessionToken),
      expires,
      isThis: token !== undefined && sessionToken === (protection?.stored(token) ?? token),
    }))
    return { accounts: await store.accountsOf(userId), sessions }
  }

  async function act(name: string, request: Request): Promise<Response> {
    const form = await request.formData()
    const who = await auth.signedIn(request)
    if (who.userId) await actions[name]?.(who.userId, form)
    if (name === 'delete') return auth.signOut(request)
    return new Response(null, { status: 303, headers: { location: '/' } })
  }

  return async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    const asset = assets.get(pathname)
    if (asset) return new Response(asset.text, { headers: { 'content-type': asset.type } })
    try {
      if (pathname.startsWith('/auth/')) return await auth.handle(request)
      if (request.method === 'POST' && pathname.slice(1) in actions) return await act(pathname.slice(1), request)
      if (pathname === '/') return await home(request)
      if (pathname === '/mailbox') return page(mailboxPage(mails))
      if (pathname === '/problem') return problem(searchParams.get('error') ?? '')
      return problem('NotFound')
    } catch (error) {
      log(`${request.method} ${pathname}: ${(error as Error).name}`)
      return problem('Database')
    }
  }
}
