import type Database from 'better-sqlite3'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import type { AnyAdapter, Opened } from './database.js'
import { createRows, lookups, openDatabase, useDatabase } from './database.js'

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
