import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

type Handle = (request: Request) => Promise<Response>
type Watch = (response: ServerResponse) => void

/** Listens on localhost only, because in the demo everybody can read everybody's mail. */
export async function listen(port: number) {
  const server = createServer().listen(port, 'localhost')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`

  return {
    origin,
    /** Answers requests with `handle`, and passes those for /live to `watch`. */
    serve(handle: Handle, watch: Watch) {
      server.on('request', async (incoming, outgoing) => {
        try {
          if (!isPath(incoming.url)) outgoing.writeHead(400).end()
          else if (incoming.url === '/live' && hasOwnHost(incoming, origin)) watch(outgoing)
          else await send(await answer(incoming, origin, handle), outgoing)
        } catch (error) {
          console.error(error)
          if (!outgoing.headersSent) outgoing.writeHead(500)
          outgoing.end()
        }
      })
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Whether a request target is a path of this server. With //example.com/, links in mails would lead to example.com. */
export const isPath = (target = '') => /^\/(?!\/)/.test(target)

const hasOwnHost = ({ headers }: IncomingMessage, origin: string) => headers.host === new URL(origin).host

async function answer(incoming: IncomingMessage, origin: string, handle: Handle): Promise<Response> {
  const { method = 'GET', headers } = incoming
  // Cookies and passkeys belong to one host name. Requests to another one, such as 127.0.0.1, are redirected.
  if (!hasOwnHost(incoming, origin)) return Response.redirect(origin)
  // A form of another site could be sent with our cookies (CSRF).
  if (method !== 'GET' && headers.origin !== origin) return new Response('This form is not ours.', { status: 403 })
  const body = method === 'GET' ? null : await buffer(incoming)
  // The address of the client, taken from the connection.
  const allHeaders = { ...headers, 'x-client-address': incoming.socket.remoteAddress ?? '' }
  const headerPairs = Object.entries(allHeaders).map(([name, value]): [string, string] => [name, String(value)])
  return handle(new Request(new URL(origin + incoming.url), { method, headers: headerPairs, body }))
}

async function send(response: Response, outgoing: ServerResponse) {
  for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value)
  outgoing.setHeader('set-cookie', response.headers.getSetCookie())
  outgoing.setHeader('cache-control', 'no-store')
  const body = Buffer.from(await response.arrayBuffer())
  outgoing.writeHead(response.status).end(body)
}
