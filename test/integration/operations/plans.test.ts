import { DrizzleAdapter, deleteExpired } from 'drizzle-auth-adapter'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'

type AnyAdapter = ReturnType<typeof DrizzleAdapter<typeof pgSchema>>
interface Logged {
  query: string
  params: unknown[]
}
interface Explained {
  adapter: AnyAdapter
  /** An adapter that looks for session tokens both hashed and raw. */
  migrating: AnyAdapter
  sweep(batch: number): ReturnType<typeof deleteExpired>
  queries: Logged[]
  exec(statement: string): Promise<void>
  /** How the query accesses each table, and whether it uses an index. */
  explain(logged: Logged): Promise<{ access: string; indexed: boolean }[]>
}

const secrets = secretsAtRest({ sessionTokens: 'migrating' })

const open: Record<DialectName, () => Promise<Explained>> = {
  async sqlite() {
    const queries: Logged[] = []
    const { db, client, exec, close } = await openSqlite({ logger: { logQuery: (query, params) => queries.push({ query, params }) } })
    onTestFinished(close)
    const explain = async ({ query, params }: Logged) => {
      const rows = client.prepare(`explain query plan ${query}`).all(...params) as { detail: string }[]
      return rows.map(({ detail }) => ({ access: detail, indexed: !/^SCAN/.test(detail) }))
    }
    const sweep = (batch: number) => deleteExpired(db, sqliteSchema, { batch, pause: 0 })
    const migrating = DrizzleAdapter(db, sqliteSchema, { secrets }) as unknown as AnyAdapter
    return { adapter: DrizzleAdapter(db, sqliteSchema) as unknown as AnyAdapter, migrating, sweep, queries, exec, explain }
  },
  async pg() {
    const queries: Logged[] = []
    const { db, client, exec, close } = await openPg({ logger: { logQuery: (query, params) => queries.push({ query, params }) } })
    onTestFinished(close)
    const explain = async ({ query, params }: Logged) => {
      const rows = await client.unsafe(`explain ${query}`, params as never[])
      const lines = rows.map((row) => String(row['QUERY PLAN']))
      return lines.filter((line) => /Scan/.test(line)).map((line) => ({ access: line.trim(), indexed: !/Seq Scan/.test(line) }))
    }
    const sweep = (batch: number) => deleteExpired(db, pgSchema, { batch, pause: 0 })
    const migrating = DrizzleAdapter(db, pgSchema, { secrets })
    return { adapter: DrizzleAdapter(db, pgSchema), migrating, sweep, queries, exec, explain }
  },
  async mysql() {
    const queries: Logged[] = []
    const { db, client, exec, close } = await openMysql({ logger: { logQuery: (query, params) => queries.push({ query, params }) } })
    onTestFinished(close)
    const explain = async ({ query, params }: Logged) => {
      const [rows] = await client.query(`explain format=traditional ${query}`, params)
      const accesses = rows as { table: string | null; type: string | null; key: string | null; Extra: string | null }[]
      return accesses.map(({ table, type, key, Extra }) => ({
        access: JSON.stringify({ table, type, key, Extra }),
        // A derived table has only the keys that deleteUser has found with an index.
        indexed: type === null || table?.startsWith('<derived') === true || (key !== null && type !== 'ALL' && type !== 'index'),
      }))
    }
    const sweep = (batch: number) => deleteExpired(db, mysqlSchema, { batch, pause: 0 })
    const migrating = DrizzleAdapter(db, mysqlSchema, { secrets }) as unknown as AnyAdapter
    return { adapter: DrizzleAdapter(db, mysqlSchema) as unknown as AnyAdapter, migrating, sweep, queries, exec, explain }
  },
}

/** Statements that insert so many rows that the planner prefers an index. */
const seedStatements: Record<DialectName, (n: number) => string[]> = {
  sqlite: (n) =>
    insertStatements(
      (column) => `'${column}' || n`,
      `n * 1000`,
      `with recursive s(n) as (select 1 union all select n + 1 from s where n < ${n})`,
      '`',
      's',
    ).concat('analyze'),
  pg: (n) =>
    insertStatements((column) => `'${column}' || n`, `to_timestamp(n)`, '', '"', `generate_series(1, ${n}) as s(n)`).concat('analyze'),
  mysql: (n) => {
    const digits = Array.from({ length: 10 }, (_, digit) => `select ${digit} as d`).join(' union all ')
    const numbers = `(select 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d as n from (${digits}) a, (${digits}) b, (${digits}) c, (${digits}) e having n <= ${n}) as s`
    return [
      ...insertStatements((column) => `concat('${column}', n)`, `from_unixtime(n)`, '', '`', numbers),
      ...['user', 'account', 'session', 'verificationToken', 'authenticator'].map((table) => `analyze table \`${table}\``),
    ]
  },
}

