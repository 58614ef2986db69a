import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { resolvePackages } from '../../../lab/matrix/bundle.js'
import type { Drizzle } from '../../../lab/matrix/cell.js'
import { migrationsOf } from '../../support/migrations.js'
import { root } from '../../support/root.js'
import type { Answer, Request } from './app.js'

const matrix = join(root, 'lab/matrix')

/** A file of `lab/matrix/drivers`. */
export type DriverName = 'better-sqlite3' | 'libsql'

export interface App {
  /** Sends a request. Resolves with the app's answer, or rejects with the app's error. */
  ask(request: Request): Promise<unknown>
  call(operation: string, ...args: unknown[]): Promise<unknown>
  /** Runs a statement of the app, on the client that the adapter uses. */
  own(statement: string): Promise<unknown>
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
}

/** Bundles the app with a driver, into a folder from which both the packages of the matrix and those of the project are found. */
async function bundle(driver: DriverName, drizzle: Drizzle): Promise<string> {
  const outfile = join(matrix, '.cache', `app-${driver}-${drizzle}-${process.pid}-${crypto.randomUUID()}.mjs`)
  await build({
    stdin: {
      contents: `import { open } from '../../../lab/matrix/drivers/${driver}.js'\nimport { runApp } from './app.js'\nawait runApp(open)\n`,
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'node',
    plugins: [resolvePackages(drizzle, false)],
    logLevel: 'silent',
  })
  return outfile
}

const bundles = new Map<string, Promise<string>>()

function bundleOnce(driver: DriverName, drizzle: Drizzle): Promise<string> {
  const key = `${driver} ${drizzle}`
  let made = bundles.get(key)
  if (!made) {
    made = bundle(driver, drizzle)
    bundles.set(key, made)
    cleanups.push(async () => rm(await (made as Promise<string>), { force: true }))
  }
  return made
}

const cleanups: (() => Promise<unknown>)[] = []

/** Ends the apps of a test file, and removes its databases and bundles. */
export async function cleanUp(): Promise<void> {
  for (const clean of cleanups.splice(0).reverse()) await clean()
}

/** The statements that create the tables: the default ones, and one of the app. */
async function migrations(): Promise<string[]> {
  return [...(await migrationsOf('sqlite')), 'create table note (id integer primary key, text text not null)']
}

/** Creates a database file with the tables. */
export async function newFile(journal: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'auth-processes-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'app.db')
  const creator = await startApp('better-sqlite3', file, { statements: await migrations() })
  await creator.own(`pragma journal_mode = ${journal}`)
  await creator.kill()
  return file
}

interface Options {
  /** Run before the app starts. */
  statements?: string[]
  /** The most connections of a client that has a pool. */
  connections?: number
}

/** Starts an app in a separate process. */
export async function startApp(driver: DriverName, file: string, { statements = [], connections = 20 }: Options = {}): Promise<App> {
  const drizzle: Drizzle = process.env.DRIZZLE === '1.0' ? '1.0.0-rc.5' : '0.45.4'
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = spawn(process.execPath, [await bundleOnce(driver, drizzle)], {
    cwd: matrix,
    env: { ...env, NO_COLOR: '1', APP_TASK: JSON.stringify({ file, statements, connections }) },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  cleanups.push(kill)

  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, ...answer } = JSON.parse(line) as { id: number } & Answer
    const request = waiting.get(id)
    waiting.delete(id)
    if ('error' in answer) request?.reject(Object.assign(new Error(answer.error.message), answer.error))
    else request?.resolve(answer.value)
  })
  const appEnded = () => Object.assign(new Error(`the app has ended\n${errors}`), { name: 'AppEnded' })
  child.once('close', () => {
    for (const { reject } of waiting.values()) reject(appEnded())
  })
  // Writing to a process that was killed must not be an unhandled error.
  child.stdin.on('error', () => {})

  let count = 0
  const answerOf = (id: number) => new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }))
  // The app answers with id 0 when it is ready.
  await answerOf(0)
  const ask = async (request: Request) => {
    if (child.exitCode !== null || child.signalCode !== null) throw appEnded()
    const answer = answerOf(++count)
    child.stdin.write(`${JSON.stringify({ id: count, ...request })}\n`)
    return answer
  }
  return { ask, call: (call, ...args) => ask({ call, args }), own: (own) => ask({ own }), kill }
}
