import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { median } from '../../bench/statistics.js'
import { startServers } from '../../test/support/servers/index.js'
import type { Report } from '../report.js'
import { counted } from '../report.js'
import type { Sizes } from '../sizes.js'
import type { LoadDatabase } from './databases.js'
import { openMysql, openPg, openSqlite } from './databases.js'
import { Histogram } from './histogram.js'
import type { Slice } from './mix.js'
import { residents } from './mix.js'
import type { Task } from './process.js'

const contenders = ['ours', 'hand'] as const
type Contender = (typeof contenders)[number]

/** The share of the time for each contender. The hand-written code is only for comparison. */
const shares: Record<Contender, number> = { ours: 1, hand: 0.5 }

/** Megabytes by which the heap may grow from the beginning to the end of a run. */
const heapTolerance = 2

interface Speed {
  perSecond: number
  p50: number
  p99: number
  errors: number
}

interface EngineResult extends Record<Contender, Speed> {
  version: string
  processes: number
  clients: number
  seconds: number
  /** Megabytes after a garbage collection, during the run, of all processes together. */
  heap: number[]
}

export type LoadResult = Record<string, EngineResult>

function startProcess({ dialect, location }: LoadDatabase): ChildProcess {
  const file = join(import.meta.dirname, 'process.ts')
  return fork(file, [dialect, location], { execArgv: [...process.execArgv, '--expose-gc'], serialization: 'advanced' })
}

function ask<T>(child: ChildProcess, task: Task): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a process under load has ended (${code})`))
    child.once('exit', ended)
    child.once('message', ({ failure, result }: { failure?: string; result: T }) => {
      child.off('exit', ended)
      if (failure) reject(new Error(failure))
      else resolve(result)
    })
    child.send(task)
  })
}

async function measure(database: LoadDatabase, { loadClients, loadSeconds }: Sizes, report: Report): Promise<EngineResult> {
  const children = Array.from({ length: database.processes }, () => startProcess(database))
  const all = <T>(task: Task) => Promise.all(children.map((child) => ask<T>(child, task)))
  const heapNow = async () => (await all<number>({ heap: true })).reduce((sum, one) => sum + one, 0)
  try {
    await ask(children[0] as ChildProcess, { seed: true })
    const clients = loadClients / database.processes
    const slices = Math.min(12, loadSeconds / 2)
    const seconds = loadSeconds / slices
    const times = { ours: new Histogram(), hand: new Histogram() }
    const rates: Record<Contender, number[]> = { ours: [], hand: [] }
    const errors: Record<Contender, string[]> = { ours: [], hand: [] }
    const left = { sessions: residents, tokens: 0 }
    const heap: number[] = []
    // The first slice is the warm-up. The contenders take turns in going first.
    for (let slice = -1; slice < slices; slice++) {
      for (const contender of slice % 2 === 0 ? contenders : contenders.toReversed()) {
        const parts = await all<Slice>({ contender, clients, seconds: slice < 0 ? 2 : seconds * shares[contender] })
        for (const part of parts) {
          errors[contender].push(...part.errors)
          left.sessions += part.left.sessions
          left.tokens += part.left.tokens
          if (slice >= 0) times[contender].merge(part.counts)
        }
        const calls = parts.flatMap(({ counts }) => counts).reduce<number>((sum, count) => sum + (count ?? 0), 0)
        if (slice >= 0) rates[contender].push(calls / (parts[0] as Slice).seconds)
      }
      heap.push(await heapNow())
    }
    const speed = (contender: Contender): Speed => ({
      perSecond: Math.round(median(rates[contender])),
      p50: times[contender].percentile(0.5),
      p99: times[contender].percentile(0.99),
      errors: errors[contender].length,
    })
    const result = {
      ...{ version: database.version, processes: database.processes, clients: loadClients, seconds: loadSeconds },
      ...{ ours: speed('ours'), hand: speed('hand'), heap },
    }
    for (const contender of contenders) {
      const { perSecond, p50, p99 } = result[contender]
      report.say(
        `${contender === 'ours' ? 'adapter     ' : 'hand-written'}  ${perSecond}/s  p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`,
      )
    }
    report.check(`${database.name}: no error in ${times.ours.total} calls`, counted(errors.ours))
    report.check(`${database.name}: no error in ${times.hand.total} calls of the hand-written code`, counted(errors.hand))
    const [early, late] = [median(heap.slice(1, 4)), median(heap.slice(-3))]
    const megabytesKept = ((times.ours.total + times.hand.total) * database.bytesKept) / 2 ** 20
    const flat = `${database.name}: the heap stays flat: ${early.toFixed(1)} MB, then ${late.toFixed(1)} MB`
    report.check(
      megabytesKept > 0 ? `${flat}, of which the driver may keep ${megabytesKept.toFixed(1)} MB` : flat,
      late - early < heapTolerance + megabytesKept,
    )
    const found = { sessions: await database.count('session'), tokens: await database.count('verificationToken') }
    report.check(
      `${database.name}: its tables have the expected rows: ${left.sessions} sessions, ${left.tokens} tokens`,
      found.sessions === left.sessions && found.tokens === left.tokens ? [] : [`${found.sessions} sessions, ${found.tokens} tokens`],
    )
    await all({ close: true })
    return result
  } finally {
    for (const child of children) child.kill()
  }
}

/** Measures the adapter and hand-written code in turn, with many clients in flight. */
export async function load(sizes: Sizes, report: Report): Promise<LoadResult> {
  report.section(`Load: ${sizes.loadClients} clients in flight, 95 reads to 5 writes, ${sizes.loadSeconds} s each`)
  const { urls, stop } = await startServers(['pg', 'mysql'], { log: (line) => report.say(line) })
  const results: LoadResult = {}
  try {
    for (const open of [openSqlite, () => openPg(urls.pg as string), () => openMysql(urls.mysql as string)]) {
      const database = await open()
      try {
        results[database.name] = await measure(database, sizes, report)
      } finally {
        await database.close()
      }
    }
  } finally {
    await stop()
  }
  return results
}
