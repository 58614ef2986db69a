import type { Html } from './html.js'
import { html } from './html.js'

/** The page of a magic link. It signs in only after a click, so programs that open links do not use them up. */
export const confirmPage = (): Html => html`
  <h1>One click, and you are in</h1>
  <form class="card" method="post" action="/auth/callback/nodemailer" data-link hidden>
    <p>You asked for a link to sign in as <strong data-email></strong>.</p>
    <button>Sign in</button>
    <p class="hint">The link works once. Programs that check mails open links, too, but they do not click: they cannot use it up.</p>
  </form>
  <div class="card" data-no-link>
    <p>There is no link here. Open the one in the mail again; this page needs JavaScript to read it.</p>
    <p><a class="button" href="/">To the home page</a></p>
  </div>
`
