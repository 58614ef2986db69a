import { startAuthentication, startRegistration } from '@simplewebauthn/browser'

const rejections = {
  register: 'There is an account with this address. Sign in first, then add a passkey.',
  authenticate: 'The demo has no answer for this passkey.',
}

/** Submits these forms when the passkey has answered. */
export function preparePasskeys() {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      const alert = form.querySelector<HTMLElement>('[role=alert]')
      try {
        await send(form)
      } catch (error) {
        if (!alert) return
        alert.hidden = false
        alert.textContent = explain(error as Error)
      }
    })
  }
}

async function send(form: HTMLFormElement) {
  const action = form.dataset.passkey as keyof typeof rejections
  const query = new URLSearchParams({ action })
  const email = form.querySelector<HTMLInputElement>('[name=email]')?.value.trim().toLowerCase()
  if (email) query.set('email', email)
  const response = await fetch(`/auth/webauthn-options/passkey?${query}`)
  if (response.redirected) throw new Error('The database cannot be reached. Try again in a moment.')
  if (!response.ok) throw new Error(rejections[action])
  const { options } = await response.json()
  const data = await (action === 'register' ? startRegistration(options) : startAuthentication(options))
  add(form, 'action', action)
  add(form, 'data', JSON.stringify(data))
  form.submit()
}

function add(form: HTMLFormElement, name: string, value: string) {
  const input = document.createElement('input')
  Object.assign(input, { type: 'hidden', name, value })
  form.append(input)
}

function explain({ name, message }: Error): string {
  if (name === 'InvalidStateError') return 'This device has a passkey for you already. Use another device for a second one.'
  if (name === 'NotAllowedError') return 'No passkey was used: the request was cancelled, or took too long.'
  return message
}
