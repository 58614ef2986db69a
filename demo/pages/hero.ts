import type { Html } from './html.js'
import { html } from './html.js'

interface Introduction {
  library: string
  database: string
  title: Html
  /** What runs beside the demo, so that nothing leaves the machine. */
  beside: string
  /** What to do first. */
  first: Html
  /** How to start the demo with the other library. */
  other: Html
}

/** The introduction on the start page. */
export const startHero = ({ library, database, title, beside, first, other }: Introduction): Html => html`
  <h1>${title} <em>Watch every row.</em></h1>
  <p class="lead">${library} with drizzle-auth-adapter on ${database}. Nothing leaves your machine: ${beside} here, too.</p>
  <ol class="steps">
    <li>${first}</li>
    <li><strong>Watch <a href="#live">the tables</a>.</strong> They mark each row that is <mark class="new">new</mark>, <mark class="changed">changed</mark> or <mark class="gone">deleted</mark>.</li>
    <li><strong>Read <a href="#operations">the operations</a></strong> that ${library} called on the adapter, and how long each took.</li>
  </ol>
  <p class="hint">${other}</p>
`
