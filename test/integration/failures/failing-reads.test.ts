import type Database from 'better-sqlite3'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import * as pgSchema from '../../support/schema/pg.js'
import type { AnyAdapter, Opened } from './database.js'
import { changes, createRows, expectNotFound, lookups, makeAdapter, openDatabase, useDatabase } from './database.js'

/** Errors that a view raises while it reads a row, as codes. SQLite has one code for all, so there they differ in their messages. */
const raised: Record<DialectName, string[]> = {
  pg: ['22P02', '22021', '23514', 'P0001'],
  mysql: ['1267', '1366', '1644', '3854'],
  sqlite: ['failed', 'datatype mismatch'],
}

/** Creates a function that raises the error named in its argument. */
const createFunction: Record<DialectName, (opened: Opened) => Promise<unknown>> = {
  pg: ({ execute }) =>
    execute(`create function decrypted(id text) returns text stable language plpgsql as $$
      begin raise exception 'cannot decrypt' using errcode = substr(id, 7, 5); end $$`),
  mysql: ({ execute }) =>
    execute(`create function decrypted(id varbinary(1020)) returns text deterministic no sql begin
      declare code int default cast(substr(id, 7, 4) as unsigned);
      signal sqlstate '45000' set message_text = 'cannot decrypt', mysql_errno = code;
      return null;
    end`),
  sqlite: async ({ client }) =>
    (client as Database.Database).function('decrypted', (id) => {
      throw new Error(`${id}`.slice(6))
    }),
}

/** Key and computed column of each view. */
const decrypted = {
  user: ['id', 'name'],
  account: ['provider', 'scope'],
  session: ['sessionToken', 'expires'],
  authenticator: ['credentialID', 'transports'],
}
const asDate: Record<DialectName, (text: string) => string> = {
  pg: (text) => `${text}::timestamp`,
  mysql: (text) => `cast(${text} as datetime(3))`,
  sqlite: (text) => text,
}

/** Replaces the tables by views that compute one column with that function, like an application that decrypts a column. */
async function createViews({ run, execute, q, dialect }: Opened) {
  for (const [table, [key, column]] of Object.entries(decrypted)) {
    const rows = `${q}${table}_rows${q}`
    const value = `decrypted(${q}${key}${q})`
    const [row] = await run(`select * from ${q}${table}${q}`)
    const columns = Object.keys(row ?? {}).map((name) => {
      if (name !== column) return q + name + q
      const read = column === 'expires' ? asDate[dialect](value) : value
      return `case when ${q}${key}${q} like 'raise %' then ${read} else ${q}${name}${q} end as ${q}${name}${q}`
    })
    await execute(
      dialect === 'mysql' ? `rename table \`${table}\` to ${rows}` : `alter table "${table}" rename to ${rows}`,
      `create view ${q}${table}${q} as select ${columns.join(', ')} from ${rows}`,
    )
  }
}

/** Runs each operation: `failed`, or the result if it did not fail. */
async function outcomes(adapter: AnyAdapter, calls: typeof lookups, key: string) {
  const found: Record<string, unknown> = {}
  for (const [operation, run] of Object.entries(calls)) {
    found[operation] = await run(adapter, key).then(
      (answer) => ({ answer }),
      (error) => (error instanceof AdapterOperationError ? 'failed' : error),
    )
  }
  return found
}

const failed = (calls: typeof lookups) => Object.fromEntries(Object.keys(calls).map((operation) => [operation, 'failed']))

describe.each(inject('dialects'))('a failing view on %s', (dialect) => {
  const keysToFail = raised[dialect].map((error) => `raise ${error}`)
  const database = useDatabase(
    () => openDatabase(dialect),
    async (opened) => {
      for (const key of [...keysToFail, 'ada']) await createRows(opened.adapter, key)
      await createFunction[dialect](opened)
      await createViews(opened)
    },
  )

  test.each(keysToFail)('makes every read operation fail: %s', async (key) => {
    expect(await outcomes(database().adapter, lookups, key)).toEqual(failed(lookups))
  })

  test('does not affect other rows', async () => {
    const { adapter } = database()
    expect(await adapter.getSessionAndUser('ada')).toMatchObject({ user: { id: 'ada' } })
    expect(await adapter.getUserByAccount({ provider: 'ada', providerAccountId: 'ada' })).toMatchObject({ id: 'ada' })
    expect(await adapter.listAuthenticatorsByUserId('nobody')).toEqual([])
    expect(await adapter.getUser('nobody')).toBeNull()
  })
})

// MySQL evaluates a function of known values while it plans the statement.
describe.runIf(inject('dialects').includes('mysql'))('a view of MySQL that fails while it looks for rows', () => {
  const conditions = {
    'a row': "case when id like 'raise %' then decrypted(id) else 'x' end is not null",
    'every row': "decrypted('raise 1267') is not null",
  }

  test.each(Object.entries(conditions))('makes every operation on %s fail', async (_, condition) => {
    const opened = await openDatabase('mysql')
    onTestFinished(opened.close)
    const { adapter, execute } = opened
    for (const code of ['1267', '1366', '3854']) await createRows(adapter, `raise ${code}`)
    await createFunction.mysql(opened)
    await execute('rename table user to user_rows', `create view user as select * from user_rows where ${condition}`)
    for (const code of ['1267', '1366', '3854']) {
      const key = `raise ${code}`
      const calls = { getUser: lookups.getUser, updateUser: changes.updateUser, deleteUser: changes.deleteUser }
      expect(await outcomes(adapter, calls as typeof lookups, key)).toEqual(failed(calls as typeof lookups))
    }
  })
})

describe.runIf(inject('dialects').includes('pg'))('a failing row level policy', () => {
  const role = `r${crypto.randomUUID().replaceAll('-', '')}`
  const tables = ['user', 'account', 'session', 'verificationToken', 'authenticator']
  const database = useDatabase(
    () => openDatabase('pg'),
    async ({ adapter, execute }) => {
      await createRows(adapter, 'ada')
      await execute(`create role ${role} login`, `grant all on all tables in schema public to ${role}`)
      for (const table of tables)
        await execute(
          `alter table "${table}" enable row level security`,
          // Fails if the setting is not a number.
          `create policy tenant on "${table}" using (current_setting('app.tenant', true)::int = 1)`,
        )
    },
  )

  // Roles belong to the server, not to the database.
  afterAll(() => database().execute(`drop owned by ${role}`, `drop role ${role}`))

  /** Connects as a role that the policies apply to. */
  function connect(tenant: string) {
    const url = new URL(database().url)
    url.username = role
    const client = postgres(url.href, { max: 1, connection: { 'app.tenant': tenant } as object })
    onTestFinished(() => client.end())
    return makeAdapter(drizzle({ client }), pgSchema)
  }

  test('makes every read, update and delete fail without a change', async () => {
    const before = await database().snapshot()
    const adapter = connect('none')
    expect(await outcomes(adapter, lookups, 'ada')).toEqual(failed(lookups))
    expect(await outcomes(adapter, changes, 'ada')).toEqual(failed(changes))
    expect(await database().snapshot()).toEqual(before)
  })

  test('is different from a policy that hides the rows, which means not found', async () => {
    await expectNotFound(connect('2'), 'ada', lookups)
    expect(await connect('1').getSessionAndUser('ada')).toMatchObject({ user: { id: 'ada' } })
  })
})
