import type { Mail } from '../mail.js'
import { breakable } from './address.js'
import type { Html } from './html.js'
import { html } from './html.js'

interface Texts {
  /** What the mails are for. */
  about: string
  /** What to do if there is none, and the link that leads there. */
  none: string
  start: string
  /** The link of a mail. */
  open: string
}

/** The page with the mails that were sent, newest first. */
export const mailboxPage = (mails: Mail[], { about, none, start, open }: Texts): Html => html`
  <h1>Mailbox</h1>
  <p class="lead">Every mail that the demo sends, to any address. ${about}</p>
  ${
    mails.length > 0
      ? html`<ul class="mails">${mails.map((mail) => mailItem(mail, open))}</ul>`
      : html`
  <div class="card nothing">
    <p><strong>No mail yet</strong></p>
    <p>${none}</p>
    <p><a class="button" href="/">${start}</a></p>
  </div>`
  }
`

const mailItem = ({ to, subject, at, link }: Mail, open: string) => html`
  <li class="card">
    <h2>${subject}</h2>
    <p class="hint">To ${breakable(to)}, at ${at.toISOString().slice(11, 19)} UTC</p>
    ${
      link
        ? html`<p><a class="button" href="${link}">${open}</a></p>
    <p class="link"><code>${link}</code></p>`
        : ''
    }
  </li>`
