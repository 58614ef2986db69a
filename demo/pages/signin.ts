import type { Html } from './html.js'
import { html } from './html.js'

/** The ways in. */
export const signInPage = (): Html => html`
  <h1>Sign in</h1>
  <p class="lead">Five ways in, one adapter. Watch the tables while you try them.</p>

  <form class="card" method="post" action="/auth/signin/nodemailer">
    <h2>Magic link or code</h2>
    <input type="hidden" name="callbackUrl" value="/">
    <label>Email address <input name="email" inputmode="email" autocomplete="email" required placeholder="you@example.com"></label>
    <div class="pair">
      <button>Send me a link</button>
      <button class="plain" formaction="/send-code">Send me a code</button>
    </div>
    <p class="hint">The mail stays on this machine: it lands in the <a href="/mailbox">mailbox</a>.</p>
  </form>

  <form class="card" method="post" action="/auth/callback/credentials">
    <h2>Password</h2>
    <input type="hidden" name="callbackUrl" value="/">
    <label>Email address <input name="email" type="email" autocomplete="username" required placeholder="you@example.com"></label>
    <label>Password <input name="password" type="password" autocomplete="current-password" minlength="8" required></label>
    <div class="pair">
      <button>Sign in with a password</button>
      <button class="plain" name="create" value="yes">Create an account</button>
    </div>
  </form>

  <form class="card" method="post" action="/auth/signin/oidc">
    <h2>OpenID Connect</h2>
    <input type="hidden" name="callbackUrl" value="/">
    <button>Continue with OpenID Connect</button>
    <p class="hint">A real provider runs beside the demo. It knows Ada and Bob.</p>
  </form>

  <div class="card">
    <h2>Passkey</h2>
    <form method="post" action="/auth/callback/passkey" data-passkey="authenticate">
      <button>Sign in with a passkey</button>
      <p class="alert" role="alert" hidden></p>
    </form>
    <form method="post" action="/auth/callback/passkey" data-passkey="register">
      <label>New here? Email address <input name="email" inputmode="email" autocomplete="email" required placeholder="you@example.com"></label>
      <button class="plain">Create an account with a passkey</button>
      <p class="alert" role="alert" hidden></p>
    </form>
  </div>
`
