import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Keeper, Program, Running } from './keeper.js'
import { openKeeper } from './keeper.js'
import { canConnect } from './port.js'

export type Log = (line: string) => void

/** Something that was started and can be stopped: one server at a URL. */
export interface Server {
  url: string
  stop(): Promise<void>
}

/** A server that only one test uses, so the test may restart it and change its settings. */
export interface PrivateServer extends Server {
  /** Where it keeps its data. */
  data: string
  /** Ends it and starts it again, on the same port. */
  restart(): Promise<void>
}

/** A process of a server or of a cluster, on a port of its own. It can be killed and started again. */
export interface Node {
  url: string
  /** Starts it with these arguments added, and waits until it is ready. */
  start(...args: string[]): Promise<void>
  /** Ends it with SIGKILL, or with another signal. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

interface NodeOptions extends Program {
  name: string
  port: number
  url: string
  /** Matches the line of its log that says that it accepts connections. */
  ready?: RegExp
}

const startTimeout = 60_000

/** A process that is not started yet. */
export function createNode(
  keeper: Keeper,
  log: Log,
  { name, port, url, ready = /ready (for|to accept) connections/, ...program }: NodeOptions,
): Node {
  let running: Running | undefined
  let starts = 0
  return {
    url,
    async start(...args) {
      const file = `${name.replaceAll(' ', '-')}-${port}-${++starts}.log`
      const fail = async (reason: string) => new Error(`${name} on port ${port} ${reason}. The end of its log:\n${await keeper.tail(file)}`)
      log(`starting ${name} on port ${port}`)
      running = keeper.start({ ...program, args: [...program.args, ...args], log: file })
      let end: string | undefined
      running.ended.then((reason) => {
        end = reason ?? 'exit code 0'
      })
      for (const deadline = Date.now() + startTimeout; Date.now() < deadline; await sleep(50)) {
        if (end) throw await fail(`ended (${end})`)
        // Another server that took the port first could accept the connection, so the log must say that this one is ready.
        const text = await readFile(join(keeper.folder, file), 'utf8').catch(() => '')
        if (ready.test(text) && (await canConnect(port))) return
      }
      throw await fail(`is not ready after ${startTimeout / 1000} s`)
    },
    async kill(signal = 'SIGKILL') {
      log(`ending ${name} on port ${port} with ${signal}`)
      await running?.kill(signal)
    },
  }
}

/** Starts something with a keeper of its own, which stops it and removes its folder. */
export async function withKeeper<T>(prefix: string, start: (keeper: Keeper) => Promise<T>): Promise<T & { stop(): Promise<void> }> {
  const keeper = await openKeeper(prefix)
  try {
    const started = await start(keeper)
    keeper.release()
    return { ...started, stop: keeper.stop }
  } catch (error) {
    await keeper.stop()
    throw error
  }
}