function insertStatements(text: (column: string) => string, time: string, prefix: string, quote: string, from: string): string[] {
  const columns: Record<string, Record<string, string>> = {
    user: { id: text('u'), email: text('e') },
    account: { userId: text('u'), type: text('t'), provider: text('p'), providerAccountId: text('a') },
    session: { sessionToken: text('s'), userId: text('u'), expires: time },
    verificationToken: { identifier: text('i'), token: text('k'), expires: time },
    authenticator: {
      credentialID: text('c'),
      userId: text('u'),
      providerAccountId: text('a'),
      credentialPublicKey: text('k'),
      counter: '0',
      credentialDeviceType: text('d'),
      credentialBackedUp: quote === '"' ? 'true' : '1',
    },
  }
  const q = (name: string) => quote + name + quote
  return Object.entries(columns).map(
    ([table, values]) => `insert into ${q(table)} (${Object.keys(values).map(q)}) ${prefix} select ${Object.values(values)} from ${from}`,
  )
}

describe.each(inject('dialects'))('query plans on %s', (dialect) => {
  test('of every operation use an index for each table', async () => {
    const { adapter, queries, exec, explain } = await open[dialect]()
    for (const statement of seedStatements[dialect](5_000)) await exec(statement)
    const calls: Record<string, () => Promise<unknown>> = {
      getUser: () => adapter.getUser('u7'),
      getUserByEmail: () => adapter.getUserByEmail('e7'),
      getUserByAccount: () => adapter.getUserByAccount({ provider: 'p7', providerAccountId: 'a7' }),
      updateUser: () => adapter.updateUser({ id: 'u7', name: 'x' }),
      getAccount: () => adapter.getAccount('a7', 'p7'),
      unlinkAccount: () => adapter.unlinkAccount({ provider: 'p7', providerAccountId: 'a7' }),
      getSessionAndUser: () => adapter.getSessionAndUser('s7'),
      updateSession: () => adapter.updateSession({ sessionToken: 's7', expires: new Date() }),
      deleteSession: () => adapter.deleteSession('s7'),
      useVerificationToken: () => adapter.useVerificationToken({ identifier: 'i7', token: 'k7' }),
      getAuthenticator: () => adapter.getAuthenticator('c7'),
      listAuthenticatorsByUserId: () => adapter.listAuthenticatorsByUserId('u7'),
      updateAuthenticatorCounter: () => adapter.updateAuthenticatorCounter('c7', 1),
      deleteUser: () => adapter.deleteUser('u8'),
    }
    for (const [name, call] of Object.entries(calls)) {
      queries.length = 0
      expect(await call(), name).toBeTruthy()
      expect(queries.length, name).toBeGreaterThan(0)
      for (const logged of queries) {
        const accesses = await explain(logged)
        for (const { access, indexed } of accesses) expect(indexed, `${name}: ${logged.query}\n${access}`).toBe(true)
      }
    }
  })

  test('for session tokens, hashed and raw, use an index for each form', async () => {
    const { migrating, queries, exec, explain } = await open[dialect]()
    for (const statement of seedStatements[dialect](5_000)) await exec(statement)
    const calls: Record<string, () => Promise<unknown>> = {
      getSessionAndUser: () => migrating.getSessionAndUser('s7'),
      updateSession: () => migrating.updateSession({ sessionToken: 's7', expires: new Date() }),
      deleteSession: () => migrating.deleteSession('s7'),
    }
    for (const [name, call] of Object.entries(calls)) {
      queries.length = 0
      expect(await call(), name).toBeTruthy()
      for (const logged of queries)
        for (const { access, indexed } of await explain(logged)) expect(indexed, `${name}: ${logged.query}\n${access}`).toBe(true)
    }
  })

  test('of deleteExpired use the index on the expiry, and scan no table', async () => {
    const { sweep, queries, exec, explain } = await open[dialect]()
    queries.length = 0
    expect(await sweep(10)).toMatchObject({ finished: true })
    const deletions = queries.filter(({ query }) => !query.includes('@@sql_mode'))
    expect(deletions).toHaveLength(2)
    for (const statement of seedStatements[dialect](10_000)) await exec(statement)
    for (const logged of deletions) {
      // The derived table `picked` is small and read as a whole.
      const accesses = (await explain(logged)).filter(({ access }) => !/picked/.test(access))
      expect(accesses.map(({ access }) => access).join('\n')).toMatch(/_expires_idx/)
      for (const { access, indexed } of accesses) expect(indexed, `${logged.query}\n${access}`).toBe(true)
    }
  })
})
