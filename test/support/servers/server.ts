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

/** A server that only one test uses, so the test may restart it and change its settings. */
export interface PrivateServer extends Server {
  /** Where it keeps its data. */
  data: string
  /** Ends it and starts it again, on the same port. */
  restart(): Promise<void>
}

const startTimeout = 60_000
const maxAttempts = 5

/** Waits until a server that was just started accepts connections. Returns `ready`, or the reason why it is not. */
export async function waitUntilReady(keeper: Keeper, file: string, port: number, ended: Promise<string | undefined>, ready: RegExp) {
  let end: string | undefined
  ended.then((reason) => {
    end = reason ?? 'exit code 0'
  })
  const read = () => readFile(join(keeper.folder, file), 'utf8').catch(() => '')
  for (const deadline = Date.now() + startTimeout; Date.now() < deadline; await sleep(50)) {
    if (end) return /address already in use/i.test(await read()) ? 'port taken' : `ended (${end})`
    // Another server that took the port first could accept the connection, so the log must say that this one is ready.
    if (ready.test(await read()) && (await canConnect(port))) return 'ready'
  }
  return `is not ready after ${startTimeout / 1000} s`
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
    const file = `server-${attempt}.log`
    log(`starting ${title} on port ${port}`)
    const { ended } = keeper.start({ ...program(port), log: file })
    const result = await waitUntilReady(keeper, file, port, ended, ready)
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
        /** Waits until it has ended, and starts it again on the same port. The caller must end it. */
        async startAgain() {
          expected = true
          await running
          const log = `server-${attempt}-again-${crypto.randomUUID()}.log`
          running = keeper.start({ ...program(port), log }).ended
          const result = await waitUntilReady(keeper, log, port, running, ready)
          if (result !== 'ready') throw new Error(`${title} ${result}. The end of its log:\n${await keeper.tail(log)}`)
        },
      }
    }
    if (result === 'port taken' && attempt < maxAttempts) continue
    throw new Error(`${title} ${result}. The end of its log:\n${await keeper.tail(file)}`)
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
