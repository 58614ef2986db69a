import type { Outcome } from '../site.js'
import { breakable } from './address.js'
import type { Html } from './html.js'
import { html } from './html.js'
import { problemAt } from './problem.js'

/** The page that asks for the code of the mail. */
export const codePage = ({ email, error }: Outcome): Html => html`
  <h1>Enter your code</h1>
  <form class="card" method="post" action="/code">
    <p>Six digits are on their way to <strong>${breakable(email)}</strong>. They land in the <a href="/mailbox" target="_blank">mailbox</a>.</p>
    <input type="hidden" name="email" value="${email}">
    ${problemAt(['code'], error)}
    <label>Code <input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="\\s*(\\d\\s*){6}" maxlength="9" required placeholder="123456" data-invalid="A code has six digits."></label>
    <button>Sign in</button>
    <p class="hint">An address has five wrong guesses an hour, however many guess at once. Each of them is a row of verificationToken.</p>
  </form>
`
