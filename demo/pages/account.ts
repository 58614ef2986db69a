import { breakable } from './address.js'
import type { Html } from './html.js'
import { html } from './html.js'

interface Parts {
  user: { id: string; email: string; name?: string | null }
  /** Whether the address is confirmed, and since when if that is known. */
  confirmed: Html | string
  ways: Html
  /** The form that signs out. */
  signOut: Html
  /** What is deleted together with the user. */
  belongings: string
  problem: Html | undefined
}

/** The home page of a signed-in user. */
export const accountPage = ({ user, confirmed, ways, signOut, belongings, problem }: Parts): Html => html`
  <h1>Hello, ${breakable(user.name ?? user.email)}</h1>
  ${problem}
  <dl class="card">
    <dt>Email</dt><dd>${breakable(user.email)}</dd>
    <dt>Confirmed</dt><dd>${confirmed}</dd>
    <dt>Id</dt><dd><code>${user.id}</code></dd>
  </dl>

  <section class="card" aria-labelledby="ways">
    <h2 id="ways">Your ways in</h2>
    ${ways}
  </section>

  <div class="row">
    ${signOut}
    <details>
      <summary>Delete the account</summary>
      <form method="post" action="/delete">
        <p>Your user, ${belongings} are deleted at once.</p>
        <button class="danger">Delete everything</button>
      </form>
    </details>
  </div>
`
