import { partsOf } from '../pages/address.js'

/** Prepares the form of the page that a magic link opens, with the values after the `#`. The user must submit it. */
export function prepareLink() {
  const form = document.querySelector<HTMLFormElement>('form[data-link]')
  if (!form) return
  const link = new URLSearchParams(location.hash.slice(1))
  const [email, button] = [form.querySelector('[data-email]'), form.querySelector('button')]
  if (!email || !button || !link.has('token')) return
  email.replaceChildren(...partsOf(link.get('email') ?? '').flatMap((part) => [document.createElement('wbr'), part]))
  form.action += `?${link}`
  form.hidden = false
  const missing = document.querySelector<HTMLElement>('[data-no-link]')
  if (missing) missing.hidden = true
}
