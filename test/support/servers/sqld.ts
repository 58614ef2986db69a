import { join } from 'node:path'
import { findPorts } from './port.js'
import type { Log, Node, Server } from './server.js'
import { createNode, withKeeper } from './server.js'

/** libSQL's server: a primary, and a replica that serves reads and forwards writes to the primary. */
export interface Sqld extends Omit<Server, 'url'> {
  primary: Node
  replica: Node
}

/** Starts a private primary and replica of libSQL's server. `command` is the path of `sqld`. */
export async function startSqld(command: string, log: Log): Promise<Sqld> {
  const [http, grpc, replicaHttp] = (await findPorts(3)) as [number, number, number]
  return withKeeper('auth-sqld-', async (keeper) => {
    const node = (name: string, port: number, ...own: string[]) =>
      createNode(keeper, log, {
        name,
        port,
        url: `http://127.0.0.1:${port}`,
        command,
        args: ['--no-welcome', '--db-path', join(keeper.folder, name), '--http-listen-addr', `127.0.0.1:${port}`, ...own],
        signal: 'SIGTERM',
        ready: /listening for incoming user HTTP connection/i,
      })
    const primary = node('primary', http, '--grpc-listen-addr', `127.0.0.1:${grpc}`)
    const replica = node('replica', replicaHttp, '--primary-grpc-url', `http://127.0.0.1:${grpc}`)
    await primary.start()
    await replica.start()
    return { primary, replica }
  })
}
