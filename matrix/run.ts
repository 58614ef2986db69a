import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createTables, mysqlTables } from '../test/support/loose.js'
import { migrationsOf } from '../test/support/migrations.js'
import { scratchFolder } from '../test/support/servers/scratch.js'
import { bundle } from './bundle.js'
import type { Cell, Drizzle } from './cell.js'
import { drizzles } from './cell.js'
import type { Result } from './results.js'
import { commandOf } from './runtimes.js'
import type { openServers } from './servers.js'
import type { Outcome } from './setting.js'
import type { Task } from './suite.js'

const here = import.meta.dirname
// Ends a process that hangs. Each case has a limit of its own; a whole cell takes up to a minute, and many times that on a busy machine.
const timeout = 1_200_000

type Servers = ReturnType<typeof openServers>
type RunResult = Omit<Result, 'date' | 'seconds' | 'sources'>

/** Runs one cell with one version of Drizzle. */
export async function runCell(cell: Cell, drizzle: Drizzle, servers: Servers, signal: AbortSignal): Promise<RunResult> {
  const missing = cell.missing?.[drizzle]
  if (missing) return checkMissing(missing, drizzle)
  const file = await bundle(cell, drizzle)
  const migrations = cell.tables === 'loose' ? createTables(mysqlTables, '`', cell.suffix) : await migrationsOf(cell.dialect)
  const server = cell.server && (await servers.get(cell.server))
  const restore = await server?.setVariables(cell.variables ?? {})
  const database = await server?.create(migrations)
  const folder = await mkdtemp(join(scratchFolder(), 'auth-matrix-'))
  try {
    const inWorker = cell.runtime === 'workerd'
    const task: Task & { throughProxy: boolean } = {
      dialect: cell.dialect,
      url: database?.url ?? '',
      statements: migrations,
      file: inWorker ? '' : `${folder}/`,
      foreignKeys: cell.foreignKeys ?? true,
      connections: 20,
      prepare: cell.prepare ?? true,
      options: cell.options ?? {},
      without: cell.tables === 'loose' ? ['storage'] : [],
      tripsPerStatement: cell.tripsPerStatement?.trips ?? 1,
      throughProxy: cell.throughProxy ?? false,
      runtime: inWorker ? `workerd ${await versionOf('workerd')}` : '',
    }
    const { command, args } = commandOf(cell.runtime, inWorker ? join(here, 'worker-host.mjs') : file)
    const output = await run(command, args, { MATRIX_TASK: JSON.stringify(task), MATRIX_WORKER: file }, signal)
    const { runtime, total, failures, excess } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Outcome
    const versions = {
      runtime,
      ...(server && { server: server.version }),
      ...(cell.package && { driver: await versionOf(cell.package) }),
    }
    return { total, passed: total - failures.length, failures, excess, versions }
  } finally {
    await rm(folder, { recursive: true, force: true })
    await database?.drop()
    await restore?.()
  }
}

// There is nothing to run, so this only checks that the module is really missing.
function checkMissing(missing: string, drizzle: Drizzle): RunResult {
  const require = createRequire(join(here, 'index.ts'))
  const name = missing.replace('drizzle-orm', drizzles[drizzle])
  let path: string | undefined
  try {
    path = require.resolve(name)
  } catch {}
  if (path) throw new Error(`${missing} exists in drizzle-orm ${drizzle}, although the cell says that it is missing`)
  return { missing, total: 0, passed: 0, failures: [], excess: {}, versions: { runtime: '' } }
}

async function versionOf(name: string): Promise<string> {
  const path = [join(here, 'node_modules', name), join(here, '..', 'node_modules', name)].find((folder) => existsSync(folder))
  return JSON.parse(await readFile(join(path ?? '', 'package.json'), 'utf8')).version
}

/** Runs a command and returns its output. */
function run(command: string, args: string[], env: Record<string, string>, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    let errors = ''
    const { NODE_OPTIONS: _, ...inherited } = process.env
    const child = spawn(command, args, {
      cwd: here,
      env: { ...inherited, NO_COLOR: '1', ...env },
      signal,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), timeout)
    child.once('error', reject)
    child.once('close', (code, killer) => {
      clearTimeout(timer)
      if (code === 0) resolve(output)
      else
        reject(
          new Error(
            `${killer ? `ended by ${killer} (the time limit is ${timeout / 1000} s)` : `exit code ${code}`}\n${tail(errors || output)}`,
          ),
        )
    })
  })
}

const tail = (text: string) => text.trim().split('\n').slice(-25).join('\n')
