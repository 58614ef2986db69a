import { setTimeout as sleep } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { migrationsOf } from '../../test/support/migrations.js'
import * as tables from '../../test/support/schema/mysql.js'
import type { GaleraNode } from '../../test/support/servers/galera.js'
import { startGalera } from '../../test/support/servers/galera.js'
import type { Report } from '../report.js'
import { counted } from '../report.js'
import type { Sizes } from '../sizes.js'
import type { Fault, TrafficResult } from '../traffic.js'
import { describeFault, Traffic } from '../traffic.js'
import { countStaleHops } from './hops.js'
import type { OpenMachine } from './machine.js'
import { database, nodeRows, openMachine } from './machine.js'
import type { SignUpRace, TokenRace } from './races.js'
import { raceForSignUps, raceForTokens } from './races.js'
import { refreshTokens } from './tokens.js'

export interface GaleraResult {
  version: string
  /** With Galera's default settings, and with wsrep_sync_wait = 7. */
  tokens: { byDefault: TokenRace; waiting: TokenRace }
  signUps: SignUpRace
  /** How many of the hops to another node found it behind, with three values of wsrep_sync_wait. */
  stale: { hops: number; byDefault: number; readsOnly: number; waiting: number }
  traffic: TrafficResult & { downSeconds: number }
}

export async function galera(sizes: Sizes, report: Report): Promise<GaleraResult> {
  report.section('Galera: three nodes, adapters on all of them')
  // With 7, every statement waits until the node has applied what the other nodes have acknowledged.
  const cluster = await startGalera((line) => report.say(line), ['--wsrep-sync-wait=7'])
  const machines = cluster.nodes.map((node, index) => openMachine(node, `machine ${index + 1}`))
  const withoutWait = cluster.nodes.map((node, index) => openMachine(node, `machine ${index + 1} without wsrep_sync_wait`, 0))
  const withReadWait = cluster.nodes.map((node, index) => openMachine(node, `machine ${index + 1} with wsrep_sync_wait = 1`, 1))
  try {
    const version = await createTables(cluster.nodes[0] as GaleraNode)
    const byDefault = await raceForTokens(withoutWait, sizes, report, 'with Galera’s default settings', machines)
    const waiting = await raceForTokens(machines, sizes, report, 'with wsrep_sync_wait = 7')
    const signUps = await raceForSignUps(machines, sizes, report)
    const stale = await countStaleHops(withoutWait, withReadWait, machines, sizes, report)
    await refreshTokens(cluster.nodes, machines[0] as OpenMachine, report)
    const traffic = await killUnderTraffic(cluster.nodes, machines, sizes, report)
    return { version, tokens: { byDefault, waiting }, signUps, stale, traffic }
  } finally {
    await Promise.allSettled([...machines, ...withoutWait, ...withReadWait].map(({ client }) => client.end()))
    await cluster.stop()
  }
}

async function createTables({ url }: GaleraNode): Promise<string> {
  const admin = await mysql.createConnection(url)
  await admin.query(`create database ${database} character set utf8mb4`)
  await admin.query(`use ${database}`)
  for (const statement of await migrationsOf('mysql')) await admin.query(statement)
  const [rows] = await admin.query<mysql.RowDataPacket[]>('select version() as version')
  await admin.end()
  return String(rows[0]?.version)
}

async function killUnderTraffic(nodes: readonly GaleraNode[], machines: OpenMachine[], { people, trafficSeconds }: Sizes, report: Report) {
  for (const table of Object.values(tables).reverse()) await (machines[0] as OpenMachine).db.delete(table)
  const traffic = new Traffic(machines)
  await traffic.setUp()
  const [dead, victim] = [nodes[1] as GaleraNode, machines[1] as OpenMachine]
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
  // A call that began on the dead node just before it rejoined may still fail just after.
  const isExpected = (fault: Fault) =>
    fault.machine === victim.name && fault.kind === 'unreachable' && fault.failed >= killed && fault.begun <= rejoined
  const others = traffic.faults.filter((fault) => !isExpected(fault))
  report.check('only calls on the dead node failed, and with unreachable', counted(others.map(describeFault)))
  report.check('the traffic continued after the node had rejoined', traffic.calls > callsBefore)
  const probes = await Promise.allSettled(Array.from({ length: 50 }, () => victim.adapter.getUser(crypto.randomUUID())))
  report.check(
    'the pool of the dead node works again',
    probes.every(({ status }) => status === 'fulfilled'),
  )
  const all = await nodeRows(machines)
  const found = traffic.compare(report, Object.fromEntries(all.map((rows, index) => [`node ${index + 1}`, rows])))
  return { ...traffic.result(trafficSeconds, found), downSeconds: (rejoined - killed) / 1000 }
}
