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
import { complaints, markSources, readResults, writeResults } from './results.js'
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

const isForCi = ({ cell: { ci }, drizzle }: Job) => ci === true || ci === drizzle

function say(line: string): void {
  const seconds = Math.round((performance.now() - begin) / 1000)
  console.log(`${`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`.padStart(5)}  ${line}`)
}

/** The drivers are not among the files that the project's own check reads: their packages are installed here alone. */
function checkTypes(): void {
  say('checking the types of the drivers')
  const { status } = spawnSync(join(here, '..', 'node_modules', '.bin', 'tsc'), ['-p', here], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the types of matrix/ are wrong')
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { fresh: { type: 'boolean' }, only: { type: 'string' }, ci: { type: 'boolean' }, list: { type: 'boolean' } },
  })
  const pattern = new RegExp(values.only ?? '', 'i')
  const asked = jobs.filter((job) => pattern.test(job.name) && (!values.ci || isForCi(job)))
  if (values.list) return asked.forEach(({ name }) => void console.log(name))
  if (asked.length === 0) throw new Error(`no cell matches ${values.only}; --list shows them all`)

  if (values.ci) return runPart(asked)
  const sources = await markSources()
  const results = keepKnown(await readResults())
  if (values.fresh) for (const { cell, drizzle } of asked) delete results[idOf(cell)]?.[drizzle]
  const left = asked.filter(({ cell, drizzle }) => {
    const result = results[idOf(cell)]?.[drizzle]
    return result?.sources !== sources || complaints(cell, result).length > 0
  })
  if (left.length < asked.length)
    say(`${asked.length - left.length} of ${asked.length} cells have run with these sources; --fresh runs them again`)
  const failed = await runJobs(left, async ({ cell, drizzle }, result) => {
    results[idOf(cell)] = { ...results[idOf(cell)], [drizzle]: { ...result, sources } }
    await keep(results)
  })
  conclude(left.length, failed)
}

/** The part for CI: it keeps nothing, and says what it left out. */
async function runPart(asked: Job[]): Promise<void> {
  checkTypes()
  const failed = await runJobs(asked)
  const skipped = jobs.filter((job) => !isForCi(job)).map(({ name }) => name)
  console.log(['\nLeft out here, and run by `npm run matrix`:', ...skipped].join('\n  '))
  conclude(asked.length, failed)
}

function conclude(total: number, failed: string[]): void {
  console.log(`\n${total - failed.length} passed, ${failed.length} failed`)
  if (failed.length > 0) throw new Error(['These cells fail:', ...failed].join('\n  '))
}

type Found = Omit<Result, 'sources'>

/** Runs cells one after the other, with the servers that they need; gives the names of those that fail. */
async function runJobs(list: Job[], found?: (job: Job, result: Found) => Promise<void>): Promise<string[]> {
  const interruption = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => interruption.abort(new Error(`stopped by ${name}`)))
  const servers = openServers(say)
  const failed: string[] = []
  try {
    for (const [index, job] of list.entries()) {
      const result = await runJob(job, servers, interruption.signal)
      const wrong = complaints(job.cell, result)
      const count = result.missing ? 'no such driver' : `${result.passed}/${result.total}`
      say(`${index + 1} of ${list.length}  ${wrong.length === 0 ? 'ok' : 'FAILED'}  ${job.name}: ${count} (${result.seconds} s)`)
      for (const line of wrong) console.log(`         ${line}`)
      if (wrong.length > 0) failed.push(job.name)
      await found?.(job, result)
    }
  } finally {
    await servers.stop()
    await rm(cache, { recursive: true, force: true })
  }
  return failed
}

async function runJob({ cell, drizzle }: Job, servers: ReturnType<typeof openServers>, signal: AbortSignal): Promise<Found> {
  const start = performance.now()
  const found = await runCell(cell, drizzle, servers, signal).catch((error: Error) => {
    signal.throwIfAborted()
    const failures = [{ name: 'the cell does not run', error: error.message }]
    return { total: 1, passed: 0, failures, excess: {}, versions: { runtime: '' } }
  })
  return { date: new Date().toISOString(), seconds: Math.round((performance.now() - start) / 100) / 10, ...found }
}

/** The results of cells that there still are, in the order of the table. */
function keepKnown(results: Results): Results {
  return Object.fromEntries(cells.flatMap((cell) => (results[idOf(cell)] ? [[idOf(cell), results[idOf(cell)] as Results[string]]] : [])))
}

async function keep(results: Results): Promise<void> {
  const known = keepKnown(results)
  await writeResults(known)
  if (existsSync(document)) await writeFile(document, withTable(await readFile(document, 'utf8'), known))
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
