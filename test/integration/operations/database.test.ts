import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { getTableName } from 'drizzle-orm'
import { Cache } from 'drizzle-orm/cache/core'
import { withReplicas as withMysqlReplicas } from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { withReplicas as withPgReplicas } from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import { withReplicas as withSqliteReplicas } from 'drizzle-orm/sqlite-core'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import type { AnyAdapter } from '../../support/databases.js'
import { makeAdapter, openDatabase, openSqlite } from '../../support/databases.js'
import { extensions, operations, seedPerson } from '../../support/operations.js'
import { root } from '../../support/root.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'

const dialects = inject('dialects')

const ofUsersAndAccounts = [
  ...['createUser', 'getUser', 'getUserByEmail', 'getUserByAccount', 'updateUser', 'deleteUser'],
  ...['linkAccount', 'unlinkAccount', 'getAccount', 'listAccounts', 'updateAccount'],
]

test.runIf(dialects.includes('sqlite'))(
  'the adapter has no operation for a table that it was not given, and does not query it',
  async () => {
    const queries: string[] = []
    const { db, close } = await openSqlite({ logger: { logQuery: (query) => queries.push(query) } })
    onTestFinished(close)
    const { usersTable, accountsTable } = sqliteSchema
    const adapter = DrizzleAdapter(db, { usersTable, accountsTable, sessionsTable: undefined })
    expect(Object.keys(adapter)).toEqual(ofUsersAndAccounts)
    // The operations may be taken out of the object.
    const { createUser, deleteUser } = { ...adapter }
    const user = await createUser.call(undefined, { email: 'a@example.com' })
    expect(await deleteUser.call(undefined, user.id)).toEqual(user)
    expect(queries.filter((query) => /"(session|verificationToken|authenticator)"/.test(query))).toEqual([])
  },
)

/** Runs each operation once. */
async function runEach(adapter: AnyAdapter) {
  for (const operation of Object.values({ ...operations, ...extensions }))
    await operation.run(adapter, await seedPerson(adapter, operation))
}

const withReplicas = { pg: withPgReplicas, mysql: withMysqlReplicas, sqlite: withSqliteReplicas }

test.each(dialects)('a database with replicas is only used through its primary: %s', async (dialect) => {
  // The replica has no tables, so every statement that reached it would fail.
  const [primary, replica] = [await openDatabase(dialect), await openDatabase(dialect, { migrations: [] })]
  onTestFinished(primary.close)
  onTestFinished(replica.close)
  const db = (withReplicas[dialect] as typeof withPgReplicas)(primary.db as never, [replica.db as never])
  await runEach(makeAdapter(db, primary.tables))
})

/** A cache that keeps every result forever, and the names of the tables that it is told of. */
class StaleCache extends Cache {
  readonly kept = new Map<string, unknown[]>()
  override strategy = () => 'all' as const
  override get = async (key: string) => this.kept.get(key)
  override put = async (key: string, response: unknown[]) => void this.kept.set(key, response)
  readonly told = new Set<string>()
  override onMutate = async ({ tables = [] }: { tables?: unknown }): Promise<void> => {
    for (const table of [tables].flat()) this.told.add(typeof table === 'string' ? table : getTableName(table as never))
  }
}

// better-sqlite3 has no cache in Drizzle.
const servers = dialects.filter((dialect) => dialect !== 'sqlite')

test.each(servers)('a database that caches every query is queried without the cache, which is told of every table: %s', async (dialect) => {
  const { client, tables, close } = await openDatabase(dialect)
  onTestFinished(close)
  const cache = new StaleCache()
  const connect = (dialect === 'pg' ? drizzlePg : drizzleMysql) as typeof drizzlePg
  const db = connect({ client, cache } as never)
  const adapter = makeAdapter(db, tables)
  await runEach(adapter)
  expect(cache.kept.size).toBe(0)
  const { id } = await adapter.createUser({ email: 'ada@example.com' })
  cache.told.clear()
  await adapter.deleteUser(id)
  expect([...cache.told].sort()).toEqual(['account', 'authenticator', 'session', 'user'])
  // To check the cache itself: a query of the app does end up in it.
  await db.select().from((tables as { usersTable: never }).usersTable)
  expect(cache.kept.size).toBe(1)
})

