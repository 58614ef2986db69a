import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A way to a server that counts the round trips on it: each time that the client speaks after the server did. */
export async function openWire(serverUrl: string) {
  const target = new URL(serverUrl)
  let trips = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let serverSpoke = true
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay()
      socket.on('error', () => {})
    }
    client.on('data', (chunk) => {
      if (serverSpoke) trips++
      serverSpoke = false
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      serverSpoke = true
      client.write(chunk)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.port = `${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    trips: () => trips,
    /** The round trips of what is done. */
    async count(run: () => Promise<unknown>): Promise<number> {
      const before = trips
      await run()
      return trips - before
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
