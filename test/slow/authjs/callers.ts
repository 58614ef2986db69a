import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { resolvePackages } from '../../../lab/matrix/bundle.js'
import type { DialectName } from '../../support/dialects.js'
import { root } from '../../support/root.js'
import type { Answer, Message, Task } from './caller.js'

type Event = Extract<Message, { event: unknown }>['event']

const drivers: Record<DialectName, string> = { sqlite: 'better-sqlite3', pg: 'postgres-js', mysql: 'mysql2' }

export interface Caller {
  /** Asks for the access token of a user. */
  get(userId: string): Promise<Answer>
  /** How often it reported this event. */
  count(event: Event): number
  /** Ends its pause. */
  go(): void
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
}

export type Callers = Awaited<ReturnType<typeof openCallers>>

/** Starts processes that ask for access tokens, on databases of one dialect. */
export async function openCallers(dialect: DialectName) {
  const program = await bundle(dialect)
  return {
    start: (task: Task) => start(program, task),
    close: () => rm(program, { force: true }),
  }
}

async function start(program: string, task: Task): Promise<Caller> {
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = spawn(process.execPath, [program], {
    cwd: root,
    env: { ...env, CALLER_TASK: JSON.stringify(task) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  // Writing to a process that was killed must not be an unhandled error.
  child.stdin.on('error', () => {})
  const pending: ((answer: Answer) => void)[] = []
  const counts = { ready: 0, paused: 0, waiting: 0, asking: 0 }
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as Message
      if ('event' in message) counts[message.event]++
      else pending.shift()?.(message)
      resolve()
    })
    child.once('close', () => {
      reject(new Error('the process has ended'))
      for (const answer of pending.splice(0)) answer({ kind: 'the process has ended' })
    })
  })
  await ready
  return {
    get(userId) {
      child.stdin.write(`${userId}\n`)
      return new Promise((resolve) => pending.push(resolve))
    },
    count: (event) => counts[event],
    go: () => void child.stdin.write('go\n'),
    kill: () => end(child),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGKILL')
  await ended
}

/** Bundles the program into one file, with the version of Drizzle under test. */
async function bundle(dialect: DialectName): Promise<string> {
  const outfile = join(root, '.tmp', `caller-${dialect}-${crypto.randomUUID()}.mjs`)
  await build({
    stdin: {
      contents: `import { open } from '../../../lab/matrix/drivers/${drivers[dialect]}.js'
import * as tables from '../../support/schema/${dialect}.js'
import { runCaller } from './caller.js'
await runCaller(open, tables)
`,
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'node',
    plugins: [resolvePackages(process.env.DRIZZLE === '1.0' ? '1.0.0-rc.5' : '0.45.4', false)],
    logLevel: 'silent',
  })
  return outfile
}
