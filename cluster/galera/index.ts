import { setTimeout as sleep } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { migrationsOf } from '../../test/helpers/migrations.js'
import * as tables from '../../test/schema/mysql.js'
import type { GaleraNode } from '../../test/servers/galera.js'
import { startGalera } from '../../test/servers/galera.js'
import type { Report } from '../report.js'
import { counted } from '../report.js'
import type { Sizes } from '../sizes.js'
import type { Fault, TrafficResult } from '../traffic.js'
import { describeFault, Traffic } from '../traffic.js'
import { hop } from './hops.js'
import type { Open } from './machine.js'
import { database, nodeRows, openMachine } from './machine.js'
import type { SignUpRace, TokenRace } from './races.js'
import { raceForTokens, signUpAtOnce } from './races.js'
import { renewTokens } from './tokens.js'

export interface GaleraResult {
  version: string
  /** As Galera is by default, and as it should be set. */
  tokens: { byDefault: TokenRace; waiting: TokenRace }
  signUps: SignUpRace
  /** Of so many rows that were read or changed on another node at once, how many it did not have yet. */
  stale: { hops: number; byDefault: number; readsOnly: number; waiting: number }
  traffic: TrafficResult & { downSeconds: number }
}

export async function galera(sizes: Sizes, report: Report): Promise<GaleraResult> {
  report.section('Galera: three nodes, adapters on all of them')
  // Every statement of an adapter waits for what other nodes have acknowledged.
  const cluster = await startGalera((line) => report.say(line), ['--wsrep-sync-wait=7'])
  const machines = cluster.nodes.map((node, index) => openMachine(node, `machine ${index + 1}`))
  const careless = cluster.nodes.map((node, index) => openMachine(node, `machine ${index + 1} that does not wait`, 0))
  const halfway = cluster.nodes.map((node, index) => openMachine(node, `machine ${index + 1} that waits to read`, 1))
  try {
    const version = await makeTables(cluster.nodes[0] as GaleraNode)
    const byDefault = await raceForTokens(careless, sizes, report, 'as Galera is by default', machines)
    const waiting = await raceForTokens(machines, sizes, report, 'with wsrep_sync_wait = 7')
    const signUps = await signUpAtOnce(machines, sizes, report)
    const stale = await hop(careless, halfway, machines, sizes, report)
    await renewTokens(cluster.nodes, machines[0] as Open, report)
    const traffic = await killUnderTraffic(cluster.nodes, machines, sizes, report)
    return { version, tokens: { byDefault, waiting }, signUps, stale, traffic }
  } finally {
    await Promise.allSettled([...machines, ...careless, ...halfway].map(({ client }) => client.end()))
    await cluster.stop()
  }
}

async function makeTables({ url }: GaleraNode): Promise<string> {
  const admin = await mysql.createConnection(url)
  await admin.query(`create database ${database} character set utf8mb4`)
  await admin.query(`use ${database}`)
  for (const statement of await migrationsOf('mysql')) await admin.query(statement)
  const [rows] = await admin.query<mysql.RowDataPacket[]>('select version() as version')
  await admin.end()
  return String(rows[0]?.version)
}

async function killUnderTraffic(nodes: readonly GaleraNode[], machines: Open[], { people, trafficSeconds }: Sizes, report: Report) {
  for (const table of Object.values(tables).reverse()) await (machines[0] as Open).db.delete(table)
  const traffic = new Traffic(machines)
  await traffic.prepare()
  const [dead, victim] = [nodes[1] as GaleraNode, machines[1] as Open]
  const moments = [0.25, 0.5, 1].map((part) => performance.now() + part * trafficSeconds * 1000)
  const until = (moment: number) => sleep(Math.max(0, moment - performance.now()))

  const running = traffic.run(people)
  await until(moments[0] as number)
  const killed = performance.now()
  await dead.kill()
  await until(moments[1] as number)
  await dead.rejoin()
  const rejoined = performance.now()
  const callsBefore = traffic.calls
  await until(moments[2] as number)
  traffic.stop()
  await running

  traffic.describe(report)
  // A call that began on the dead node just before it was back may fail just after.
  const excused = (fault: Fault) =>
    fault.machine === victim.name && fault.kind === 'unreachable' && fault.failed >= killed && fault.begun <= rejoined
  const others = traffic.faults.filter((fault) => !excused(fault))
  report.check('only calls on the dead node failed, and as unreachable', counted(others.map(describeFault)))
  report.check('the traffic went on after the node was back', traffic.calls > callsBefore)
  const probes = await Promise.allSettled(Array.from({ length: 50 }, () => victim.adapter.getUser(crypto.randomUUID())))
  report.check(
    'the pool of the dead node works again',
    probes.every(({ status }) => status === 'fulfilled'),
  )
  const all = await nodeRows(machines)
  const found = traffic.compare(report, Object.fromEntries(all.map((rows, index) => [`node ${index + 1}`, rows])))
  return { ...traffic.result(trafficSeconds, found), downSeconds: (rejoined - killed) / 1000 }
}
