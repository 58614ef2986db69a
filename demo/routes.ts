import { openActions } from './actions.js'
import type { Assets } from './assets.js'
import type { openAuth } from './auth.js'
import type { DemoAdapter, Store } from './database/store.js'
import { tokenOf } from './devices.js'
import { confirmPolicy, onlyOpensCallback } from './links.js'
import type { Mail } from './mail.js'
import { codePage } from './pages/code.js'
import { confirmPage } from './pages/confirm.js'
import { devicesPage } from './pages/devices.js'
import type { Frame } from './pages/frame.js'
import { startHero } from './pages/hero.js'
import { html } from './pages/html.js'
import { mailboxPage } from './pages/mailbox.js'
import { signInPage } from './pages/signin.js'
import { tokensPage } from './pages/tokens.js'
import { waysPage } from './pages/ways.js'
import { openSite, outcomeOf, seeOther } from './site.js'
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

const titles = { '/': 'Home', '/devices': 'Devices', '/tokens': 'Token', '/mailbox': 'Mailbox' }

/** The pages of the demo with Auth.js. */
export function openRoutes({ store, adapter, auth, tokens, mails, assets, strategy, log }: Parts) {
  const library = 'Auth.js'
  const actions = openActions(store, adapter, tokens)
  const { page, problem, forUsers, serve } = openSite({ library, database: store.name, strategy, titles })

  const personal = forUsers({
    async whoIs(request) {
      const { userId, cookies } = await auth.signedIn(request)
      return { user: userId ? await adapter.getUser(userId) : null, cookies }
    },
    signInPage,
    hero: startHero({
      library,
      database: store.name,
      title: html`Sign in five ways.`,
      beside: 'the mailbox and the OpenID provider run',
      first: html`<strong>Sign in</strong> with a magic link, a code, a password, OpenID Connect or a passkey.`,
      other: html`For Better Auth and its organizations, start the demo with <code>LIBRARY=better-auth npm start</code>.`,
    }),
  })

  const findOidc = async (userId: string) => (await adapter.listAccounts(userId)).find(({ provider }) => provider === 'oidc')

  const mailTexts = {
    about: 'A link or a code signs in once.',
    none: 'Ask for a magic link or a code, and the mail appears here.',
    start: 'Ask for a link',
    open: 'Sign in',
  }

  const act = (name: string) => async (request: Request, form: FormData) => {
    const { userId } = await auth.signedIn(request)
    const next = userId && actions[name] ? await actions[name](userId, form, request) : '/'
    return next === null ? auth.signOut(request) : seeOther(next)
  }

  return serve({
    assets,
    log,
    auth: (request) => (onlyOpensCallback(request) ? problem('Click') : auth.handle(request)),
    pages: {
      '/': personal(async (user, _, { error }) => waysPage(user, await adapter.listAccounts(user.id), error)),
      '/devices': personal(async ({ id }, request) => devicesPage(await adapter.listSessions(id, { current: tokenOf(request) }), strategy)),
      '/tokens': personal(async ({ id }) => tokensPage(await findOidc(id), tokens.last(id))),
      '/mailbox': () => page('/mailbox', mailboxPage(mails, mailTexts)),
      '/confirm': () => page('/confirm', confirmPage(), { headers: confirmPolicy }),
      '/code': (_, url) => page('/code', codePage(outcomeOf(url))),
      '/problem': (_, url) => problem(outcomeOf(url).error ?? ''),
    },
    forms: {
      ...Object.fromEntries(Object.keys(actions).map((name) => [`/${name}`, act(name)])),
      async '/send-code'(request, form) {
        const email = String(form.get('email'))
        const response = await auth.sendCode(request, email)
        // The response sets the cookie with which the code can be entered.
        if (response.headers.get('location')?.includes('/verify-request'))
          response.headers.set('location', `/code?${new URLSearchParams({ email })}`)
        return response
      },
      '/code': (request, form) => auth.checkCode(request, String(form.get('email')), String(form.get('code'))),
    },
  })
}
