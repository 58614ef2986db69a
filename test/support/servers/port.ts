import { once } from 'node:events'
import { connect, createServer } from 'node:net'

// Below the range of ephemeral ports: an outgoing connection could otherwise take the port of a server while it is down.
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

/** Random ports that are free now. */
export async function findPorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

/** A random port that is free now. */
export const findPort = async () => (await findPorts(1))[0] as number

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
