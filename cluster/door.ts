import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** One address before several servers, as a virtual IP or a service's name is: it leads to one of them, and can be turned to another. */
export async function openDoor(url: string) {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay()
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = new URL(url)
  own.port = `${(server.address() as AddressInfo).port}`
  return {
    url: own.href,
    turnTo(url: string) {
      target = new URL(url)
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
