import { join } from 'node:path'
import type { Keeper } from './keeper.js'
import { openKeeper } from './keeper.js'
import { findReusablePorts } from './port.js'
import type { Log } from './server.js'
import { createMember, withKeeper } from './server.js'

/** libSQL's server: a primary, and a replica that serves reads and forwards writes to the primary. */
export interface Sqld {
  readonly primary: { readonly url: string; kill(): Promise<void>; start(): Promise<void> }
  readonly replica: { readonly url: string }
  stop(): Promise<void>
}

async function start(keeper: Keeper, command: string, log: Log): Promise<Sqld> {
  const [http, grpc, replicaHttp] = (await findReusablePorts(3)) as [number, number, number]
  const program = (name: string, port: number, ...args: string[]) => ({
    command,
    args: ['--no-welcome', '--db-path', join(keeper.folder, name), '--http-listen-addr', `127.0.0.1:${port}`, ...args],
    signal: 'SIGTERM' as const,
  })
  const ready = /listening for incoming user HTTP connection/i
  const primary = createMember(keeper, 'primary', http, ready, log)
  const replica = createMember(keeper, 'replica', replicaHttp, ready, log)
  const startPrimary = () => primary.start(program('primary', http, '--grpc-listen-addr', `127.0.0.1:${grpc}`))
  await startPrimary()
  await replica.start(program('replica', replicaHttp, '--primary-grpc-url', `http://127.0.0.1:${grpc}`))
  keeper.release()
  return {
    primary: { url: `http://127.0.0.1:${http}`, kill: primary.kill, start: startPrimary },
    replica: { url: `http://127.0.0.1:${replicaHttp}` },
    stop: keeper.stop,
  }
}

/** Starts a private primary and replica of libSQL's server. `command` is the path of `sqld`. */
export async function startSqld(command: string, log: Log): Promise<Sqld> {
  return withKeeper(await openKeeper('auth-sqld-'), (keeper) => start(keeper, command, log))
}
