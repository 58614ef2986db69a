import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js'
import NodePg from 'pg'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { runOperationCases } from '../../support/contract.js'
import { openDatabase, openPg } from '../../support/databases.js'
import { openPool } from '../../support/pool.js'
import * as pgSchema from '../../support/schema/pg.js'
import { startPgBouncer } from '../../support/servers/pgbouncer.js'

const dialects = inject('dialects')
type PgAdapter = ReturnType<typeof DrizzleAdapter<typeof pgSchema>>
const ignore = () => {}

async function signIn(adapter: PgAdapter) {
  const user = await adapter.createUser({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada' })
  const session = await adapter.createSession({ sessionToken: crypto.randomUUID(), userId: user.id, expires: new Date('2030-01-01') })
  expect(await adapter.getSessionAndUser(session.sessionToken)).toEqual({ session, user })
  expect(await adapter.updateUser({ id: user.id, name: 'Eva' })).toMatchObject({ name: 'Eva' })
  return { user, session }
}

/** Runs every operation, and fifty concurrent sign-ins. */
async function exercise(adapter: PgAdapter) {
  await runOperationCases(adapter)
  await Promise.all(Array.from({ length: 50 }, () => signIn(adapter)))
}

async function openNodePg(url: string, max = 10) {
  const client = openPool({ connectionString: url, max })
  onTestFinished(() => client.end())
  return { client, db: drizzleNodePg({ client }) }
}

describe.runIf(dialects.includes('pg'))('behind PgBouncer in transaction mode', () => {
  async function openBouncer() {
    const { url, close } = await openPg()
    onTestFinished(close)
    const bouncer = await startPgBouncer(url, ignore)
    onTestFinished(bouncer.stop)
    return bouncer.url
  }

  test('postgres.js works with `prepare: false`, which it needs there', async () => {
    const client = postgres(await openBouncer(), { max: 20, prepare: false })
    onTestFinished(() => client.end())
    await exercise(DrizzleAdapter(drizzlePostgresJs({ client }), pgSchema))
  })

  test('node-postgres works with its default settings', async () => {
    const { db } = await openNodePg(await openBouncer(), 20)
    await exercise(DrizzleAdapter(db, pgSchema))
  })
})

describe.runIf(dialects.includes('pg'))('prepared statements on PostgreSQL', () => {
  test('are named with node-postgres only if namedStatements is set', async () => {
    const { url, close } = await openPg()
    onTestFinished(close)
    const { client, db } = await openNodePg(url, 1)
    const named = async () => (await client.query('select name, statement from pg_prepared_statements')).rows
    for (let round = 0; round < 3; round++) await signIn(DrizzleAdapter(db, pgSchema))
    expect(await named()).toEqual([])
    for (let round = 0; round < 3; round++) await signIn(DrizzleAdapter(db, pgSchema, { namedStatements: true }))
    expect((await named()).length).toBe(4)
    expect(new Set((await named()).map(({ name }) => name)).size).toBe(4)
    for (const { name } of await named()) expect(name.length).toBeLessThan(64)
  })

  test.each(['postgres.js', 'node-postgres'])('survive an altered table without an error with %s', async (driver) => {
    const { url, db, exec, close } = await openPg({ connections: 1 })
    onTestFinished(close)
    const { db: nodeDb } = await openNodePg(url, 1)
    const adapter = DrizzleAdapter(driver === 'postgres.js' ? db : nodeDb, pgSchema, { namedStatements: true })
    const { session } = await signIn(adapter)
    for (const change of [
      `alter table "user" add extra text`,
      `alter table "user" alter name type varchar(300)`,
      `alter table "user" drop extra`,
    ]) {
      await exec(change)
      // One after another, because postgres.js 3.4 hangs if several queries wait on a connection while it prepares a statement again.
      for (let call = 0; call < 4; call++) expect(await adapter.getSessionAndUser(session.sessionToken)).not.toBeNull()
      await signIn(adapter)
    }
  })

  // A node-postgres pool drops the connection after the error. A single client has to go on with it.
  test('survive an altered table with one node-postgres client and a new adapter for each request', async () => {
    const { url, exec, close } = await openPg({ connections: 1 })
    onTestFinished(close)
    const client = new NodePg.Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    const createAdapter = () => DrizzleAdapter(drizzleNodePg({ client }), pgSchema, { namedStatements: true })
    const { session } = await signIn(createAdapter())
    const deleteOne = async () =>
      createAdapter().deleteUser((await createAdapter().createUser({ email: `${crypto.randomUUID()}@example.com` })).id)
    const calls = [() => createAdapter().getSessionAndUser(session.sessionToken), deleteOne]
    for (const call of calls) expect(await call()).not.toBeNull()
    for (const change of [`alter table "user" alter name type varchar(300)`, `alter table "user" alter name type text`]) {
      await exec(change)
      for (const call of [...calls, ...calls]) expect(await call()).not.toBeNull()
    }
  })
})

test.each(dialects.filter((dialect) => dialect !== 'pg'))('statements survive an altered table on %s', async (dialect) => {
  const { adapter: createAdapter, exec, close } = await openDatabase(dialect)
  onTestFinished(close)
  const adapter = createAdapter()
  const { session } = await signIn(adapter)
  await exec('alter table user add extra text')
  expect(await adapter.getSessionAndUser(session.sessionToken)).not.toBeNull()
  await signIn(adapter)
})
