import { accountPage } from '../../pages/account.js'
import { breakable } from '../../pages/address.js'
import type { Html } from '../../pages/html.js'
import { html } from '../../pages/html.js'
import { problemAt } from '../../pages/problem.js'

interface User {
  id: string
  name: string
  email: string
  emailVerified: boolean
}

/** The home page of a user of Better Auth. */
export const homePage = (user: User, error?: string): Html =>
  accountPage({
    user,
    confirmed: user.emailVerified ? 'yes' : html`not yet: open the link in the <a href="/mailbox">mailbox</a>`,
    belongings: 'accounts, sessions and memberships',
    problem: problemAt(['mail', 'password'], error),
    signOut: html`<form method="post" action="/sign-out"><button>Sign out</button></form>`,
    ways: html`<ul class="list"><li><span>Password <small>with ${breakable(user.email)}</small></span></li></ul>`,
  })
