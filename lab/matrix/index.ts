// npm run lab matrix -- [--fresh] [--only PATTERN] [--ci]
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run as runProgram } from '../../test/support/process.js'
import { progress } from '../../test/support/progress.js'
import { root } from '../../test/support/root.js'
import { parseArguments } from '../../test/support/tool.js'
import { writePages } from '../pages/index.js'
import { readResults, writeResults } from '../results.js'
import { cache } from './bundle.js'
import type { Cell, Drizzle } from './cell.js'
import { drizzles, idOf } from './cell.js'
import { cells } from './cells/index.js'
import type { Result, Results } from './results.js'
import { hashSources, problemsOf } from './results.js'
import { runCell } from './run.js'
import { openServers } from './servers.js'

interface Job {
  cell: Cell
  drizzle: Drizzle
  name: string
}

const versions = Object.keys(drizzles) as Drizzle[]
const jobs: Job[] = cells.flatMap((cell) => versions.map((drizzle) => ({ cell, drizzle, name: `${idOf(cell)}, drizzle-orm ${drizzle}` })))

async function runJob({ cell, drizzle }: Job, servers: ReturnType<typeof openServers>): Promise<Omit<Result, 'sources'>> {
  const start = performance.now()
  const result = await runCell(cell, drizzle, servers).catch((error: Error) => {
    const failures = [{ name: 'the cell does not run', error: error.message }]
    return { total: 1, passed: 0, failures, versions: { runtime: '' } }
  })
  return { date: new Date().toISOString(), seconds: Math.round((performance.now() - start) / 100) / 10, ...result }
}

/** Runs cells one after another, with the servers that they need. Fails at the end if a cell fails. */
async function runJobs(list: Job[], onResult?: (job: Job, result: Omit<Result, 'sources'>) => Promise<void>): Promise<void> {
  const servers = openServers(progress)
  const failed: string[] = []
  try {
    for (const [index, job] of list.entries()) {
      const result = await runJob(job, servers)
      const problems = problemsOf(result)
      const count = result.missing ? 'no such driver' : `${result.passed}/${result.total}`
      progress(`${index + 1} of ${list.length}  ${problems.length === 0 ? 'ok' : 'FAILED'}  ${job.name}: ${count} (${result.seconds} s)`)
      for (const line of problems) console.log(`         ${line}`)
      if (problems.length > 0) failed.push(job.name)
      await onResult?.(job, result)
    }
  } finally {
    await servers.stop()
    await rm(cache, { recursive: true, force: true })
  }
  console.log(`\n${list.length - failed.length} passed, ${failed.length} failed`)
  if (failed.length > 0) throw new Error(['These cells fail:', ...failed].join('\n  '))
}

/** Runs cells that have not run with these sources, and records the results. */
async function record(requested: Job[], fresh: boolean): Promise<void> {
  const sources = await hashSources()
  const recorded = await readResults<Results>('matrix')
  const results: Results = Object.fromEntries(cells.map((cell) => [idOf(cell), recorded[idOf(cell)] ?? {}]))
  const remaining = requested.filter(({ cell, drizzle }) => {
    const result = results[idOf(cell)]?.[drizzle]
    return fresh || result?.sources !== sources || problemsOf(result).length > 0
  })
  if (remaining.length < requested.length)
    progress(`${requested.length - remaining.length} of ${requested.length} cells have run with these sources; --fresh runs them again`)
  await runJobs(remaining, async ({ cell, drizzle }, result) => {
    results[idOf(cell)] = { ...results[idOf(cell)], [drizzle]: { ...result, sources } }
    await writeResults('matrix', results)
  }).finally(writePages)
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArguments('npm run lab matrix -- [--fresh] [--only PATTERN] [--ci]', {
    args,
    options: { fresh: { type: 'boolean', default: false }, only: { type: 'string', default: '' }, ci: { type: 'boolean' } },
  })
  await runProgram(process.execPath, [join(import.meta.dirname, 'install.mjs')], { seconds: 1_200 })
  const pattern = new RegExp(values.only, 'i')
  const requested = jobs.filter(({ cell, drizzle, name }) => pattern.test(name) && (!values.ci || cell.ci === drizzle))
  if (requested.length === 0)
    throw new Error([`no cell matches ${values.only}. The cells are:`, ...jobs.map(({ name }) => name)].join('\n  '))
  if (!values.ci) return record(requested, values.fresh)
  // The drivers are not part of the project's own type check, because their packages are installed only in lab/matrix.
  progress('checking the types of the drivers')
  await runProgram(join(root, 'node_modules/.bin/tsc'), ['-p', import.meta.dirname])
  return runJobs(requested)
}
