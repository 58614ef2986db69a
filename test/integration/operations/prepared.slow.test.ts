import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js'
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

test.runIf(dialects.includes('pg'))('node-postgres gets statements without names, which every pooler supports', async () => {
  const { url, close } = await openPg()
  onTestFinished(close)
  const { client, db } = await openNodePg(url, 1)
  for (let round = 0; round < 3; round++) await signIn(DrizzleAdapter(db, pgSchema))
  expect((await client.query('select name from pg_prepared_statements')).rows).toEqual([])
})

test.each(dialects)('statements survive a column that is added on %s', async (dialect) => {
  const { adapter: createAdapter, exec, quote, close } = await openDatabase(dialect)
  onTestFinished(close)
  const adapter = createAdapter()
  const { session } = await signIn(adapter)
  await exec(`alter table ${quote('user')} add extra text`)
  expect(await adapter.getSessionAndUser(session.sessionToken)).not.toBeNull()
  await signIn(adapter)
})
