import { shortest } from '../passwords.js'
import type { Html } from './html.js'
import { html } from './html.js'

interface Email {
  autocomplete: 'email' | 'username'
  value?: string | undefined
}

/** A field for an address. `type="email"` would reject addresses such as josé@example.com. */
export const emailField = ({ autocomplete, value }: Email): Html =>
  html`<label>Email address <input name="email" inputmode="email" autocomplete="${autocomplete}" pattern="\\s*[^@\\s]+@[^@\\s]+\\s*" required placeholder="you@example.com" value="${value}" data-invalid="Write an address such as you@example.com."></label>`

export const passwordField = (): Html =>
  html`<label>Password <input name="password" type="password" autocomplete="current-password" minlength="${shortest}" required data-invalid="A password has at least ${shortest} characters."></label>`
