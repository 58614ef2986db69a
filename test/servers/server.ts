import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Keeper, Program } from './keeper.js'
import { canConnect, findPort } from './port.js'
import type { Log } from './process.js'

export interface Server {
  url: string
  stop(): Promise<void>
}

/** A server of the test's own, which may do with it as it likes. */
export interface PrivateServer extends Server {
  /** Where it keeps its data. */
  data: string
  /** Ends it and starts it again, on the same port. */
  restart(): Promise<void>
}

const patience = 60_000
const attempts = 5

/** What becomes of a server that was just started: `ready`, or why it is not. */
export async function outcome(keeper: Keeper, file: string, port: number, ended: Promise<string | undefined>, ready: RegExp) {
  let end: string | undefined
  ended.then((reason) => {
    end = reason ?? 'exit code 0'
  })
  const read = () => readFile(join(keeper.folder, file), 'utf8').catch(() => '')
  for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(50)) {
    if (end) return /address already in use/i.test(await read()) ? 'port taken' : `ended (${end})`
    // An answer alone could come from another server that took the port first: the own log must say so too.
    if (ready.test(await read()) && (await canConnect(port))) return 'ready'
  }
  return `is not ready after ${patience / 1000} s`
}

/** Starts a server on a free port and waits until it answers; gives its port. */
export async function serve(
  keeper: Keeper,
  title: string,
  program: (port: number) => Program,
  log: Log,
  ready = /ready (for|to accept) connections/,
) {
  for (let attempt = 1; ; attempt++) {
    const port = await findPort()
    const file = `server-${attempt}.log`
    log(`starting ${title} on port ${port}`)
    const ended = keeper.end({ ...program(port), log: file })
    const result = await outcome(keeper, file, port, ended, ready)
    if (result === 'ready') {
      let expected = false
      let running = ended
      ended.then((reason) => expected || log(`${title} on port ${port} has ended (${reason ?? 'exit code 0'})`))
      keeper.release()
      return {
        port,
        async stop() {
          expected = true
          await keeper.stop()
        },
        /** Starts it again once it has ended, which is the caller's to see to. */
        async again() {
          expected = true
          await running
          const log = `server-${attempt}-again-${crypto.randomUUID()}.log`
          running = keeper.end({ ...program(port), log })
          const result = await outcome(keeper, log, port, running, ready)
          if (result !== 'ready') throw new Error(`${title} ${result}. The end of its log:\n${await keeper.tail(log)}`)
        },
      }
    }
    if (result === 'port taken' && attempt < attempts) continue
    throw new Error(`${title} ${result}. The end of its log:\n${await keeper.tail(file)}`)
  }
}

/** Hands a keeper to a start function, and closes it if that fails. */
export async function withKeeper<T>(keeper: Keeper, start: (keeper: Keeper) => Promise<T>): Promise<T> {
  try {
    return await start(keeper)
  } catch (error) {
    await keeper.stop()
    throw error
  }
}
