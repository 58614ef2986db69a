// npm run lab expired [-- --dialects sqlite,pg,mariadb | --batch 200 --pause 100 | --quick]
//
// Measures how long reads take in another process while deleteExpired deletes half of the sessions. Intervals with and without deletion
// alternate, so that other load on the machine affects both.
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeleteExpiredOptions } from 'drizzle-auth-adapter'
import { deleteExpired } from 'drizzle-auth-adapter'
import { connect } from '../../test/support/connections.js'
import type { Product } from '../../test/support/products.js'
import { products, startProduct, titleOf } from '../../test/support/products.js'
import { progress } from '../../test/support/progress.js'
import * as mysql from '../../test/support/schema/mysql.js'
import * as pg from '../../test/support/schema/pg.js'
import * as sqlite from '../../test/support/schema/sqlite.js'
import { median, percentile } from '../../test/support/statistics.js'
import { choose, parseArguments } from '../../test/support/tool.js'
import { createStore } from './contenders/index.js'

const tables = { sqlite, pg, mysql }
const full = { sessions: 2_000_000, seconds: 5, pairs: 10 }
const quick = { sessions: 20_000, seconds: 1, pairs: 2 }

/** The latencies of the reads while something is done, in milliseconds. */
async function latenciesDuring(reader: ChildProcess, work: () => Promise<unknown>): Promise<number[]> {
  const latencies = async () => {
    reader.send('latencies')
    return (await once(reader, 'message'))[0] as number[]
  }
  await latencies()
  await work()
  return latencies()
}

async function measure(product: Product, { sessions, seconds, pairs }: typeof full, options: DeleteExpiredOptions): Promise<void> {
  const { url: serverUrl, dialect, version, stop } = await startProduct(product, progress)
  progress(`${titleOf[product]} ${version}: creating ${sessions.toLocaleString('en')} sessions, half of them expired`)
  const store = await createStore({ dialect, serverUrl }, 'ours', sessions, 'case when n % 2 = 0 then 2030 else 2020 end')
  const { db, close } = await connect[dialect](store.url, { connections: 1 })
  const reader = fork(join(import.meta.dirname, 'reader.ts'), [dialect, store.url, `${sessions}`], { serialization: 'advanced' })
  const quiet: number[][] = []
  const busy: number[][] = []
  let deleted = 0
  let deletedInIntervals = 0
  const sweep = async (options: DeleteExpiredOptions) => {
    const { sessions } = await deleteExpired(db as never, tables[dialect] as typeof pg, options)
    deleted += sessions
    return sessions
  }
  // Between two intervals, rows are deleted as fast as possible and not measured.
  const skipTo = async (target: number) => {
    const skipping = new AbortController()
    const before = deleted
    const onProgress = (now: { deleted: number }) => before + now.deleted >= target && skipping.abort()
    if (deleted < target) await sweep({ batch: 2_000, pause: 0, signal: skipping.signal, onProgress })
    await sleep(2_000)
  }
  await latenciesDuring(reader, () => sleep(3_000))
  for (let pair = 1; pair <= pairs; pair++) {
    quiet.push(await latenciesDuring(reader, () => sleep(seconds * 1_000)))
    const sweepInterval = async () => {
      deletedInIntervals += await sweep({ ...options, signal: AbortSignal.timeout(seconds * 1_000) })
    }
    busy.push(await latenciesDuring(reader, sweepInterval))
    await skipTo(((sessions / 2) * pair) / pairs)
  }
  reader.kill()
  await close()
  await store.drop()
  await stop()
  if (deleted !== sessions / 2) throw new Error(`${deleted} rows were deleted instead of ${sessions / 2}`)

  for (const [name, part] of Object.entries({ p50: 0.5, p99: 0.99 })) {
    const [before, during] = [percentile(quiet.flat(), part), percentile(busy.flat(), part)]
    const ratio = median(busy.map((own, index) => percentile(own, part) / percentile(quiet[index] as number[], part)))
    progress(`${name}: ${before.toFixed(2)} ms before, ${during.toFixed(2)} ms during; median of the pairs ${ratio.toFixed(2)} times`)
  }
  progress(`${Math.round(deletedInIntervals / (seconds * pairs))} rows deleted a second`)
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArguments('npm run lab expired -- [--dialects NAMES] [--batch ROWS] [--pause MILLISECONDS] [--quick]', {
    args,
    options: {
      dialects: { type: 'string', default: 'sqlite,pg,mariadb' },
      batch: { type: 'string' },
      pause: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  const options = { ...(values.batch && { batch: Number(values.batch) }), ...(values.pause && { pause: Number(values.pause) }) }
  for (const product of choose(values.dialects.split(','), products)) await measure(product, values.quick ? quick : full, options)
}
