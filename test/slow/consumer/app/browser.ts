import assert from 'node:assert/strict'

export const origin = 'http://localhost:3000'

/** A minimal HTTP client that does what a browser does for a sign-in: it keeps cookies, sends forms and reports redirects. */
export function openBrowser(serve: (request: Request) => Promise<Response>) {
  const cookies = new Map<string, string>()

  async function send(path: string, form?: Record<string, string>): Promise<Response> {
    const headers = { cookie: [...cookies].map((cookie) => cookie.join('=')).join('; ') }
    const body = form && { method: 'POST', body: new URLSearchParams(form) }
    const response = await serve(new Request(new URL(path, origin), { headers, ...body }))
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) as unknown as [string, string, string]
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
    return response
  }

  return {
    cookie: (name: string) => cookies.get(name),

    async read(path: string): Promise<unknown> {
      const response = await send(path)
      assert.equal(response.status, 200)
      return response.json()
    },

    /** Opens a page that redirects, or posts a form to it, and returns the target of the redirect. */
    async follow(path: string, form?: Record<string, string>): Promise<string> {
      const response = await send(path, form)
      assert.equal(response.status, 302)
      return response.headers.get('location') ?? ''
    },
  }
}