/** A cache that cannot be reached. */
class LostCache extends StaleCache {
  override onMutate = () => Promise.reject(Object.assign(new Error('no cache'), { code: 'ECONNREFUSED' }))
}

test.each(servers)('a write is not repeated if the cache cannot be reached: %s', async (dialect) => {
  const { client, tables, close } = await openDatabase(dialect)
  onTestFinished(close)
  const connect = (dialect === 'pg' ? drizzlePg : drizzleMysql) as typeof drizzlePg
  const statements: string[] = []
  const logger = { logQuery: (statement: string) => void statements.push(statement) }
  const adapter = makeAdapter(connect({ client, cache: new LostCache(), logger } as never), tables, { retry: {} })
  expect(await adapter.getUser('nobody')).toBeNull()
  await expect(adapter.createUser({ email: 'ada@example.com' })).rejects.toMatchObject({ kind: 'unreachable' })
  expect(statements.filter((statement) => statement.startsWith('insert'))).toHaveLength(1)
  // The cache fails at once, while the database is still writing.
  const user = await vi.waitUntil(() => adapter.getUserByEmail('ada@example.com'))
  await expect(adapter.deleteUser('nobody')).rejects.toMatchObject({ written: false })
  await expect(adapter.deleteUser(user.id)).rejects.toMatchObject({ kind: 'unreachable' })
  // On MySQL, Drizzle tells its cache inside of the transaction, which is rolled back.
  expect(await adapter.getUserByEmail('ada@example.com')).toEqual(dialect === 'pg' ? null : user)
})

const app = `
  import { readFileSync } from 'node:fs'
  import Database from 'better-sqlite3'
  import { drizzle } from 'drizzle-orm/better-sqlite3'
  import { sqliteTable, integer, text } from 'drizzle-orm/sqlite-core'
  import { DrizzleAdapter } from 'drizzle-auth-adapter'
  import { defineTables } from 'drizzle-auth-adapter/sqlite'
  const client = new Database(':memory:')
  client.exec(readFileSync('tables.sql', 'utf8').replaceAll('--> statement-breakpoint', ''))
  const usersTable = sqliteTable('user', { id: text().primaryKey(), email: text().notNull(), emailVerified: integer({ mode: 'timestamp_ms' }) })
  const adapter = DrizzleAdapter(drizzle({ client }), defineTables({ usersTable }))
  const user = await adapter.createUser({ email: 'a@example.com' })
  await adapter.createSession({ sessionToken: 's', userId: user.id, expires: new Date(1) })
  const other = await import('./node_modules/drizzle-auth-adapter/node_modules/drizzle-orm/sqlite-core/index.js')
  console.log(JSON.stringify({ found: await adapter.getSessionAndUser('s'), areTwo: other.sqliteTable !== sqliteTable }))
`

test.runIf(dialects.includes('sqlite'))('the app and the adapter can have different copies of Drizzle', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'two-copies-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const name = process.env.DRIZZLE === '1.0' ? 'drizzle-orm-v1' : 'drizzle-orm'
  const link = (from: string, to: string) => symlink(join(root, from), join(folder, to))
  await mkdir(join(folder, 'node_modules/drizzle-auth-adapter/node_modules'), { recursive: true })
  await link(`node_modules/${name}`, 'node_modules/drizzle-orm')
  await link(`node_modules/${name}`, 'node_modules/drizzle-auth-adapter/node_modules/drizzle-orm')
  await link('dist', 'node_modules/drizzle-auth-adapter/dist')
  await link('package.json', 'node_modules/drizzle-auth-adapter/package.json')
  for (const driver of ['better-sqlite3', 'bindings', 'file-uri-to-path']) await link(`node_modules/${driver}`, `node_modules/${driver}`)
  await link('migrations/sqlite/0000_default_tables.sql', 'tables.sql')
  await writeFile(join(folder, 'app.mjs'), app)
  // With this option, the two links to Drizzle are two modules.
  const args = ['--preserve-symlinks', '--preserve-symlinks-main', 'app.mjs']
  const { found, areTwo } = JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }))
  expect(areTwo).toBe(true)
  expect(found).toMatchObject({ session: { sessionToken: 's' }, user: { email: 'a@example.com' } })
})
