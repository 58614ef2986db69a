import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Keeper } from './keeper.js'
import { openKeeper } from './keeper.js'
import { findReusablePorts } from './port.js'
import type { Log } from './server.js'
import { createMember, withKeeper } from './server.js'

const clusterSize = 3
const leaderTimeout = 30_000

export interface RqliteNode {
  readonly url: string
  kill(): Promise<void>
  /** Restarts a killed node and waits until it sees a leader. */
  rejoin(): Promise<void>
  isLeader(): Promise<boolean>
}

export interface Rqlite {
  readonly nodes: readonly RqliteNode[]
  stop(): Promise<void>
}

async function waitForLeader(url: string): Promise<void> {
  const answers = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  for (const deadline = Date.now() + leaderTimeout; !(await answers()); await sleep(100)) {
    if (Date.now() > deadline) throw new Error(`rqlite at ${url} has no leader after ${leaderTimeout / 1000} s`)
  }
}

async function isLeader(url: string): Promise<boolean> {
  const status = (await (await fetch(`${url}/status`)).json()) as { store: { raft: { state: string } } }
  return status.store.raft.state === 'Leader'
}

async function start(keeper: Keeper, command: string, log: Log): Promise<Rqlite> {
  const free = await findReusablePorts(clusterSize * 2)
  const ports = Array.from({ length: clusterSize }, (_, index) => ({
    http: free[index * 2] as number,
    raft: free[index * 2 + 1] as number,
  }))
  const all = ports.map(({ raft }) => `127.0.0.1:${raft}`).join()
  const nodes = ports.map(({ http, raft }, index) => {
    const name = `rqlite${index + 1}`
    const url = `http://127.0.0.1:${http}`
    const member = createMember(keeper, name, http, /service listening on/, log)
    const own = ['-node-id', name, '-http-addr', `127.0.0.1:${http}`, '-raft-addr', `127.0.0.1:${raft}`]
    const cluster = ['-fk', '-bootstrap-expect', `${clusterSize}`, '-join', all]
    const startNode = async () => {
      await member.start({ command, args: [...own, ...cluster, join(keeper.folder, name)], signal: 'SIGTERM' })
      await waitForLeader(url)
    }
    return { url, kill: member.kill, rejoin: startNode, isLeader: () => isLeader(url) }
  })
  await Promise.all(nodes.map((node) => node.rejoin()))
  keeper.release()
  return { nodes, stop: keeper.stop }
}

/** Starts a private rqlite cluster: SQLite, replicated with Raft. `command` is the path of `rqlited`. */
export async function startRqlite(command: string, log: Log): Promise<Rqlite> {
  return withKeeper(await openKeeper('auth-rqlite-'), (keeper) => start(keeper, command, log))
}
