import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A way to a server that counts the round trips on it: each time that the client speaks after the server did. It can be cut and slowed. */
export async function openWire(serverUrl: string, port = 0) {
  const target = new URL(serverUrl)
  let trips = 0
  let cut: { request: number; lost: 'request' | 'answer' } | undefined
  let delay = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let serverSpoke = true
    let answerLost = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay()
      socket.on('error', () => {})
    }
    client.on('data', (chunk) => {
      if (serverSpoke) trips++
      serverSpoke = false
      if (cut && --cut.request === 0) {
        answerLost = cut.lost === 'answer'
        cut = undefined
        if (!answerLost) return client.resetAndDestroy()
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      serverSpoke = true
      if (answerLost) client.destroy()
      else if (delay > 0) setTimeout(() => client.write(chunk), delay)
      else client.write(chunk)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  }).listen(port, '127.0.0.1')
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
    /** Loses the connection at this request from now on, counted from 1: before the server sees it, or after the server did it. */
    cut(request: number, lost: 'request' | 'answer') {
      cut = { request, lost }
    },
    /** Holds each answer back for so long. */
    slow(milliseconds: number) {
      delay = milliseconds
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
