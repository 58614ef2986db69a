import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Account } from './programs.js'
import { scratchFolder } from './scratch.js'

export interface Program {
  command: string
  args: string[]
  account?: Account | undefined
  /** The file in the keeper's folder that its output is written to. */
  log?: string
  /** The signal that asks the program to end. If it is still running ten seconds later, it gets SIGKILL. */
  signal?: NodeJS.Signals
}

/** A program that can be ended before its keeper stops. */
export interface Running {
  /** Resolves when it has ended: undefined for success, otherwise the reason. */
  ended: Promise<string | undefined>
  /** Sends a signal to it and to all processes that it started, and waits until it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>
}

/** A temporary folder, and programs that run in it. A watchdog process ends them and removes the folder, even if this process is killed. */
export interface Keeper {
  folder: string
  start(program: Program): Running
  /** Runs a program to its end. If it fails, the error has the last lines of its output. */
  run(program: Program): Promise<void>
  tail(log: string): Promise<string>
  /** Unreferences the watchdog, so that this process can exit without calling `stop`. The watchdog then stops everything. */
  release(): void
  stop(): Promise<void>
}

interface Reply {
  folder?: string
  id?: number
  ended?: { reason?: string }
}

/** Keeps this process alive until the promise settles, even if the keeper is released. */
async function keepAliveUntil<T>(promise: Promise<T>): Promise<T> {
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
  const exited = once(child, 'exit')
  const pending = new Map<number, (reason?: string) => void>()
  exited.then(() => {
    for (const resolve of pending.values()) resolve('its watchdog process has ended')
  })
  let nextId = 0

  const folder = await new Promise<string>((resolve, reject) => {
    exited.then(() => reject(new Error(`Cannot make a temporary folder ${prefix}* (the watchdog process ended)`)), reject)
    child.on('message', (reply: Reply) => {
      if (reply.folder) resolve(reply.folder)
      if (reply.id === undefined) return
      pending.get(reply.id)?.(reply.ended?.reason)
      pending.delete(reply.id)
    })
  })

  function send(program: Program, id = nextId++) {
    return new Promise<string | undefined>((resolve) => {
      pending.set(id, resolve)
      child.send({ id, program: { log: 'setup.log', ...program } }, (error) => error && resolve(error.message))
    })
  }

  async function tail(log: string) {
    const text = await readFile(join(folder, log), 'utf8').catch(() => '')
    return text.trimEnd().split('\n').slice(-15).join('\n')
  }

  return {
    folder,
    tail,
    start(program) {
      const id = nextId++
      const ended = send(program, id)
      return {
        ended,
        async kill(signal) {
          child.send({ id, signal })
          await keepAliveUntil(ended)
        },
      }
    },
    async run(program) {
      const reason = await keepAliveUntil(send(program))
      if (reason) throw new Error(`${program.command} failed (${reason}):\n${await tail(program.log ?? 'setup.log')}`)
    },
    release() {
      child.unref()
      child.channel?.unref()
    },
    async stop() {
      child.ref()
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
