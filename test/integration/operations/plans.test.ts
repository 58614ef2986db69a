import type Database from 'better-sqlite3'
import { deleteExpired } from 'drizzle-auth-adapter'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import type mysql from 'mysql2/promise'
import type postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { AnyAdapter } from '../../support/databases.js'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'

interface Logged {
  query: string
  params: unknown[]
}

/** How a query reads a table. */
interface Access {
  /** The index that it uses. */
  index: string | null
  /** Whether it reads all rows. */
  isScan: boolean
}

/** A node of a plan of PostgreSQL. */
interface PlanNode {
  'Node Type': string
  'Index Name'?: string
  Plans?: PlanNode[]
}

const explain: Record<DialectName, (client: never, logged: Logged) => Promise<Access[]>> = {
  // SQLite has no other form than words: `SCAN user`, `SEARCH session USING INDEX session_userId_idx (userId=?)`.
  async sqlite(client: Database.Database, { query, params }) {
    const rows = client.prepare(`explain query plan ${query}`).all(...params) as { detail: string }[]
    return rows.map(({ detail }) => ({ index: /INDEX (\S+)/.exec(detail)?.[1] ?? null, isScan: detail.startsWith('SCAN') }))
  },
  async pg(client: postgres.Sql, { query, params }) {
    const [row] = await client.unsafe(`explain (format json) ${query}`, params as never[])
    const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
    return nodesOf(row?.['QUERY PLAN'][0].Plan).map((node) => ({
      index: node['Index Name'] ?? null,
      isScan: node['Node Type'] === 'Seq Scan',
    }))
  },
  async mysql(client: mysql.Pool, { query, params }) {
    const [rows] = await client.query(`explain format=traditional ${query}`, params)
    const accesses = rows as { type: string | null; key: string | null }[]
    return accesses
      .filter(({ type }) => type !== null)
      .map(({ type, key }) => ({ index: key, isScan: key === null || type === 'ALL' || type === 'index' }))
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
  const queries: Logged[] = []
  const deletions: Logged[] = []
  let opened: Awaited<ReturnType<typeof openDatabase>>
  beforeAll(async () => {
    opened = await openDatabase(dialect, { logger: { logQuery: (query, params) => void queries.push({ query, params }) } })
    // On empty tables, so that the rows are still there when its statements are explained.
    await deleteExpired(opened.db as never, opened.tables as never, { batch: 10 })
    deletions.push(...queries.filter(({ query }) => query.startsWith('delete')))
    for (const statement of seedStatements[dialect](10_000)) await opened.exec(statement)
  })
  afterAll(() => opened.close())

  const accessesOf = (logged: Logged) => explain[dialect](opened.client as never, logged)

  async function expectIndexes(calls: Record<string, () => Promise<unknown>>) {
    for (const [name, call] of Object.entries(calls)) {
      queries.length = 0
      expect(await call(), name).toBeTruthy()
      expect(queries.length, name).toBeGreaterThan(0)
      // Drizzle's logger of mysql2 is told of the statements around a transaction, too.
      for (const logged of queries.filter(({ query }) => !/^(begin|commit)/.test(query)))
        expect(await accessesOf(logged), `${name}: ${logged.query}`).not.toContainEqual(expect.objectContaining({ isScan: true }))
    }
  }

  test('of every operation use an index for each table', async () => {
    const adapter: AnyAdapter = opened.adapter()
    await expectIndexes({
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
    })
  })

  test('for session tokens, hashed and raw, use an index for each form', async () => {
    const adapter = opened.adapter({ secrets: secretsAtRest({ sessionTokens: 'migrating' }) })
    await expectIndexes({
      getSessionAndUser: () => adapter.getSessionAndUser('s9'),
      updateSession: () => adapter.updateSession({ sessionToken: 's9', expires: new Date() }),
      deleteSession: () => adapter.deleteSession('s9'),
    })
  })

  test('of deleteExpired use the index on the expiry, and scan no table', async () => {
    expect(deletions).toHaveLength(2)
    for (const logged of deletions) {
      const accesses = await accessesOf(logged)
      expect(accesses, logged.query).toContainEqual({ index: expect.stringMatching(/_expires_idx$/), isScan: false })
      expect(accesses, logged.query).not.toContainEqual(expect.objectContaining({ isScan: true }))
    }
  })
})
