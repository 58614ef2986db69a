import type { Page } from 'playwright-core'
import { path } from './old.js'

/** A way to sign in, with the old and the new library. Both end on the page that shows the user. */
export interface Way {
  email: string
  withAuthjs(page: Page, links: Map<string, string>): Promise<unknown>
  withBetterAuth(page: Page, links: Map<string, string>): Promise<unknown>
}

export const password = 'correct horse battery staple'

export const whoIs = async (page: Page) => {
  await page.goto('/')
  return page.getByRole('heading').textContent()
}

/** Submits a form to Auth.js. */
const submit = async (page: Page, action: string, fields: Record<string, string>) => {
  await page.goto('/')
  const load = page.waitForEvent('load')
  await page.evaluate(
    async ({ action, fields, path }) => {
      const csrf = await fetch(`${path}/csrf`)
      const { csrfToken } = csrf.ok ? await csrf.json() : { csrfToken: '' }
      const form = Object.assign(document.createElement('form'), { method: 'post', action: `${path}/${action}` })
      for (const [name, value] of Object.entries({ ...fields, csrfToken, callbackUrl: '/' }))
        form.append(Object.assign(document.createElement('input'), { name, value }))
      document.body.append(form)
      form.submit()
    },
    { action, fields, path },
  )
  await load
}

/** Sends a request to Better Auth, as its client does. */
export async function send(page: Page, endpoint: string, body?: object) {
  const answer = await page.evaluate(
    async ({ url, body }) => {
      const init = body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      const response = await fetch(url, init)
      return { ok: response.ok, text: await response.text() }
    },
    { url: `${path}/${endpoint}`, body },
  )
  if (!answer.ok) throw new Error(`${endpoint}: ${answer.text}`)
  return JSON.parse(answer.text)
}

/** What a browser has for passkeys. TypeScript's library for browsers is not loaded here. */
interface Passkeys {
  navigator: { credentials: Record<'create' | 'get', (options: object) => Promise<{ toJSON(): object }>> }
  PublicKeyCredential: Record<'parseCreationOptionsFromJSON' | 'parseRequestOptionsFromJSON', (options: object) => object>
}

/** Creates a passkey or signs with one. The browser converts the options. */
const usePasskey = (page: Page, options: object, isNew: boolean) =>
  page.evaluate(
    async ({ options, isNew }) => {
      const { PublicKeyCredential, navigator } = window as never as Passkeys
      const credential = isNew
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
      return credential.toJSON()
    },
    { options, isNew },
  )

const openLink = async (page: Page, links: Map<string, string>, email: string) => {
  const link = links.get(email)
  if (!link) throw new Error(`no link was sent to ${email}`)
  links.delete(email)
  await page.goto(link)
}

const carol = 'carol@example.com'
const dora = 'dora@example.com'
const pam = 'pam@example.com'

export const ways: Record<'OpenID Connect' | 'magic link' | 'passkey' | 'password', Way> = {
  'OpenID Connect': {
    email: 'ada@example.com',
    async withAuthjs(page) {
      await submit(page, 'signin/oidc', {})
      await page.getByRole('button', { name: 'Ada' }).click()
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
    async withBetterAuth(page) {
      const { url } = await send(page, 'sign-in/social', { provider: 'oidc', callbackURL: '/' })
      await page.goto(url)
      await page.getByRole('button', { name: 'Ada' }).click()
      await page.waitForURL('/')
    },
  },
  'magic link': {
    email: carol,
    async withAuthjs(page, links) {
      await submit(page, 'signin/email', { email: carol })
      await openLink(page, links, carol)
    },
    async withBetterAuth(page, links) {
      await send(page, 'sign-in/magic-link', { email: carol, callbackURL: '/' })
      await openLink(page, links, carol)
    },
  },
  passkey: {
    email: dora,
    async withAuthjs(page) {
      await page.goto('/')
      const { options } = await send(page, `webauthn-options/passkey?action=register&email=${dora}`)
      const data = JSON.stringify(await usePasskey(page, options, true))
      await submit(page, 'callback/passkey', { action: 'register', data })
    },
    async withBetterAuth(page) {
      const options = await send(page, 'passkey/generate-authenticate-options')
      await send(page, 'passkey/verify-authentication', { response: await usePasskey(page, options, false) })
    },
  },
  password: {
    email: pam,
    withAuthjs: (page) => submit(page, 'callback/credentials', { email: pam, password }),
    withBetterAuth: (page) => send(page, 'sign-in/email', { email: pam, password }),
  },
}
