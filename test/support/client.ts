/** A minimal HTTP client that does what a browser does for a sign-in: it keeps cookies for each host, sends forms and follows redirects. */
export function openClient(origin: string, serve: (request: Request) => Promise<Response>) {
  const jars = new Map<string, Map<string, string>>()

  async function send(url: URL, form?: Record<string, string>): Promise<Response> {
    const jar = jars.get(url.host) ?? new Map<string, string>()
    jars.set(url.host, jar)
    const headers = { cookie: [...jar].map((cookie) => cookie.join('=')).join('; ') }
    const body = form && { method: 'POST', body: new URLSearchParams(form) }
    const request = new Request(url, { headers, redirect: 'manual', ...body })
    const response = await (url.origin === origin ? serve(request) : fetch(request))
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value) jar.set(name, value)
      else jar.delete(name)
    }
    return response
  }

  return {
    cookie: (name: string) => jars.get(new URL(origin).host)?.get(name),

    /** Replaces all cookies of the application by this one. */
    setCookie: (name: string, value: string) => void jars.set(new URL(origin).host, new Map([[name, value]])),

    /** Opens a page, or posts a form to it, and follows the redirects. */
    async go(path: string, form?: Record<string, string>): Promise<{ url: URL; response: Response }> {
      let url = new URL(path, origin)
      let response = await send(url, form)
      for (let location = response.headers.get('location'); location; location = response.headers.get('location')) {
        url = new URL(location, url)
        // The application has no pages of its own. It is enough to know where Auth.js redirects to.
        if (url.origin === origin && !url.pathname.startsWith('/auth/')) return { url, response }
        response = await send(url)
      }
      return { url, response }
    },
  }
}

export type Client = ReturnType<typeof openClient>
