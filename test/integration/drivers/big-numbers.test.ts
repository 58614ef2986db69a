import Database from 'better-sqlite3'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js'
import * as lite from 'drizzle-orm/sqlite-core'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'
import { openPool } from '../../support/pool.js'

// The default tables with a column that the app adds.
const tables = {
  mysql: defineMysql({
    foreignKeys: false,
    columns: { users: { visits: my.bigint('visits', { mode: 'number' }) } },
  }),
  pg: definePg({
    foreignKeys: false,
    columns: {
      users: {
        visits: pg.bigint('visits', { mode: 'number' }),
      },
    },
  }),
  sqlite: defineSqlite({ foreignKeys: false, columns: { users: { visits: lite.integer('visits') } } }),
}

interface Opened {
  adapter: ReturnType<typeof DrizzleAdapter<typeof tables.pg>>
  exec(statement: string): Promise<unknown>
}

// On MySQL, the default type of the counter has 32 bits. An app may have changed it to a longer one.
const migrations = (dialect: DialectName) =>
  Object.values(tables[dialect]).map((table) =>
    createTable(table as never, dialect === 'mysql' ? '`' : '"').replace('`counter` int unsigned', '`counter` bigint'),
  )
const adapterOf = (db: object, dialect: DialectName) => DrizzleAdapter(db as never, tables[dialect] as typeof tables.pg, { retry: false })

const drivers: Record<string, [DialectName, () => Promise<Opened>]> = {
  mysql2: ['mysql', () => onMysql({})],
  'mysql2 with supportBigNumbers': ['mysql', () => onMysql({ supportBigNumbers: true })],
  'mysql2 with bigNumberStrings': ['mysql', () => onMysql({ supportBigNumbers: true, bigNumberStrings: true })],
  'postgres.js': [
    'pg',
    async () => {
      const { url, exec, close } = await openPg({ migrations: migrations('pg') })
      onTestFinished(close)
      const client = postgres(url, { max: 1 })
      onTestFinished(() => client.end())
      return { adapter: adapterOf(drizzlePostgresJs({ client }), 'pg'), exec }
    },
  ],
  'node-postgres': [
    'pg',
    async () => {
      const { url, exec, close } = await openPg({ migrations: migrations('pg') })
      onTestFinished(close)
      const client = openPool({ connectionString: url, max: 1 })
      onTestFinished(() => client.end())
      return { adapter: adapterOf(drizzleNodePg({ client }), 'pg'), exec }
    },
  ],
  'better-sqlite3': ['sqlite', () => onSqlite(false)],
  'better-sqlite3 with defaultSafeIntegers': ['sqlite', () => onSqlite(true)],
}

async function onMysql(options: mysql.PoolOptions): Promise<Opened> {
  const { url, exec, close } = await openMysql({ migrations: migrations('mysql') })
  onTestFinished(close)
  const client = mysql.createPool({ uri: url, connectionLimit: 1, ...options })
  onTestFinished(() => client.end())
  return { adapter: adapterOf(drizzleMysql({ client }), 'mysql'), exec: (statement) => exec(statement.replaceAll('"', '`')) }
}

async function onSqlite(safe: boolean): Promise<Opened> {
  const client = new Database(':memory:').defaultSafeIntegers(safe)
  onTestFinished(() => void client.close())
  for (const statement of migrations('sqlite')) client.exec(statement)
  return { adapter: adapterOf(drizzleSqlite({ client }), 'sqlite'), exec: async (statement) => client.exec(statement) }
}

const chosen = Object.entries(drivers).filter(([, [dialect]]) => inject('dialects').includes(dialect))

describe.each(chosen)('with %s', (_name, [dialect, open]) => {
  const key = { provider: 'p', providerAccountId: 'a' }

  async function store({ exec }: Opened, number: string, visits = '1') {
    const flag = dialect === 'pg' ? 'true' : '1'
    for (const table of ['user', 'account', 'authenticator']) await exec(`delete from "${table}"`)
    await exec(`insert into "user" ("id", "email", "visits") values ('u', 'e', ${visits})`)
    await exec(
      `insert into "account" ("userId", "type", "provider", "providerAccountId", "expires_at") values ('u', 'oauth', 'p', 'a', ${number})`,
    )
    await exec(`insert into "authenticator" ("credentialID", "userId", "providerAccountId", "credentialPublicKey", "counter", "credentialDeviceType",
      "credentialBackedUp") values ('c', 'u', 'a', 'k', ${number}, 'd', ${flag})`)
  }

  test.each(['9007199254740993', '-9007199254740992'])('the unsafe integer %s is rejected as garbled', async (number) => {
    const opened = await open()
    const { adapter } = opened
    await store(opened, number, number)
    const garbled = { kind: 'garbled' }
    await expect(adapter.getAccount('a', 'p')).rejects.toMatchObject(garbled)
    const written = { ...garbled, message: expect.stringContaining('the write itself happened') }
    await expect(adapter.updateAccount({ ...key, scope: 'x' })).rejects.toMatchObject(written)
    await expect(adapter.unlinkAccount(key)).rejects.toMatchObject(garbled)
    await expect(adapter.listAuthenticatorsByUserId('u')).rejects.toMatchObject(garbled)
    await expect(adapter.getUser('u')).rejects.toMatchObject(garbled)
  })

  test('Number.MAX_SAFE_INTEGER is returned unchanged', async () => {
    const opened = await open()
    const { adapter } = opened
    await store(opened, '9007199254740991', '-9007199254740991')
    expect((await adapter.getAccount('a', 'p'))?.expires_at).toBe(9_007_199_254_740_991)
    expect((await adapter.getAuthenticator('c'))?.counter).toBe(9_007_199_254_740_991)
    expect((await adapter.getUser('u'))?.visits).toBe(-9_007_199_254_740_991)
  })
})

// postgres.js finds out with `fetch_types` how arrays are read. Without, it returns their text.
test.runIf(inject('dialects').includes('pg')).each([true, false])(
  'an array has the elements that are stored, fetch_types: %s',
  async (fetchTypes) => {
    const columns = { roles: pg.text().array(), visits: pg.bigint({ mode: 'number' }).array() }
    const own = definePg({ foreignKeys: false, columns: { users: columns } })
    const { url, exec, close } = await openPg({ migrations: [] })
    onTestFinished(close)
    for (const table of Object.values(own)) await exec(createTable(table as never, '"'))
    const client = postgres(url, { max: 1, fetch_types: fetchTypes })
    onTestFinished(() => client.end())
    const adapter = DrizzleAdapter(drizzlePostgresJs({ client }), own)
    await exec(`insert into "user" (id, email, roles) values ('ada', 'a', '{admin,"a b"}')`)
    const roles = await adapter.getUser('ada').then(
      (user) => user?.roles,
      ({ kind }) => kind,
    )
    expect([['admin', 'a b'], 'garbled']).toContainEqual(roles)
    if (fetchTypes) expect(roles).toEqual(['admin', 'a b'])
    await exec(`insert into "user" (id, email, visits) values ('big', 'b', '{9007199254740993}')`)
    await expect(adapter.getUser('big')).rejects.toMatchObject(
      fetchTypes ? { kind: 'garbled', column: 'visits' } : { operation: 'getUser' },
    )
  },
)
