import { setTimeout as sleep } from 'node:timers/promises'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { eq } from 'drizzle-orm'
import { drizzle as drizzleNodePostgres } from 'drizzle-orm/node-postgres'
import { withReplicas } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import pg from 'pg'
import connect from 'postgres'
import { migrationsOf } from '../../test/support/migrations.js'
import { newPerson } from '../../test/support/operations.js'
import { openProxy } from '../../test/support/proxy.js'
import * as tables from '../../test/support/schema/pg.js'
import type { Replication } from '../../test/support/servers/replication.js'
import { startReplication } from '../../test/support/servers/replication.js'
import type { Report } from './report.js'
import { rowsOf } from './rows.js'
import type { Sizes } from './sizes.js'
import { Traffic } from './traffic.js'

export async function postgres(sizes: Sizes, report: Report) {
  report.section('PostgreSQL: a primary and a synchronous streaming replica')
  const servers = await startReplication(report.say)
  try {
    const admin = connect(servers.primary.url, { max: 1, onnotice: () => {} })
    for (const statement of await migrationsOf('pg')) await admin.unsafe(statement)
    const version = String((await admin`show server_version`)[0]?.server_version)
    await admin.end()
    const lag = await revokeUnderLag(servers, sizes, report)
    const failover = await killPrimary(servers, sizes, report)
    return { version, lag, failover }
  } finally {
    await servers.stop()
  }
}

async function revokeUnderLag({ primary, replica }: Replication, { revoked, lagSeconds }: Sizes, report: Report) {
  const [main, copy] = [connect(primary.url), connect(replica.url)]
  const setLag = async (seconds: number) => {
    await copy.unsafe(`alter system set recovery_min_apply_delay = '${seconds}s'`)
    await copy`select pg_reload_conf()`
  }
  const copyDb = drizzle({ client: copy })
  const db = withReplicas(drizzle({ client: main }), [copyDb])
  const adapter = DrizzleAdapter(db, tables)
  const readFromReplica = ({ sessionToken }: { sessionToken: string }) =>
    copyDb.select().from(tables.sessionsTable).where(eq(tables.sessionsTable.sessionToken, sessionToken))

  const { user } = newPerson()
  await adapter.createUser(user)
  const sessions = Array.from({ length: revoked }, () => ({ ...newPerson().session, userId: user.id }))
  await Promise.all(sessions.map((session) => adapter.createSession(session)))
  for (const session of sessions) while ((await readFromReplica(session)).length === 0) await sleep(50)
  await setLag(lagSeconds)
  // The server needs a moment to apply the setting.
  await sleep(1_000)

  let seenByAdapter = 0
  let staleOnReplica = 0
  await Promise.all(
    sessions.map(async (session) => {
      await adapter.deleteSession(session.sessionToken)
      if (await adapter.getSessionAndUser(session.sessionToken)) seenByAdapter++
      // A read of the application through the same `db`, which goes to the replica.
      const read = await db.select().from(tables.sessionsTable).where(eq(tables.sessionsTable.sessionToken, session.sessionToken))
      staleOnReplica += read.length
    }),
  )
  report.check(
    `${revoked} sessions revoked while the replica lags ${lagSeconds} s: the adapter found ${seenByAdapter} of them`,
    seenByAdapter === 0,
  )
  report.check(`the lag was real: ${staleOnReplica} of them were still read from the replica`, staleOnReplica > revoked / 2)
  await setLag(0)
  await adapter.deleteUser(user.id)
  const caughtUp = async () => (await rowsOf(copyDb, tables)).size === 0
  for (let wait = 0; wait < 100 && !(await caughtUp()); wait++) await sleep(100)
  report.check('no row is left on the primary and the replica', (await rowsOf(db.$primary, tables)).size === 0 && (await caughtUp()))
  await Promise.all([main.end(), copy.end()])
  return { revoked, seconds: lagSeconds, staleOnReplica, seenByAdapter }
}

const connections = 10

/** An application server whose driver knows both servers and connects to the primary. With `read-write`, it would also accept a standby. */
function openWithBothServers(urls: string[]) {
  const hosts = urls.map((url) => new URL(url).host).join()
  const client = connect(`postgres://postgres@${hosts}/postgres`, {
    target_session_attrs: 'primary',
    max: connections,
    connect_timeout: 2,
    backoff: () => 0.2,
    // The query for array types would end the process if the server is killed during it.
    fetch_types: false,
  })
  const db = drizzle({ client })
  return { name: 'postgres.js', adapter: DrizzleAdapter(db, tables), close: () => client.end({ timeout: 1 }) }
}

/** An application server whose driver connects to a proxy, which forwards to the current primary. */
function openBehindProxy(url: string) {
  const client = new pg.Pool({ connectionString: url, max: connections, connectionTimeoutMillis: 2_000 })
  // Without a listener, the loss of an idle connection would end the process.
  client.on('error', () => {})
  const db = drizzleNodePostgres({ client })
  return { name: 'node-postgres', adapter: DrizzleAdapter(db, tables), close: () => client.end() }
}

async function killPrimary({ primary, replica }: Replication, { people, trafficSeconds }: Sizes, report: Report) {
  const proxy = await openProxy(primary.url)
  const machines = [openWithBothServers([primary.url, replica.url]), openBehindProxy(proxy.url)]
  const traffic = new Traffic(machines)
  await traffic.setUp()
  let [killed, promoted, callsBefore] = [0, 0, 0]
  await traffic.run(people, trafficSeconds, async (until) => {
    await until(1 / 3)
    killed = performance.now()
    await primary.kill()
    // The time that a monitor may need to notice.
    await sleep(1_000)
    await replica.promote()
    proxy.redirect(replica.url)
    promoted = performance.now()
    report.say(`the replica was promoted ${((promoted - killed) / 1000).toFixed(1)} s after the kill`)
    await sleep(2_000)
    callsBefore = traffic.calls
  })

  // postgres.js 3.4.9 rejects the next query on a connection with the error that ended it, without sending the query. Then it connects to
  // the next server without checking whether it is the primary.
  const echoes = traffic.faults.filter(({ machine, code, begun }) => machine === 'postgres.js' && code === '57P01' && begun > promoted)
  report.check(
    `postgres.js reported an old error again on ${echoes.length} of its ${connections} connections`,
    echoes.length <= connections,
  )
  traffic.describe(report, 'only calls during the failover failed, with unreachable or read-only', (fault) => {
    const isExpected = /^(unreachable|read-only)$/.test(fault.kind) && fault.failed >= killed && fault.begun <= promoted
    return isExpected || echoes.includes(fault)
  })
  report.check(`the same adapters continued without a restart: ${traffic.calls - callsBefore} calls`, traffic.calls > callsBefore)
  const client = connect(replica.url, { max: 1 })
  const found = traffic.compare(report, { 'the new primary': await rowsOf(drizzle({ client }), tables) })
  await Promise.allSettled([client.end(), ...machines.map((machine) => machine.close())])
  await proxy.close()
  return { ...traffic.result(trafficSeconds, found), promotedAfterSeconds: (promoted - killed) / 1000, echoes: echoes.length }
}
