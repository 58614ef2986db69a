import type { DemoAdapter } from '../database/store.js'
import { mask } from '../secrets.js'
import type { Asked } from '../tokens.js'
import type { Html } from './html.js'
import { html } from './html.js'

type Account = Awaited<ReturnType<DemoAdapter['listAccounts']>>[number]

/** The page with the access token of the OpenID provider, and the outcome of the last request for it. */
export function tokensPage(account: Account | undefined, asked: Asked | undefined): Html {
  if (!account)
    return html`
  <h1>Access token</h1>
  <div class="card">
    <p>You have no account of the OpenID provider yet, so there is no token.</p>
    <form method="post" action="/auth/signin/oidc">
      <input type="hidden" name="callbackUrl" value="/tokens">
      <button>Link OpenID Connect</button>
    </form>
  </div>
`
  const seconds = (account.expires_at ?? 0) - Math.floor(Date.now() / 1000)
  const isValid = seconds > 0
  return html`
  <h1>Access token</h1>
  <p class="lead">The app calls the API of the OpenID provider with this token.</p>
  <dl class="card">
    <dt>Access token</dt><dd><code>${mask(account.access_token ?? '')}</code></dd>
    <dt>Refresh token</dt><dd><code>${mask(account.refresh_token ?? '')}</code></dd>
    <dt>State</dt><dd>${isValid ? html`<span class="tag">Valid for ${Math.ceil(seconds / 60)} minutes</span>` : html`<span class="tag bad">Expired</span>`}</dd>
  </dl>
  <div class="pair">
    <form method="post" action="/ask-token"><button>Ask for it 20 times at once</button></form>
    ${isValid ? html`<form method="post" action="/expire-token"><button class="plain">Let it expire</button></form>` : ''}
  </div>
  ${asked ? askedPart(asked) : ''}
  <p class="hint">The provider replaces a refresh token when it is used, and revokes everything if one is used twice. That is why twenty callers must not ask it twenty times.</p>
`
}

function askedPart({ callers, requests, before, after, problem }: Asked): Html {
  if (problem) return html`<p class="alert" role="status">${problem}</p>`
  const [title, text] =
    requests === 0
      ? ['The token was still valid', 'Nobody had to ask the provider.']
      : ['The token was refreshed', `The provider was asked ${requests === 1 ? 'once' : `${requests} times`}.`]
  return html`
  <section class="card" role="status" aria-labelledby="asked">
    <h2 id="asked">${title}</h2>
    <p>${callers} callers asked at once. ${text} Everybody got the same token.</p>
    ${before === after ? '' : html`<p class="change"><code>${before}</code> <span aria-label="became">→</span> <code>${after}</code></p>`}
  </section>`
}
