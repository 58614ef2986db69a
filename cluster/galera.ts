import { setTimeout as sleep } from 'node:timers/promises'
import { AdapterOperationError, DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'
import { migrationsOf } from '../test/migrations.js'
import * as tables from '../test/schema/mysql.js'
import type { GaleraNode } from '../test/servers/galera.js'
import { startGalera } from '../test/servers/galera.js'
import { inDays, someAccount, someSession, someToken, someUser } from './people.js'
import type { Report } from './report.js'
import { counted } from './report.js'
import { rowsOf } from './rows.js'
import type { Sizes } from './sizes.js'
import type { TrafficResult } from './traffic.js'
import { describeFault, Traffic } from './traffic.js'

const database = 'auth'

/** An application server beside one node: an adapter on a pool of its own. */
function openMachine(node: GaleraNode, name: string, syncWait?: number) {
  const client = mysql.createPool({ uri: `${node.url}/${database}`, connectionLimit: 20 })
  if (syncWait !== undefined) client.on('connection', (connection) => void connection.query(`set wsrep_sync_wait = ${syncWait}`))
  const db = drizzle({ client })
  return { name, client, db, adapter: DrizzleAdapter(db, tables) }
}

type Open = ReturnType<typeof openMachine>

interface TokenRace {
  tokens: number
  asks: number
  winners: number
  errors: number
}

export interface GaleraResult {
  version: string
  /** As Galera is by default, and as it should be set. */
  tokens: { byDefault: TokenRace; waiting: TokenRace }
  signUps: { emails: number; asks: number; users: number; duplicates: number; errors: number }
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
    const byDefault = await raceForTokens(careless, sizes, report, 'as Galera is by default')
    const waiting = await raceForTokens(machines, sizes, report, 'with wsrep_sync_wait = 7')
    const signUps = await signUpAtOnce(machines, sizes, report)
    const stale = await hop(careless, halfway, machines, sizes, report)
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

/** All rows of every node. */
const nodeRows = (machines: Open[]) => Promise.all(machines.map(({ db }) => rowsOf(db, tables)))

async function raceForTokens(machines: Open[], { tokens, asks }: Sizes, report: Report, setting: string) {
  const wrong: string[] = []
  const errors: string[] = []
  let winners = 0
  for (let round = 0; round < tokens; round++) {
    const token = someToken()
    await machineOf(machines, round).adapter.createVerificationToken(token)
    const asking = Array.from({ length: asks }, (_, ask) => machineOf(machines, ask).adapter.useVerificationToken(token))
    const answers = await Promise.allSettled(asking)
    const given = answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length
    for (const answer of answers) if (answer.status === 'rejected') errors.push(String(answer.reason))
    winners += given
    if (given !== 1) wrong.push(`token ${round} had ${given} winners`)
  }
  report.check(`${setting}, ${tokens} tokens, each asked for ${asks} times at once across the nodes: ${winners} winners`, wrong)
  report.check('no error reached a caller', counted(errors))
  const left = (await nodeRows(machines)).map((rows) => rows.size)
  report.check('no token is left on any node', left.every((size) => size === 0) || [`rows on the nodes: ${left}`])
  return { tokens, asks, winners, errors: errors.length }
}

async function signUpAtOnce(machines: Open[], { emails }: Sizes, report: Report) {
  const asks = machines.length * 4
  const wrong: string[] = []
  const errors: string[] = []
  const created: string[] = []
  let duplicates = 0
  for (let round = 0; round < emails; round++) {
    const { email } = someUser()
    const answers = await Promise.allSettled(
      Array.from({ length: asks }, (_, ask) => machineOf(machines, ask).adapter.createUser(someUser(email))),
    )
    let users = 0
    for (const answer of answers) {
      if (answer.status === 'fulfilled') {
        users++
        created.push(answer.value.id)
      } else if (answer.reason instanceof AdapterOperationError && answer.reason.kind === 'duplicate') duplicates++
      else errors.push(String(answer.reason))
    }
    if (users !== 1) wrong.push(`email ${round} has ${users} users`)
  }
  report.check(`${emails} emails, each signed up ${asks} times at once across the nodes: ${created.length} users`, wrong)
  report.check(`the others are told that it is a duplicate: ${duplicates}`, counted(errors))
  const expected = created.map((id) => `user ${id}`).sort()
  const all = await nodeRows(machines)
  report.check(
    'every node has these users and no others',
    all.flatMap((rows, node) => ([...rows.keys()].sort().join() === expected.join() ? [] : [`node ${node + 1} has ${rows.size} rows`])),
  )
  for (const id of created) await machineOf(machines, 0).adapter.deleteUser(id)
  return { emails, asks, users: created.length, duplicates, errors: errors.length }
}

/** Rows that are written on one node and at once read, changed and referred to on the next. */
async function hop(careless: Open[], halfway: Open[], machines: Open[], { hops }: Sizes, report: Report) {
  const byDefault = await staleHops(careless, hops)
  report.say(
    `as Galera is by default: ${byDefault.length} of ${hops} people were too early on the next node: ${counted(byDefault).join(', ')}`,
  )
  const readsOnly = await staleHops(halfway, hops)
  report.say(`with wsrep_sync_wait = 1: ${readsOnly.length}: ${counted(readsOnly).join(', ')}`)
  const waiting = await staleHops(machines, hops)
  report.check(`with wsrep_sync_wait = 7: ${waiting.length}`, counted(waiting))
  return { hops, byDefault: byDefault.length, readsOnly: readsOnly.length, waiting: waiting.length }
}

async function staleHops(machines: Open[], hops: number): Promise<string[]> {
  const stale: string[] = []
  const lane = async (lane: number) => {
    for (let hop = lane; hop < hops; hop += 6) {
      const [one, next, last] = [0, 1, 2].map((step) => machineOf(machines, hop + step).adapter) as [Adapter, Adapter, Adapter]
      const user = await one.createUser(someUser())
      const session = someSession(user.id)
      try {
        await next.createSession(session)
        const expires = inDays(31)
        const updated = await last.updateSession({ sessionToken: session.sessionToken, expires })
        if (updated?.expires.getTime() !== expires.getTime()) stale.push('an update missed its row')
        await one.linkAccount(someAccount(user.id))
        await next.deleteSession(session.sessionToken)
        if (await last.getSessionAndUser(session.sessionToken)) stale.push('a deleted session was seen')
      } catch (error) {
        if (!(error instanceof AdapterOperationError) || error.kind !== 'unknown-user') throw error
        stale.push('a user was not there yet')
      }
      await sleep(1)
      await one.deleteUser(user.id)
    }
  }
  await Promise.all(Array.from({ length: 6 }, (_, index) => lane(index)))
  return stale
}

type Adapter = Open['adapter']

async function killUnderTraffic(nodes: readonly GaleraNode[], machines: Open[], { people, trafficSeconds }: Sizes, report: Report) {
  for (const { db } of machines.slice(0, 1)) for (const table of Object.values(tables).reverse()) await db.delete(table)
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
  const excused = (fault: (typeof traffic.faults)[number]) =>
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

const machineOf = (machines: Open[], index: number) => machines[index % machines.length] as Open
