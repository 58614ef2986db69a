import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A way to a server that can be cut and mended, always on the same port. */
export async function openLine(serverUrl: string) {
  const target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let server: Server
  let port = 0

  async function mend() {
    server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname)
      for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
        sockets.add(one)
        one.on('error', () => {})
        one.on('close', () => other.destroy())
        one.pipe(other)
      }
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  async function cut() {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }

  await mend()
  const url = new URL(target)
  url.host = `127.0.0.1:${port}`
  return { url: url.href, cut, mend }
}
