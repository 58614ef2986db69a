import type { AdapterUser } from '@auth/core/adapters'
import { accountPage } from './account.js'
import { breakable } from './address.js'
import type { Html } from './html.js'
import { html } from './html.js'
import { openIdIcon, passkeyIcon } from './icons.js'
import { problemAt } from './problem.js'

interface Account {
  provider: string
  providerAccountId: string
}

const day = (date: Date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
const short = (text: string) => (text.length > 12 ? `${text.slice(0, 12)}…` : text)
const titles: Record<string, string> = { oidc: 'OpenID Connect', passkey: 'Passkey' }

/** The home page of a user of Auth.js, with their accounts. */
export const waysPage = (user: AdapterUser, accounts: Account[], error?: string): Html =>
  accountPage({
    user,
    confirmed: user.emailVerified ? day(user.emailVerified) : 'not yet: a magic link or a code confirms it',
    belongings: 'accounts, sessions and passkeys',
    problem: problemAt(['mail', 'password'], error),
    signOut: html`<form method="post" action="/auth/signout">
      <input type="hidden" name="callbackUrl" value="/">
      <button>Sign out</button>
    </form>`,
    ways: html`<ul class="list">
      <li><span>Magic link <small>to ${breakable(user.email)}</small></span></li>
      ${accounts.map(accountItem)}
    </ul>
    ${problemAt(['openid', 'passkey'], error)}
    <div class="pair">
      <form method="post" action="/auth/signin/oidc">
        <input type="hidden" name="callbackUrl" value="/">
        <button class="plain">${openIdIcon} Link OpenID Connect</button>
      </form>
      <form method="post" action="/auth/callback/passkey" data-passkey="register">
        <button class="plain">${passkeyIcon} Add a passkey</button>
        <p class="alert" role="alert" hidden></p>
      </form>
    </div>`,
  })

const accountItem = ({ provider, providerAccountId }: Account) => html`
  <li>
    <span>${titles[provider] ?? provider} <small>${short(providerAccountId)}</small></span>
    <form method="post" action="/unlink">
      <input type="hidden" name="account" value="${provider}">
      <input type="hidden" name="account" value="${providerAccountId}">
      <button class="small" aria-label="Unlink ${titles[provider] ?? provider} ${short(providerAccountId)}">Unlink</button>
    </form>
  </li>`
