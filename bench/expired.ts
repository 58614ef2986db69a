// npm run bench:expired [-- --dialects sqlite,pg,mariadb | --sessions 2000000 | --batch 200 --pause 100]
//
// Deletes half of the sessions of a table, the expired ones, while another process reads the live ones: how long do the reads take?
// Stretches with and without deleting take turns, so that what else runs on the machine meets both alike.
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
import * as mysqlTables from '../test/schema/mysql.js'
import * as pgTables from '../test/schema/pg.js'
import * as sqliteTables from '../test/schema/sqlite.js'
import { atEnd, cleanUp, cleanUpOnSignals } from './cleanup.js'
import { prepareStore } from './contenders/index.js'
import type { DatabaseName, DialectName } from './databases.js'
import { databaseNames, databaseTitles, dialectOf } from './databases.js'
import { progress, say } from './progress.js'
import { median, percentile } from './statistics.js'
import { openSite } from './stores.js'

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
  /** How long a stretch is. */
  seconds: number
  /** How many stretches with and without deleting, spread evenly over all that is to be deleted. */
  pairs: number
}

/** What one stretch of the reads took, in milliseconds. */
interface Stretch {
  p50: number
  p99: number
  latencies: number[]
}

async function latenciesOf(reader: ChildProcess): Promise<number[]> {
  reader.send('latencies')
  const [latencies] = await once(reader, 'message')
  return latencies as number[]
}

async function during(reader: ChildProcess, work: () => Promise<unknown>): Promise<Stretch> {
  await latenciesOf(reader)
  await work()
  const latencies = await latenciesOf(reader)
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), latencies }
}

async function measure(database: DatabaseName, { sessions, seconds, pairs }: Sizes, options: DeleteExpiredOptions): Promise<void> {
  const site = await openSite[database]()
  progress(database, `filling in ${sessions.toLocaleString('en')} sessions, half of them expired`)
  const store = await prepareStore(site, database, 'ours', sessions, 'case when n % 2 = 1 then 2020 else 2030 end')
  const sweeper = connect[dialectOf[database]](store.location)
  const close = atEnd(() => sweeper.close())
  const reader = fork(join(import.meta.dirname, 'reader.ts'), [database, store.location, `${sessions}`], { serialization: 'advanced' })
  const stop = atEnd(() => reader.kill())
  await latenciesOf(reader)
  await sleep(3_000)

  const quiet: Stretch[] = []
  const busy: Stretch[] = []
  let deleted = 0
  let measured = 0
  const sweep = async (options: DeleteExpiredOptions) => {
    const { sessions } = await sweeper.sweep(options)
    deleted += sessions
    return sessions
  }
  for (let pair = 1; pair <= pairs; pair++) {
    quiet.push(await during(reader, () => sleep(seconds * 1_000)))
    busy.push(
      await during(reader, async () => {
        measured += await sweep({ ...options, signal: AbortSignal.timeout(seconds * 1_000) })
      }),
    )
    progress(database, `p99 ${at(quiet, -1)} before, ${at(busy, -1)} during; ${deleted.toLocaleString('en')} deleted`)
    await skipTo(((sessions / 2) * pair) / pairs)
  }

  // What lies between two measured stretches is deleted as fast as it goes.
  async function skipTo(target: number): Promise<void> {
    const skipping = new AbortController()
    const begun = deleted
    const onProgress = ({ deleted }: { deleted: number }) => begun + deleted >= target && skipping.abort()
    if (deleted < target) await sweep({ batch: 2_000, pause: 0, signal: skipping.signal, onProgress })
    await sleep(2_000)
  }

  await stop()
  await close()
  await site.close()
  if (deleted !== sessions / 2) throw new Error(`${deleted} rows were deleted in place of ${sessions / 2}`)

  const all = (stretches: Stretch[], part: number) =>
    percentile(
      stretches.flatMap(({ latencies }) => latencies),
      part,
    )
  const row = (name: string, part: number) => {
    const [before, meanwhile] = [all(quiet, part), all(busy, part)]
    return `${name}: ${before.toFixed(2)} ms before, ${meanwhile.toFixed(2)} ms during, ${(meanwhile / before).toFixed(2)} times`
  }
  const ratio = median(busy.map(({ p99 }, index) => p99 / (quiet[index] as Stretch).p99))
  const rate = Math.round(measured / (seconds * busy.length))
  progress(database, row('p50', 0.5))
  progress(database, `${row('p99', 0.99)}; median of ${busy.length} pairs ${ratio.toFixed(2)} times`)
  progress(database, `${site.version}: ${rate} rows deleted a second`)
}

const at = (stretches: Stretch[], index: number) => `${stretches.at(index)?.p99.toFixed(2)} ms`

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
    say(`${databaseTitles[database]}, ${JSON.stringify(options)}`)
    const sizes = { sessions: Number(values.sessions), seconds: Number(values.seconds), pairs: Number(values.pairs) }
    await measure(database, sizes, options)
  }
}

cleanUpOnSignals()
main()
  .catch((error) => {
    say(error.stack ?? String(error))
    process.exitCode = 1
  })
  .finally(cleanUp)
