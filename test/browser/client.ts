/** What a browser does for a sign-in: keeps cookies of each host, sends forms, follows redirects. */
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

    /** Gives the browser a cookie of the application. */
    keep: (name: string, value: string) => void jars.set(new URL(origin).host, new Map([[name, value]])),

    /** Opens a page, or sends a form to it, and follows to where that leads. */
    async go(path: string, form?: Record<string, string>): Promise<{ url: URL; response: Response }> {
      let url = new URL(path, origin)
      let response = await send(url, form)
      for (let location = response.headers.get('location'); location; location = response.headers.get('location')) {
        url = new URL(location, url)
        // The application's own pages are not there: what counts is where Auth.js leads.
        if (url.origin === origin && !url.pathname.startsWith('/auth/')) return { url, response }
        response = await send(url)
      }
      return { url, response }
    },
  }
}

export type Client = ReturnType<typeof openClient>
