import { emailField, passwordField } from '../../pages/field.js'
import type { Html } from '../../pages/html.js'
import { html } from '../../pages/html.js'
import { problemAt } from '../../pages/problem.js'
import type { Outcome } from '../../site.js'

/** The page that signs in and up. `path` is the page to open afterwards. */
export const signInPage = (path: string, { error, email }: Outcome): Html => html`
  <section class="card ways" aria-labelledby="signin">
    <h2 id="signin">Sign in</h2>
    ${path === '/' ? '' : html`<p>Sign in to see this page.</p>`}
    <form method="post" action="/sign-in" aria-label="Password">
      <input type="hidden" name="next" value="${path}">
      ${problemAt(['mail', 'password'], error)}
      ${emailField({ autocomplete: 'username', value: email })}
      ${passwordField()}
      <div class="pair">
        <button>Sign in with a password</button>
        <button class="plain" name="create" value="yes">Create an account</button>
      </div>
      <p class="hint">A new account gets a mail in the <a href="/mailbox">mailbox</a> of this demo. Its link confirms the address.</p>
    </form>
  </section>
`
