// npm run bench:expired [-- --dialects sqlite,pg,mariadb | --sessions 2000000 | --batch 200 --pause 100]
//
// Measures how long reads take in another process while deleteExpired deletes half of the sessions. Intervals with and without deletion
// alternate, so that other load on the machine affects both.
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import type { DeletedExpired, DeleteExpiredOptions } from 'drizzle-auth-adapter'
import { deleteExpired } from 'drizzle-auth-adapter'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import * as mysqlTables from '../test/support/schema/mysql.js'
import * as pgTables from '../test/support/schema/pg.js'
import * as sqliteTables from '../test/support/schema/sqlite.js'
import { cleanUp, cleanUpOnSignals, onExit } from './cleanup.js'
import { prepareStore } from './contenders/index.js'
import type { DatabaseName, DialectName } from './databases.js'
import { databaseNames, databaseTitles, dialectOf } from './databases.js'
import { print, progress } from './progress.js'
import { median, percentile } from './statistics.js'
import { openServer } from './stores.js'

interface Sweeper {
  sweep(options: DeleteExpiredOptions): Promise<DeletedExpired>
  close(): unknown
}

const connect: Record<DialectName, (location: string) => Sweeper> = {
  sqlite(location) {
    const client = new Database(location)
    return { sweep: (options) => deleteExpired(drizzleSqlite({ client }), sqliteTables, options), close: () => client.close() }
  },
  pg(location) {
    const client = postgres(location, { max: 1 })
    return { sweep: (options) => deleteExpired(drizzlePg({ client }), pgTables, options), close: () => client.end() }
  },
  mysql(location) {
    const client = mysql.createPool({ uri: location, connectionLimit: 1 })
    return { sweep: (options) => deleteExpired(drizzleMysql({ client }), mysqlTables, options), close: () => client.end() }
  },
}

interface Sizes {
  sessions: number
  /** The length of an interval. */
  seconds: number
  /** The number of pairs of intervals, without and with deletion, spread evenly over all rows that are deleted. */
  pairs: number
}

/** The latencies of the reads in one interval, in milliseconds. */
interface Interval {
  p50: number
  p99: number
  latencies: number[]
}

async function latenciesOf(reader: ChildProcess): Promise<number[]> {
  reader.send('latencies')
  const [latencies] = await once(reader, 'message')
  return latencies as number[]
}

async function measureDuring(reader: ChildProcess, work: () => Promise<unknown>): Promise<Interval> {
  await latenciesOf(reader)
  await work()
  const latencies = await latenciesOf(reader)
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), latencies }
}

async function measure(database: DatabaseName, { sessions, seconds, pairs }: Sizes, options: DeleteExpiredOptions): Promise<void> {
  const server = await openServer[database]()
  progress(database, `creating ${sessions.toLocaleString('en')} sessions, half of them expired`)
  const store = await prepareStore(server, database, 'ours', sessions, 'case when n % 2 = 1 then 2020 else 2030 end')
  const sweeper = connect[dialectOf[database]](store.location)
  const close = onExit(() => sweeper.close())
  const reader = fork(join(import.meta.dirname, 'reader.ts'), [database, store.location, `${sessions}`], { serialization: 'advanced' })
  const stop = onExit(() => reader.kill())
  await latenciesOf(reader)
  await sleep(3_000)

  const quiet: Interval[] = []
  const busy: Interval[] = []
  let deleted = 0
  let deletedInIntervals = 0
  const sweep = async (options: DeleteExpiredOptions) => {
    const { sessions } = await sweeper.sweep(options)
    deleted += sessions
    return sessions
  }
  for (let pair = 1; pair <= pairs; pair++) {
    quiet.push(await measureDuring(reader, () => sleep(seconds * 1_000)))
    busy.push(
      await measureDuring(reader, async () => {
        deletedInIntervals += await sweep({ ...options, signal: AbortSignal.timeout(seconds * 1_000) })
      }),
    )
    progress(database, `p99 ${lastP99(quiet, -1)} before, ${lastP99(busy, -1)} during; ${deleted.toLocaleString('en')} deleted`)
    await skipTo(((sessions / 2) * pair) / pairs)
  }

  // Between two intervals, rows are deleted as fast as possible and not measured.
  async function skipTo(target: number): Promise<void> {
    const skipping = new AbortController()
    const deletedBefore = deleted
    const onProgress = ({ deleted }: { deleted: number }) => deletedBefore + deleted >= target && skipping.abort()
    if (deleted < target) await sweep({ batch: 2_000, pause: 0, signal: skipping.signal, onProgress })
    await sleep(2_000)
  }

  await stop()
  await close()
  await server.close()
  if (deleted !== sessions / 2) throw new Error(`${deleted} rows were deleted instead of ${sessions / 2}`)

  const all = (intervals: Interval[], part: number) =>
    percentile(
      intervals.flatMap(({ latencies }) => latencies),
      part,
    )
  const row = (name: string, part: number) => {
    const [before, meanwhile] = [all(quiet, part), all(busy, part)]
    return `${name}: ${before.toFixed(2)} ms before, ${meanwhile.toFixed(2)} ms during, ${(meanwhile / before).toFixed(2)} times`
  }
  const ratio = median(busy.map(({ p99 }, index) => p99 / (quiet[index] as Interval).p99))
  const rate = Math.round(deletedInIntervals / (seconds * busy.length))
  progress(database, row('p50', 0.5))
  progress(database, `${row('p99', 0.99)}; median of ${busy.length} pairs ${ratio.toFixed(2)} times`)
  progress(database, `${server.version}: ${rate} rows deleted a second`)
}

const lastP99 = (intervals: Interval[], index: number) => `${intervals.at(index)?.p99.toFixed(2)} ms`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      dialects: { type: 'string', default: 'sqlite,pg,mariadb' },
      sessions: { type: 'string', default: '2000000' },
      seconds: { type: 'string', default: '5' },
      pairs: { type: 'string', default: '10' },
      batch: { type: 'string' },
      pause: { type: 'string' },
    },
  })
  const options = {
    ...(values.batch && { batch: Number(values.batch) }),
    ...(values.pause && { pause: Number(values.pause) }),
  }
  for (const name of values.dialects.split(',')) {
    const database = databaseNames.find((known) => known === name)
    if (!database) throw new Error(`--dialects must name some of ${databaseNames.join(', ')}, not '${name}'`)
    print(`${databaseTitles[database]}, ${JSON.stringify(options)}`)
    const sizes = { sessions: Number(values.sessions), seconds: Number(values.seconds), pairs: Number(values.pairs) }
    await measure(database, sizes, options)
  }
}

cleanUpOnSignals()
main()
  .catch((error) => {
    print(error.stack ?? String(error))
    process.exitCode = 1
  })
  .finally(cleanUp)
