import type { Mail } from '../mail.js'
import { breakable } from './address.js'
import type { Html } from './html.js'
import { html } from './html.js'

/** The page with the mails that were sent, newest first. */
export const mailboxPage = (mails: Mail[]): Html => html`
  <h1>Mailbox</h1>
  <p class="lead">Every mail that the demo sends, to any address. A link or a code signs in once.</p>
  ${mails.length > 0 ? html`<ul class="mails">${mails.map(mailItem)}</ul>` : noMail}
`

const noMail = html`
  <div class="card nothing">
    <p><strong>No mail yet</strong></p>
    <p>Ask for a magic link or a code, and the mail appears here.</p>
    <p><a class="button" href="/">Ask for a link</a></p>
  </div>`

const mailItem = ({ to, subject, at, link }: Mail) => html`
  <li class="card">
    <h2>${subject}</h2>
    <p class="hint">To ${breakable(to)}, at ${at.toISOString().slice(11, 19)} UTC</p>
    ${
      link
        ? html`<p><a class="button" href="${link}">Sign in</a></p>
    <p class="link"><code>${link}</code></p>`
        : ''
    }
  </li>`
