import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { App } from './old.js'
import { path } from './old.js'

/** Starts a server at one address, which one app after the other can answer. Its page shows the id of the user. */
export async function startServer() {
  const state: { app?: App } = {}
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', headers, url = '/' } = incoming
    const body = method === 'GET' || method === 'HEAD' ? null : await buffer(incoming)
    const forwarded = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
    const request = new Request(new URL(url, origin), { method, headers: forwarded, body })
    const { handle, whoIs } = state.app as App
    const page = async () => new Response(`<h1>${(await whoIs(request)) ?? 'nobody'}</h1>`, { headers: { 'content-type': 'text/html' } })
    const response = await (url.startsWith(`${path}/`) ? handle(request) : page())
    for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value)
    outgoing.setHeader('set-cookie', response.headers.getSetCookie())
    outgoing.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()))
  }).listen(0, 'localhost')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    origin,
    run: (app: App) => void Object.assign(state, { app }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
