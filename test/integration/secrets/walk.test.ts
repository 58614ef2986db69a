import type Database from 'better-sqlite3'
import type { Table as DrizzleTable } from 'drizzle-orm'
import { bigint as mysqlBigint, mysqlTable } from 'drizzle-orm/mysql-core'
import { bigint as pgBigint, pgTable } from 'drizzle-orm/pg-core'
import type mysql from 'mysql2/promise'
import type postgres from 'postgres'
import { expect, inject, onTestFinished, test } from 'vitest'
import { dialects } from '../../../src/dialects.js'
import { keys, models } from '../../../src/models.js'
import { connect } from '../../../src/query/connection.js'
import type { Row } from '../../../src/query/drizzle.js'
import { openTable } from '../../../src/query/table.js'
import { walk } from '../../../src/secrets/walk.js'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'

async function rowsOf(pages: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) rows.push(...page)
  return rows
}

interface Logged {
  query: string
  params: unknown[]
}

/** How a query finds its rows: by which index, and with which of its columns. */
const accessOf: Record<DialectName, (client: never, logged: Logged) => Promise<unknown>> = {
  async sqlite(client: Database.Database, { query, params }) {
    const [row] = client.prepare(`explain query plan ${query}`).all(...params) as { detail: string }[]
    return row?.detail.replace(/.* INDEX \S+ /, '')
  },
  async pg(client: postgres.Sql, { query, params }) {
    const [row] = await client.unsafe(`explain (format json) ${query}`, params as never[])
    const plan = row?.['QUERY PLAN'][0].Plan
    return (plan?.Plans?.[0] ?? plan)?.['Index Cond']?.replaceAll(/'\w+'::text/g, '?')
  },
  async mysql(client: mysql.Pool, { query, params }) {
    const [rows] = await client.query(`explain format=traditional ${query}`, params)
    const [{ type, key_len } = {}] = rows as Record<string, unknown>[]
    return `${type} ${key_len}`
  },
}

const bothColumns: Record<DialectName, unknown[]> = {
  sqlite: ['((provider,providerAccountId)>(?,?))', '(provider=? AND providerAccountId=?)'],
  pg: ['(ROW(provider, "providerAccountId") > ROW(?, ?))', '((provider = ?) AND ("providerAccountId" = ?))'],
  mysql: ['range 3072', 'const 3072'],
}

test.each(inject('dialects'))('the rows of each batch are found by all columns of the key: %s', async (dialect) => {
  const logged: Logged[] = []
  const opened = await openDatabase(dialect, { logger: { logQuery: (query, params) => void logged.push({ query, params }) } })
  onTestFinished(opened.close)
  const q = (name: string) => (dialect === 'mysql' ? `\`${name}\`` : `"${name}"`)
  const columns = ['userId', 'type', 'provider', 'providerAccountId'].map(q)
  const values = Array.from({ length: 2_000 }, (_, number) => `('ada', 'oauth', 'google', 'a${number}')`)
  await opened.exec(`insert into ${q('user')} (id, email) values ('ada', 'ada@example.com')`)
  await opened.exec(`insert into ${q('account')} (${columns}) values ${values}`)
  await opened.exec(dialect === 'mysql' ? 'analyze table account' : 'analyze')
  const { accountsTable } = opened.tables as { accountsTable: DrizzleTable }
  const accounts = openTable(connect('test', dialects[dialect], opened.db), accountsTable, models.accounts, keys.accounts)
  logged.length = 0
  const rows = await rowsOf(walk(accounts, [...keys.accounts], 100))
  expect(new Set(rows.map(({ providerAccountId }) => providerAccountId)).size).toBe(2_000)
  const reads = logged.filter(({ query }) => query.includes('where'))
  expect(reads.length).toBe(40)
  for (const read of reads) expect(bothColumns[dialect], read.query).toContain(await accessOf[dialect](opened.client as never, read))
})

const numbered = {
  pg: pgTable('numbered', { id: pgBigint({ mode: 'bigint' }).primaryKey() }),
  mysql: mysqlTable('numbered', { id: mysqlBigint({ mode: 'bigint' }).primaryKey() }),
}

// SQLite has integers as numbers only.
const servers = inject('dialects').filter((dialect) => dialect !== 'sqlite')

test.each(servers)('keys may be bigints: %s', async (dialect) => {
  const migrations = ['create table numbered (id bigint primary key)']
  const { db, close } = await openDatabase(dialect, { migrations })
  onTestFinished(close)
  const table = openTable(connect('test', dialects[dialect], db), numbered[dialect], {}, ['id'])
  for (const id of [1n, 2n, 3n]) await table.insert({ id })
  expect(await rowsOf(walk(table, ['id'], 2))).toEqual([{ id: 1n }, { id: 2n }, { id: 3n }])
})
