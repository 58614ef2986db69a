import type { Outcome } from '../site.js'
import { emailField, passwordField } from './field.js'
import type { Html } from './html.js'
import { html } from './html.js'
import { openIdIcon, passkeyIcon } from './icons.js'
import { problemAt } from './problem.js'

/** The page with all ways to sign in. `path` is the page to open afterwards. */
export function signInPage(path: string, { error, email }: Outcome): Html {
  const wrongPassword = problemAt(['password'], error)
  return html`
  <section class="card ways" aria-labelledby="signin">
    <h2 id="signin">Sign in</h2>
    ${path === '/' ? '' : html`<p>Sign in to see this page.</p>`}
    <form method="post" action="/auth/signin/nodemailer" aria-label="Magic link or code">
      <input type="hidden" name="callbackUrl" value="${path}">
      ${problemAt(['mail'], error)}
      ${emailField({ autocomplete: 'email', value: email })}
      <div class="pair">
        <button>Send me a link</button>
        <button class="plain" formaction="/send-code">Send me a code</button>
      </div>
      <p class="hint">The mail lands in the <a href="/mailbox">mailbox</a> of this demo.</p>
    </form>

    <p class="or">or</p>

    <form method="post" action="/auth/signin/oidc">
      <input type="hidden" name="callbackUrl" value="${path}">
      ${problemAt(['openid'], error)}
      <button class="plain">${openIdIcon} Continue with OpenID Connect</button>
    </form>
    <form method="post" action="/auth/callback/passkey" data-passkey="authenticate">
      ${problemAt(['passkey'], error)}
      <button class="plain">${passkeyIcon} Sign in with a passkey</button>
      <p class="alert" role="alert" hidden></p>
    </form>

    <details name="way" ${wrongPassword ? 'open' : ''}>
      <summary>Use a password</summary>
      <form method="post" action="/auth/callback/credentials" aria-label="Password">
        <input type="hidden" name="callbackUrl" value="${path}">
        ${wrongPassword}
        ${emailField({ autocomplete: 'username', value: email })}
        ${passwordField()}
        <div class="pair">
          <button>Sign in with a password</button>
          <button class="plain" name="create" value="yes">Create an account</button>
        </div>
      </form>
    </details>
    <details name="way">
      <summary>Create an account with a passkey</summary>
      <form method="post" action="/auth/callback/passkey" data-passkey="register" aria-label="New passkey">
        ${emailField({ autocomplete: 'email' })}
        <button>Create my passkey</button>
        <p class="alert" role="alert" hidden></p>
      </form>
    </details>
  </section>
`
}
