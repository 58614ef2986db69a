import assert from 'node:assert/strict'
import { statusOf } from '../../test/support/targets.js'

export interface Browser {
  /** A new browser with the same cookies. */
  copy(): Browser
  read(path: string): Promise<string>
  /** Opens a page that redirects, or posts a form to it, and returns the target of the redirect. */
  follow(path: string, form?: Record<string, string>): Promise<string>
  /** Opens a request target, which is sent as it is, or posts a form to it, and returns the status. */
  statusOf(target: string, form?: Record<string, string>): Promise<number | undefined>
}

/** A minimal HTTP client that does what a browser does for a sign-in: it keeps cookies, sends forms and reports redirects. */
export function openBrowser(origin: string, cookies = new Map<string, string>()): Browser {
  const ownHeaders = () => ({ cookie: [...cookies].map((cookie) => cookie.join('=')).join('; '), origin })

  async function send(path: string, form?: Record<string, string>): Promise<Response> {
    const headers = ownHeaders()
    const body = form && { method: 'POST', body: new URLSearchParams(form) }
    const response = await fetch(new URL(path, origin), { headers, redirect: 'manual', signal: AbortSignal.timeout(60_000), ...body })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
    return response
  }

  return {
    copy: () => openBrowser(origin, new Map(cookies)),

    async read(path: string): Promise<string> {
      const response = await send(path)
      const text = await response.text()
      assert.equal(response.status, 200, `GET ${path}: ${response.status} ${text}`)
      return text
    },

    async follow(path: string, form?: Record<string, string>): Promise<string> {
      const response = await send(path, form)
      const text = await response.text()
      assert.equal(response.status, 302, `${form ? 'POST' : 'GET'} ${path}: ${response.status} ${text}`)
      return response.headers.get('location') ?? ''
    },

    statusOf: (target, form) => statusOf(origin, target, { form, headers: ownHeaders() }),
  }
}
