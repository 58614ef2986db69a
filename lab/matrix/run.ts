import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import * as kit from 'drizzle-kit/api'
import { migrationsOf } from '../../test/support/migrations.js'
import { run } from '../../test/support/process.js'
import { scratchFolder } from '../../test/support/servers/scratch.js'
import { versionOf } from '../../test/support/versions.js'
import { writeBetterAuthSchema } from './better-auth.js'
import { bundle } from './bundle.js'
import type { Cell, Drizzle } from './cell.js'
import { drizzles } from './cell.js'
import type { Result } from './results.js'
import { commandOf } from './runtimes.js'
import type { MatrixServer, openServers } from './servers.js'
import type { Outcome } from './setting.js'
import type { Task } from './suite.js'
import { snakeCaseTables } from './tables.js'

const here = import.meta.dirname
// Ends a process that hangs. Each case has a limit of its own; a whole cell takes up to a minute, and many times that on a busy machine.
const seconds = 1_200

type Servers = ReturnType<typeof openServers>
type RunResult = Omit<Result, 'date' | 'seconds' | 'sources'>

/** Runs one cell with one version of Drizzle. */
export async function runCell(cell: Cell, drizzle: Drizzle, servers: Servers): Promise<RunResult> {
  const missing = cell.missing?.[drizzle]
  if (missing) return checkMissing(missing, drizzle)
  const statements = {
    contract: await migrationsFor(cell),
    betterAuth: await writeBetterAuthSchema(cell),
  }
  const file = await bundle(cell, drizzle)
  const server = cell.server && (await servers.get(cell.server))
  const contract = await runSuite(cell, file, server, 'contract', statements.contract)
  const betterAuth = await runSuite(cell, file, server, 'betterAuth', statements.betterAuth)
  const total = contract.total + betterAuth.total
  const failures = [...contract.failures, ...betterAuth.failures]
  const versions = {
    runtime: contract.runtime,
    ...(server && { server: server.title }),
    ...(cell.package && { driver: await driverVersion(cell.package) }),
  }
  return { total, passed: total - failures.length, failures, versions }
}

/** Runs a suite of a cell, on a new database with these tables. */
async function runSuite(
  cell: Cell,
  file: string,
  server: MatrixServer | undefined,
  suite: Task['suite'],
  statements: string[],
): Promise<Outcome> {
  const database = await server?.create(statements)
  const folder = await mkdtemp(join(scratchFolder(), 'auth-matrix-'))
  try {
    const inWorker = cell.runtime === 'workerd'
    const task: Task = {
      dialect: cell.dialect,
      url: database?.url ?? '',
      suite,
      statements,
      file: inWorker ? '' : `${folder}/`,
      foreignKeys: cell.foreignKeys ?? true,
      connections: 20,
      prepare: cell.prepare ?? true,
      options: cell.options ?? {},
      runtime: inWorker ? `workerd ${await versionOf('workerd', 'lab/matrix')}` : '',
    }
    const { command, args } = commandOf(cell.runtime, inWorker ? join(here, 'worker-host.mjs') : file)
    const output = await run(command, args, { cwd: here, env: { MATRIX_TASK: JSON.stringify(task), MATRIX_WORKER: file }, seconds })
    const answer = output.split('\n').findLast((line) => line.startsWith('{')) ?? ''
    return JSON.parse(answer) as Outcome
  } finally {
    await rm(folder, { recursive: true, force: true })
    await database?.drop()
  }
}

/** The statements that create the tables of a cell. */
async function migrationsFor({ snakeCase, dialect }: Cell): Promise<string[]> {
  if (snakeCase)
    return kit.generateSQLiteMigration(await kit.generateSQLiteDrizzleJson({}), await kit.generateSQLiteDrizzleJson(snakeCaseTables))
  return migrationsOf(dialect)
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
  return { missing, total: 0, passed: 0, failures: [], versions: { runtime: '' } }
}

const driverVersion = (name: string) => versionOf(name, 'lab/matrix').catch(() => versionOf(name))
