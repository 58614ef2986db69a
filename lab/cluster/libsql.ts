import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AdapterOperationError, DrizzleAdapter } from 'drizzle-auth-adapter'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import { withReplicas } from 'drizzle-orm/sqlite-core'
import type { SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy'
import { migrationsOf } from '../../test/support/migrations.js'
import { newPerson } from '../../test/support/operations.js'
import { root } from '../../test/support/root.js'
import * as tables from '../../test/support/schema/sqlite.js'
import type { Sqld } from '../../test/support/servers/sqld.js'
import { startSqld } from '../../test/support/servers/sqld.js'
import { sqldProgram } from '../matrix/servers.js'
import { runContract } from './contract.js'
import type { Report } from './report.js'
import { rowsOf, tokenRow, tokenState } from './rows.js'
import type { Sizes } from './sizes.js'
import { Traffic } from './traffic.js'

/** The part of Drizzle's libSQL database that is used here. The driver is installed in lab/matrix only, so its type is missing. */
type Database = SqliteRemoteDatabase & {
  $client: { execute(statement: string): Promise<{ rows: Record<string, unknown>[] }>; close(): void }
}

/** Opens a database with the driver of lab/matrix. `drizzle-orm/libsql` itself would import a driver beside it, which there is not. */
async function openDatabase(url: string): Promise<Database> {
  const { createClient } = createRequire(join(root, 'lab/matrix/package.json'))('@libsql/client')
  const { construct } = (await import('drizzle-orm/libsql/driver-core')) as unknown as { construct(client: unknown): Database }
  return construct(createClient({ url, fetch: fetchWithTimeout }))
}

/** A fetch with a timeout, because libSQL's client would wait forever for a server that does not answer. */
const fetchWithTimeout: typeof fetch = (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(5_000) })

export async function libsql(sizes: Sizes, report: Report) {
  report.section('libSQL: a primary and a replica')
  const servers = await startSqld(await sqldProgram(), report.say)
  const [primary, replica] = [await openDatabase(servers.primary.url), await openDatabase(servers.replica.url)]
  try {
    for (const statement of await migrationsOf('sqlite')) await primary.$client.execute(statement)
    await waitForReplica(primary, replica)
    const version = String((await primary.$client.execute('select sqlite_version() as version')).rows[0]?.version)
    const contract = await checkContract(primary, replica, report)
    const stale = await countStale(primary, replica, sizes, report)
    const { withoutPrimary, traffic } = await killUnderTraffic(servers, primary, replica, sizes, report)
    return { version, contract, stale, withoutPrimary, traffic }
  } finally {
    primary.$client.close()
    replica.$client.close()
    await servers.stop()
  }
}

const adapterOn = (primary: Database, replica: Database) => DrizzleAdapter(withReplicas(primary, [replica]), tables)

/** Waits until the replica has the same rows as the primary. Returns false if it does not in ten seconds. */
async function waitForReplica(primary: Database, replica: Database): Promise<boolean> {
  const text = async (db: Database) => JSON.stringify([...(await rowsOf(db, tables))].sort())
  for (let wait = 0; wait < 100; wait++) {
    if ((await text(primary)) === (await text(replica).catch(() => ''))) return true
    await sleep(100)
  }
  return false
}

async function checkContract(primary: Database, replica: Database, report: Report) {
  const adapter = adapterOn(primary, replica)
  const problems = (await runContract(adapterContract, () => adapter)).map(({ reason }) => reason)
  report.check(`the contract's ${adapterContract.length} cases, with withReplicas(primary, [replica])`, problems)
  report.check('the replica has all rows that the primary has', await waitForReplica(primary, replica))
  const throughReplicaOnly = DrizzleAdapter(replica, tables)
  const throughReplica = adapterContract.length - (await runContract(adapterContract, () => throughReplicaOnly)).length
  report.say(`through the replica only, which answers reads itself, ${throughReplica} of ${adapterContract.length} cases pass`)
  return { cases: adapterContract.length, passed: adapterContract.length - problems.length, throughReplica }
}

async function countStale(primary: Database, replica: Database, { hops }: Sizes, report: Report) {
  const [adapter, other, throughReplicaOnly] = [adapterOn(primary, replica), adapterOn(primary, replica), DrizzleAdapter(replica, tables)]
  const { user } = newPerson()
  await adapter.createUser(user)
  const seen = { adapter: 0, throughReplica: 0 }
  for (let round = 0; round < hops; round++) {
    const session = { ...newPerson().session, userId: user.id }
    await adapter.createSession(session)
    await adapter.deleteSession(session.sessionToken)
    if (await throughReplicaOnly.getSessionAndUser(session.sessionToken)) seen.throughReplica++
    if (await other.getSessionAndUser(session.sessionToken)) seen.adapter++
  }
  report.say(`${hops} sessions deleted and read immediately: the replica still returned ${seen.throughReplica}`)
  report.check(`an adapter with withReplicas returned ${seen.adapter}`, seen.adapter === 0)
  return { reads: hops, ...seen }
}

const outcomeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'works',
    (error) => (error instanceof AdapterOperationError ? error.kind : String(error)),
  )

async function killUnderTraffic(servers: Sqld, primary: Database, replica: Database, { people, trafficSeconds }: Sizes, report: Report) {
  for (const table of Object.values(tables).reverse()) await primary.delete(table)
  const machines = [1, 2].map((number) => ({ name: `machine ${number}`, adapter: adapterOn(primary, replica) }))
  const traffic = new Traffic(machines)
  await traffic.setUp()
  await waitForReplica(primary, replica)
  const seconds = trafficSeconds / 2
  let [killed, back] = [0, 0]
  let withoutPrimary = { adapter: '', readOnReplica: '', writeOnReplica: '' }
  await traffic.run(people, seconds, async (until) => {
    await until(1 / 4)
    killed = performance.now()
    await servers.primary.kill()
    const throughReplicaOnly = DrizzleAdapter(replica, tables, { retry: false })
    const { token } = newPerson()
    traffic.ledger.doubt(tokenRow(token), tokenState(token))
    const [adapter, readOnReplica, writeOnReplica] = await Promise.all([
      outcomeOf(machines[0]?.adapter.getUser(crypto.randomUUID()) as Promise<unknown>),
      outcomeOf(throughReplicaOnly.getUser(crypto.randomUUID())),
      outcomeOf(throughReplicaOnly.createVerificationToken(token)),
    ])
    withoutPrimary = { adapter, readOnReplica, writeOnReplica }
    report.say(`without the primary: the adapter ${adapter}, a read on the replica ${readOnReplica}, a write there ${writeOnReplica}`)
    report.check('without the primary, the adapter fails with unreachable', adapter === 'unreachable')
    await servers.primary.start()
    back = performance.now()
  })

  traffic.describe(
    report,
    'only calls while the primary was down failed, and with unreachable',
    ({ kind, begun, failed }) => kind === 'unreachable' && failed >= killed && begun <= back,
  )
  report.check('the replica follows the primary again', await waitForReplica(primary, replica))
  const found = traffic.compare(report, {
    'the primary': await rowsOf(primary, tables),
    'the replica': await traffic.rowsOn(replica, tables),
  })
  return { withoutPrimary, traffic: { ...traffic.result(seconds, found), downSeconds: (back - killed) / 1000 } }
}
