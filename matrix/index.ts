// npm run matrix -- [--fresh] [--only PATTERN] [--ci] [--list]
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cache } from './bundle.js'
import type { Cell, Drizzle } from './cell.js'
import { drizzles, idOf } from './cell.js'
import { cells } from './cells/index.js'
import type { Result, Results } from './results.js'
import { hashSources, problemsOf, readResults, writeResults } from './results.js'
import { runCell } from './run.js'
import { openServers } from './servers.js'
import { withTable } from './table.js'

const here = import.meta.dirname
const document = join(here, '..', 'docs', 'matrix.md')
const versions = Object.keys(drizzles) as Drizzle[]
const begin = performance.now()

interface Job {
  cell: Cell
  drizzle: Drizzle
  name: string
}

const jobs: Job[] = cells.flatMap((cell) => versions.map((drizzle) => ({ cell, drizzle, name: `${idOf(cell)}, drizzle-orm ${drizzle}` })))

const isForCi = ({ cell: { ci }, drizzle }: Job) => ci === drizzle

function print(line: string): void {
  const seconds = Math.round((performance.now() - begin) / 1000)
  console.log(`${`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`.padStart(5)}  ${line}`)
}

/** The drivers are not part of the project's own type check, because their packages are installed only in matrix/. */
function checkTypes(): void {
  print('checking the types of the drivers')
  const { status } = spawnSync(join(here, '..', 'node_modules', '.bin', 'tsc'), ['-p', here], { stdio: 'inherit' })
  if (status !== 0) throw new Error('matrix/ has type errors')
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { fresh: { type: 'boolean' }, only: { type: 'string' }, ci: { type: 'boolean' }, list: { type: 'boolean' } },
  })
  const pattern = new RegExp(values.only ?? '', 'i')
  const requested = jobs.filter((job) => pattern.test(job.name) && (!values.ci || isForCi(job)))
  if (values.list) return requested.forEach(({ name }) => void console.log(name))
  if (requested.length === 0) throw new Error(`no cell matches ${values.only}; --list shows them all`)

  if (values.ci) return runPart(requested)
  const sources = await hashSources()
  const results = dropUnknown(await readResults())
  if (values.fresh) for (const { cell, drizzle } of requested) delete results[idOf(cell)]?.[drizzle]
  const remaining = requested.filter(({ cell, drizzle }) => {
    const result = results[idOf(cell)]?.[drizzle]
    return result?.sources !== sources || problemsOf(result).length > 0
  })
  if (remaining.length < requested.length)
    print(`${requested.length - remaining.length} of ${requested.length} cells have run with these sources; --fresh runs them again`)
  const failed = await runJobs(remaining, async ({ cell, drizzle }, result) => {
    results[idOf(cell)] = { ...results[idOf(cell)], [drizzle]: { ...result, sources } }
    await saveResults(results)
  })
  printSummary(remaining.length, failed)
}

/** Runs the part for CI. It does not store results, and prints the cells that it left out. */
async function runPart(requested: Job[]): Promise<void> {
  checkTypes()
  const failed = await runJobs(requested)
  const skipped = jobs.filter((job) => !isForCi(job)).map(({ name }) => name)
  console.log(['\nLeft out here, and run by `npm run matrix`:', ...skipped].join('\n  '))
  printSummary(requested.length, failed)
}

function printSummary(total: number, failed: string[]): void {
  console.log(`\n${total - failed.length} passed, ${failed.length} failed`)
  if (failed.length > 0) throw new Error(['These cells fail:', ...failed].join('\n  '))
}

type RunResult = Omit<Result, 'sources'>

/** Runs cells one after another, with the servers that they need, and returns the names of those that fail. */
async function runJobs(list: Job[], onResult?: (job: Job, result: RunResult) => Promise<void>): Promise<string[]> {
  const interruption = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => interruption.abort(new Error(`stopped by ${name}`)))
  const servers = openServers(print)
  const failed: string[] = []
  try {
    for (const [index, job] of list.entries()) {
      const result = await runJob(job, servers, interruption.signal)
      const problems = problemsOf(result)
      const count = result.missing ? 'no such driver' : `${result.passed}/${result.total}`
      print(`${index + 1} of ${list.length}  ${problems.length === 0 ? 'ok' : 'FAILED'}  ${job.name}: ${count} (${result.seconds} s)`)
      for (const line of problems) console.log(`         ${line}`)
      if (problems.length > 0) failed.push(job.name)
      await onResult?.(job, result)
    }
  } finally {
    await servers.stop()
    await rm(cache, { recursive: true, force: true })
  }
  return failed
}

async function runJob({ cell, drizzle }: Job, servers: ReturnType<typeof openServers>, signal: AbortSignal): Promise<RunResult> {
  const start = performance.now()
  const result = await runCell(cell, drizzle, servers, signal).catch((error: Error) => {
    signal.throwIfAborted()
    const failures = [{ name: 'the cell does not run', error: error.message }]
    return { total: 1, passed: 0, failures, excess: {}, versions: { runtime: '' } }
  })
  return { date: new Date().toISOString(), seconds: Math.round((performance.now() - start) / 100) / 10, ...result }
}

/** The results of existing cells, in the order of the table. */
function dropUnknown(results: Results): Results {
  return Object.fromEntries(cells.flatMap((cell) => (results[idOf(cell)] ? [[idOf(cell), results[idOf(cell)] as Results[string]]] : [])))
}

async function saveResults(results: Results): Promise<void> {
  const known = dropUnknown(results)
  await writeResults(known)
  if (existsSync(document)) await writeFile(document, withTable(await readFile(document, 'utf8'), known))
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
