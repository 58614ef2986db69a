// npm run matrix -- [--fresh] [--only PATTERN] [--ci]
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Cell, Drizzle } from './cell.js'
import { drizzles, idOf } from './cell.js'
import { cells } from './cells/index.js'
import type { Result, Results } from './results.js'
import { markSources, readResults, writeResults } from './results.js'
import { runCell } from './run.js'
import { openServers } from './servers.js'
import { withTable } from './table.js'

const here = import.meta.dirname
const document = join(here, '..', 'docs', 'matrix.md')
const versions = Object.keys(drizzles) as Drizzle[]
const begin = performance.now()
// The part for CI ends within ten minutes, also where a machine is slow: no cell is started after this, and none takes more than two.
const ciTime = 7 * 60_000

interface Job {
  cell: Cell
  drizzle: Drizzle
  name: string
}

const jobs: Job[] = cells.flatMap((cell) => versions.map((drizzle) => ({ cell, drizzle, name: `${idOf(cell)}, drizzle-orm ${drizzle}` })))

function say(line: string): void {
  const seconds = Math.round((performance.now() - begin) / 1000)
  console.log(`${`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`.padStart(5)}  ${line}`)
}

/** Installs the packages of this folder, where they are not those of its lockfile. */
async function install(): Promise<void> {
  const installed = join(here, 'node_modules', '.matrix-lock')
  const lock = await readFile(join(here, 'package-lock.json'), 'utf8')
  if ((await readFile(installed, 'utf8').catch(() => '')) === lock) return
  say('installing drivers, servers and runtimes into matrix/node_modules (once, 1.3 GB)')
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: here,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('npm ci failed in matrix/')
  await writeFile(installed, lock)
}

/** The drivers are not among the files that the project's own check reads: their packages are installed here alone. */
function checkTypes(): void {
  say('checking the types of the drivers')
  const { status } = spawnSync(join(here, '..', 'node_modules', '.bin', 'tsc'), ['-p', here], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the types of matrix/ are wrong')
}

const isRight = ({ failures, excess }: Result) => failures.length === 0 && Object.keys(excess).length === 0

/** What is wrong with a result, if anything: what a cell cannot do it must still not do, and say so. */
function complaints({ cell }: Job, result: Result): string[] {
  const { limit } = cell
  if (limit && !result.missing && isRight(result)) return [`works now, though it is said that it cannot: ${limit.reason}`]
  const failures = result.failures.filter(({ error }) => !limit || !error.includes(limit.says))
  return [
    ...failures.map(({ name, error }) => `${name}: ${error}`),
    ...Object.entries(result.excess).map(([name, { counted, expected }]) => `${name} takes ${counted} round trips instead of ${expected}`),
  ]
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { fresh: { type: 'boolean' }, only: { type: 'string' }, ci: { type: 'boolean' }, list: { type: 'boolean' } },
  })
  const pattern = new RegExp(values.only ?? '', 'i')
  const asked = jobs.filter(({ cell, name }) => pattern.test(name) && (!values.ci || cell.ci))
  if (values.list) return asked.forEach(({ name }) => void console.log(name))
  if (asked.length === 0) throw new Error(`no cell matches ${values.only}; --list shows them all`)

  await install()
  if (values.ci) checkTypes()
  const sources = await markSources()
  // What CI runs is not kept: it is a part, and runs anew each time.
  const results: Results = values.ci ? {} : keepKnown(await readResults())
  if (values.fresh) for (const { cell, drizzle } of asked) delete results[idOf(cell)]?.[drizzle]
  const isDone = (job: Job) => {
    const result = results[idOf(job.cell)]?.[job.drizzle]
    return result?.sources === sources && complaints(job, result).length === 0
  }
  const left = asked.filter((job) => !isDone(job))
  if (left.length < asked.length)
    say(`${asked.length - left.length} of ${asked.length} cells have run with these sources; --fresh runs them again`)

  const interrupted = new AbortController()
  const servers = openServers((line) => say(line))
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => interrupted.abort(new Error(`stopped by ${name}`)))

  const failed: string[] = []
  const late: string[] = []
  try {
    for (const [index, job] of left.entries()) {
      interrupted.signal.throwIfAborted()
      if (values.ci && performance.now() - begin > ciTime) {
        late.push(job.name)
        continue
      }
      const start = performance.now()
      const found = await runCell(job.cell, job.drizzle, servers, interrupted.signal).catch((error: Error) => {
        interrupted.signal.throwIfAborted()
        return {
          total: 1,
          passed: 0,
          failures: [{ name: 'the cell does not run', error: error.message }],
          excess: {},
          versions: { runtime: '' },
        }
      })
      const seconds = Math.round((performance.now() - start) / 100) / 10
      const result: Result = { date: new Date().toISOString(), seconds, sources, ...found }
      const wrong = complaints(job, result)
      say(
        `${index + 1} of ${left.length}  ${wrong.length === 0 ? 'ok' : 'FAILED'}  ${job.name}: ${result.missing ? 'no such driver' : `${result.passed}/${result.total}`} (${seconds} s)`,
      )
      for (const line of wrong) console.log(`         ${line}`)
      if (wrong.length > 0) failed.push(job.name)
      results[idOf(job.cell)] = { ...results[idOf(job.cell)], [job.drizzle]: result }
      if (!values.ci) await keep(results)
    }
  } finally {
    await servers.stop()
    await rm(join(here, '.cache'), { recursive: true, force: true })
  }
  if (values.ci) {
    const skipped = cells.filter((cell) => !cell.ci)
    console.log(`\nLeft out here, and run by \`npm run matrix\`:\n${skipped.map((cell) => `  ${idOf(cell)}`).join('\n')}`)
    if (late.length > 0) console.log(`Left out for want of time:\n${late.map((name) => `  ${name}`).join('\n')}`)
  }
  console.log(`\n${left.length - failed.length - late.length} passed, ${failed.length} failed`)
  if (failed.length > 0) throw new Error(`These cells fail:\n${failed.map((name) => `  ${name}`).join('\n')}`)
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
