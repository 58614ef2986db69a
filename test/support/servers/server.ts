import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Keeper, Program, Running } from './keeper.js'
import { canConnect, findPort } from './port.js'

export type Log = (line: string) => void

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

const startTimeout = 60_000
const maxAttempts = 5

class PortTaken extends Error {}

/**
 * A server process on a fixed port, which is not started yet. It can be killed and started again. `ready` matches the line of its log that
 * says that it accepts connections.
 */
export function createMember(keeper: Keeper, name: string, port: number, ready: RegExp, log: Log) {
  let running: Running | undefined
  let starts = 0

  async function start(program: Program): Promise<void> {
    const file = `${name.replaceAll(' ', '-')}-${port}-${++starts}.log`
    const read = () => readFile(join(keeper.folder, file), 'utf8').catch(() => '')
    const fail = async (reason: string) => new Error(`${name} on port ${port} ${reason}. The end of its log:\n${await keeper.tail(file)}`)
    log(`starting ${name} on port ${port}`)
    running = keeper.start({ ...program, log: file })
    let end: string | undefined
    running.ended.then((reason) => {
      end = reason ?? 'exit code 0'
    })
    for (const deadline = Date.now() + startTimeout; Date.now() < deadline; await sleep(50)) {
      if (end && /address already in use/i.test(await read())) throw new PortTaken(`port ${port} is taken`)
      if (end) throw await fail(`ended (${end})`)
      // Another server that took the port first could accept the connection, so the log must say that this one is ready.
      if (ready.test(await read()) && (await canConnect(port))) return
    }
    throw await fail(`is not ready after ${startTimeout / 1000} s`)
  }

  return {
    port,
    start,
    /** Ends it with SIGKILL, or with another signal. */
    async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
      log(`ending ${name} on port ${port} with ${signal}`)
      await running?.kill(signal)
    },
  }
}

/** Starts a server on a free port and waits until it is ready. Tries other ports if the first is taken. */
export async function serve(
  keeper: Keeper,
  title: string,
  program: (port: number) => Program,
  log: Log,
  ready = /ready (for|to accept) connections/,
) {
  for (let attempt = 1; ; attempt++) {
    const port = await findPort()
    const { start, kill } = createMember(keeper, title, port, ready, log)
    try {
      await start(program(port))
    } catch (error) {
      if (error instanceof PortTaken && attempt < maxAttempts) continue
      throw error
    }
    keeper.release()
    const restart = async () => {
      await kill(program(port).signal)
      await start(program(port))
    }
    return { port, stop: keeper.stop, restart }
  }
}

/** Calls a start function with a keeper, and stops the keeper if that fails. */
export async function withKeeper<T>(keeper: Keeper, start: (keeper: Keeper) => Promise<T>): Promise<T> {
  try {
    return await start(keeper)
  } catch (error) {
    await keeper.stop()
    throw error
  }
}
