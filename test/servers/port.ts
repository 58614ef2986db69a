import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'

/** A port that was free a moment ago: whoever uses it must be ready to lose it to somebody else. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export function canConnect(port: number, host = '127.0.0.1', timeout = 5_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout })
    const finish = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => finish(true))
    socket.once('timeout', () => finish(false))
    socket.once('error', () => finish(false))
  })
}

// Below the range that systems give to outgoing connections: one of those could take the port of a server that is down for a while.
const lowest = 12_000
const highest = 32_000

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  const free = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.close()
  return free
}

/** Ports for servers that are killed and started again where they were. */
export async function findLastingPorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}
