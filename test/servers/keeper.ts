import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Account } from './process.js'
import { scratchFolder } from './scratch.js'

export interface Program {
  command: string
  args: string[]
  account?: Account | undefined
  /** File in the keeper's folder that takes the output. */
  log?: string
  /** Asks the program to end; SIGKILL follows where that is not enough. */
  signal?: NodeJS.Signals
}

/** A program that can be ended before its keeper stops. */
export interface Running {
  /** Resolves when it has ended: undefined for success, otherwise the reason. */
  ended: Promise<string | undefined>
  /** Sends a signal to it and to all that it started, and waits for its end. */
  kill(signal: NodeJS.Signals): Promise<void>
}

/** A temporary folder, and programs that run in it and never outlive this process. */
export interface Keeper {
  folder: string
  /** Resolves when the program has ended: undefined for success, otherwise the reason. */
  end(program: Program): Promise<string | undefined>
  start(program: Program): Running
  /** Runs a program to its end; fails with the last lines of its output. */
  run(program: Program): Promise<void>
  /** Has a program run after all others have ended, before the folder is removed. */
  finally(program: Program): Promise<void>
  tail(log: string): Promise<string>
  /** Lets this process exit by itself, which stops everything. */
  release(): void
  stop(): Promise<void>
}

interface Reply {
  folder?: string
  id?: number
  ended?: { reason?: string }
}

/** Keeps this process from exiting while it waits, although it may have been released. */
async function staying<T>(promise: Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, 60_000)
  try {
    return await promise
  } finally {
    clearInterval(timer)
  }
}

/** A keeper with a new folder in `parent`. */
export async function openKeeper(prefix: string, parent = scratchFolder()): Promise<Keeper> {
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = fork(fileURLToPath(new URL('./watchdog.mjs', import.meta.url)), [join(parent, prefix)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
    env,
  })
  const gone = once(child, 'exit')
  const pending = new Map<number, (reason?: string) => void>()
  gone.then(() => {
    for (const resolve of pending.values()) resolve('its watchdog process has ended')
  })
  let count = 0

  const folder = await new Promise<string>((resolve, reject) => {
    gone.then(() => reject(new Error(`Cannot make a temporary folder ${prefix}* (the watchdog process ended)`)), reject)
    child.on('message', (reply: Reply) => {
      if (reply.folder) resolve(reply.folder)
      if (reply.id === undefined) return
      pending.get(reply.id)?.(reply.ended?.reason)
      pending.delete(reply.id)
    })
  })

  function send(program: Program, farewell = false, id = count++) {
    return new Promise<string | undefined>((resolve) => {
      pending.set(id, resolve)
      child.send({ id, farewell, program: { log: 'setup.log', ...program } }, (error) => error && resolve(error.message))
    })
  }

  async function tail(log: string) {
    const text = await readFile(join(folder, log), 'utf8').catch(() => '')
    return text.trimEnd().split('\n').slice(-15).join('\n')
  }

  return {
    folder,
    tail,
    end: (program) => send(program),
    start(program) {
      const id = count++
      const ended = send(program, false, id)
      return {
        ended,
        async kill(signal) {
          child.send({ id, signal })
          await staying(ended)
        },
      }
    },
    async run(program) {
      const reason = await staying(send(program))
      if (reason) throw new Error(`${program.command} failed (${reason}):\n${await tail(program.log ?? 'setup.log')}`)
    },
    async finally(program) {
      const reason = await send(program, true)
      if (reason) throw new Error(reason)
    },
    release() {
      child.unref()
      child.channel?.unref()
    },
    async stop() {
      child.ref()
      if (child.connected) child.disconnect()
      await gone
    },
  }
}
