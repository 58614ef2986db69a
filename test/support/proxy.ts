import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

interface Options {
  /** The port to listen on; any free one by default. */
  port?: number
}

/** A TCP proxy in front of a server. It counts connections and round trips, and can lose, delay, redirect and interrupt them. */
export async function openProxy(serverUrl: string, { port = 0 }: Options = {}) {
  let target = new URL(serverUrl)
  let connections = 0
  /** How many connections, counted from the first, are accepted but never answered. */
  let silent = 0
  let trips = 0
  let loss: { request: number; lost: 'request' | 'answer' } | undefined
  let delay = 0
  let server: Server
  const sockets = new Set<Socket>()

  function track(socket: Socket): void {
    sockets.add(socket)
    socket.setNoDelay()
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  function accept(client: Socket): void {
    track(client)
    if (++connections <= silent) return
    const upstream = connect(Number(target.port), target.hostname)
    track(upstream)
    let serverAnswered = true
    let answerLost = false
    client.on('data', (chunk) => {
      // A round trip begins when the client sends something after the server has answered.
      if (serverAnswered) trips++
      serverAnswered = false
      if (loss && --loss.request === 0) {
        answerLost = loss.lost === 'answer'
        loss = undefined
        if (!answerLost) return client.resetAndDestroy()
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      serverAnswered = true
      if (answerLost) client.destroy()
      else if (delay > 0) setTimeout(() => client.write(chunk), delay)
      else client.write(chunk)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  }

  async function listen(): Promise<void> {
    server = createServer(accept).listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  /** Closes all connections, and refuses new ones. */
  async function interrupt(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }

  await listen()
  const url = new URL(serverUrl)
  url.hostname = '127.0.0.1'
  url.port = `${port}`
  return {
    url: url.href,
    connections: () => connections,
    trips: () => trips,
    /** How many round trips `run` takes. */
    async count(run: () => Promise<unknown>): Promise<number> {
      const before = trips
      await run()
      return trips - before
    },
    /**
     * Drops the connection at the nth request from now, counted from 1: either before the server receives the request, or instead of
     * passing its answer on. 0 drops none.
     */
    loseAt(request: number, lost: 'request' | 'answer') {
      loss = { request, lost }
    },
    /** Delays each answer of the server. */
    delayAnswers(milliseconds: number) {
      delay = milliseconds
    },
    /** Sends new connections to another server. */
    redirect(url: string) {
      target = new URL(url)
    },
    /** Accepts the next connections, and never answers them. */
    silence(count: number) {
      silent = connections + count
    },
    interrupt,
    /** Accepts connections again, on the same port. */
    resume: listen,
    close: interrupt,
  }
}
