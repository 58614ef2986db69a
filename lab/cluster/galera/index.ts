import mysql from 'mysql2/promise'
import { migrationsOf } from '../../../test/support/migrations.js'
import * as tables from '../../../test/support/schema/mysql.js'
import type { GaleraNode } from '../../../test/support/servers/galera.js'
import { startGalera } from '../../../test/support/servers/galera.js'
import type { Report } from '../report.js'
import type { Sizes } from '../sizes.js'
import { Traffic } from '../traffic.js'
import { countStaleHops } from './hops.js'
import type { OpenMachine } from './machine.js'
import { database, nodeRows, openMachine } from './machine.js'
import { raceForSignUps, raceForTokens } from './races.js'

export async function galera(sizes: Sizes, report: Report) {
  report.section('Galera: three nodes, adapters on all of them')
  // With 7, every statement waits until the node has applied what the other nodes have acknowledged.
  const cluster = await startGalera(report.say, ['--wsrep-sync-wait=7'])
  const machines = cluster.nodes.map((node, index) => openMachine(node, `machine ${index + 1}`))
  const withoutWait = cluster.nodes.map((node, index) => openMachine(node, `machine ${index + 1} without wsrep_sync_wait`, 0))
  const withReadWait = cluster.nodes.map((node, index) => openMachine(node, `machine ${index + 1} with wsrep_sync_wait = 1`, 1))
  try {
    const version = await createTables(cluster.nodes[0] as GaleraNode)
    const byDefault = await raceForTokens(withoutWait, sizes, report, 'with Galera’s default settings', machines)
    const waiting = await raceForTokens(machines, sizes, report, 'with wsrep_sync_wait = 7')
    const signUps = await raceForSignUps(machines, sizes, report)
    const stale = await countStaleHops(withoutWait, withReadWait, machines, sizes, report)
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
  let [killed, rejoined, callsBefore] = [0, 0, 0]
  await traffic.run(people, trafficSeconds, async (until) => {
    await until(0.25)
    killed = performance.now()
    await dead.kill()
    await until(0.5)
    await dead.rejoin()
    rejoined = performance.now()
    callsBefore = traffic.calls
  })

  // A call that began on the dead node just before it rejoined may still fail just after.
  traffic.describe(
    report,
    'only calls on the dead node failed, and with unreachable',
    ({ machine, kind, begun, failed }) => machine === victim.name && kind === 'unreachable' && failed >= killed && begun <= rejoined,
  )
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
