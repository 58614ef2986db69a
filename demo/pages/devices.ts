import { nameOf } from '../devices.js'
import type { Html } from './html.js'
import { html } from './html.js'

/** A signed-in browser. Its id cannot be used to sign in. */
export interface Device {
  id: string
  userAgent: string | null
  ip: string | null
  signedInAt: Date | null
  expires: Date
  current: boolean
}

const day = (date: Date) => date.toISOString().slice(0, 10)
// Two sign-ins within a minute should be told apart.
const second = (date: Date) => `${day(date)} ${date.toISOString().slice(11, 19)} UTC`

/** The page with the browsers in which the user is signed in. */
export function devicesPage(sessions: Device[], strategy: 'database' | 'jwt'): Html {
  if (strategy === 'jwt')
    return html`
  <h1>Signed-in devices</h1>
  <p class="card">Sessions are signed cookies here. There is no row to revoke.</p>
`
  const others = sessions.filter(({ current }) => !current).length
  // The current browser comes first, then the one that signed in last.
  const sorted = sessions.toSorted((a, b) => Number(b.current) - Number(a.current) || Number(b.signedInAt) - Number(a.signedInAt))
  return html`
  <h1>Signed-in devices</h1>
  <p class="lead">${others === 0 ? 'You are signed in here, and nowhere else.' : html`You are signed in here and in ${others} other ${others === 1 ? 'browser' : 'browsers'}.`}</p>
  <ul class="devices card">${sorted.map(deviceItem)}</ul>
  <div class="pair">
    ${others === 0 ? '' : html`<form method="post" action="/revoke-others"><button class="plain">Sign out everywhere else</button></form>`}
    <form method="post" action="/revoke-all"><button class="danger">Sign out everywhere</button></form>
  </div>
`
}

const deviceItem = ({ id, userAgent, ip, signedInAt, expires, current }: Device) => html`
  <li>
    <div>
      <p><strong>${nameOf(userAgent)}</strong>${current ? html` <span class="tag">This browser</span>` : ''}</p>
      ${signedInAt ? html`<p class="hint">Since <time class="whole" datetime="${signedInAt.toISOString()}">${second(signedInAt)}</time></p>` : ''}
      <p class="hint">${ip ?? 'address unknown'} · <span class="whole">until ${day(expires)}</span></p>
    </div>
    ${current ? '' : html`<form method="post" action="/revoke"><input type="hidden" name="session" value="${id}"><button class="small">Sign out</button></form>`}
  </li>`
