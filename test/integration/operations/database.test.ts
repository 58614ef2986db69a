import { execFileSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { casesFor } from 'drizzle-auth-adapter/testing'
import { Cache } from 'drizzle-orm/cache/core'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import * as lite from 'drizzle-orm/sqlite-core'
import NodePg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { extensions, operations, seedPerson } from '../../support/operations.js'
import { root } from '../../support/root.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'

const dialects = inject('dialects')
const on = (dialect: DialectName) => describe.runIf(dialects.includes(dialect))

const contractOperations = [
  'createUser',
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'updateUser',
  'deleteUser',
  'linkAccount',
  'unlinkAccount',
  'getAccount',
  'createSession',
  'getSessionAndUser',
  'updateSession',
  'deleteSession',
  'createVerificationToken',
  'useVerificationToken',
  'createAuthenticator',
  'getAuthenticator',
  'listAuthenticatorsByUserId',
  'updateAuthenticatorCounter',
]

const accountExtensions = ['listAccounts', 'updateAccount']
const sessionExtensions = ['listSessions', 'revokeSession', 'revokeSessions']

on('sqlite')('the adapter object', () => {
  test('has as own enumerable properties the nineteen operations in the contract’s order, then its extensions', async () => {
    const { db, close } = await openSqlite()
    onTestFinished(close)
    expect(Object.keys(DrizzleAdapter(db, sqliteSchema))).toEqual([...contractOperations, ...accountExtensions, ...sessionExtensions])
  })

  test('can be spread, destructured, wrapped and overridden', async () => {
    const { db, close } = await openSqlite()
    onTestFinished(close)
    const adapter = DrizzleAdapter(db, sqliteSchema)
    const { createUser, getUser } = adapter
    const user = await createUser.call(undefined, { email: 'a@example.com' })
    expect(await [getUser][0]?.(user.id)).toEqual(user)
    const extended = { ...adapter, getUser: async (id: string) => ({ ...(await adapter.getUser(id)), extra: true }) }
    expect(await extended.getUser(user.id)).toEqual({ ...user, extra: true })
    const wrapped = new Proxy(adapter, {})
    expect(await wrapped.getUserByEmail('a@example.com')).toEqual(user)
  })

  test('has no operation for a table that it was not given, and does not query it', async () => {
    const queries: string[] = []
    const { db, close } = await openSqlite({ logger: { logQuery: (query) => queries.push(query) } })
    onTestFinished(close)
    const { usersTable, accountsTable, sessionsTable } = sqliteSchema
    const small = DrizzleAdapter(db, { usersTable, accountsTable })
    expect(Object.keys(small)).toEqual([...contractOperations.slice(0, 9), ...accountExtensions])
    expect('createSession' in small).toBe(false)
    for (const c of casesFor(small)) await c.run(small)
    const user = await small.createUser({ email: 'a@example.com' })
    await small.deleteUser(user.id)
    expect(queries.filter((query) => /"(session|verificationToken|authenticator)"/.test(query))).toEqual([])
    expect(Object.keys(DrizzleAdapter(db, { usersTable, accountsTable, sessionsTable }))).toEqual([
      ...contractOperations.slice(0, 13),
      ...accountExtensions,
      ...sessionExtensions,
    ])
    const optional = { sessionsTable: undefined, verificationTokensTable: undefined }
    expect(Object.keys(DrizzleAdapter(db, { usersTable, accountsTable, ...optional }))).toEqual([
      ...contractOperations.slice(0, 9),
      ...accountExtensions,
    ])
  })

  test('stores token_type in lower case, and reads what others stored in capitals', async () => {
    const { db, client, close } = await openSqlite()
    onTestFinished(close)
    const adapter = DrizzleAdapter(db, sqliteSchema)
    const { id } = await adapter.createUser({ email: 'a@example.com' })
    await adapter.linkAccount({ userId: id, type: 'oauth', provider: 'p', providerAccountId: '1', token_type: 'BeArEr' as 'bearer' })
    expect(client.prepare('select token_type from account').get()).toEqual({ token_type: 'bearer' })
    client.exec(`update account set token_type = 'Bearer'`)
    expect(await adapter.getAccount('1', 'p')).toMatchObject({ token_type: 'bearer' })
  })

  test('deletes all rows of a user, even if foreign keys are not enforced', async () => {
    const { db, client, close } = await openSqlite()
    onTestFinished(close)
    client.pragma('foreign_keys = off')
    const adapter = DrizzleAdapter(db, sqliteSchema)
    const cases = casesFor(adapter).filter(({ name }) => name.startsWith('deleteUser'))
    expect(cases).not.toEqual([])
    for (const { run } of cases) await run(adapter)
    const user = await adapter.createUser({ email: 'a@example.com' })
    await adapter.createSession({ sessionToken: 's', userId: user.id, expires: new Date() })
    await adapter.linkAccount({ userId: user.id, type: 'oauth', provider: 'p', providerAccountId: '1' })
    await adapter.deleteUser(user.id)
    for (const table of ['session', 'account', 'authenticator']) {
      expect(client.prepare(`select count(*) as n from ${table} where userId = ?`).get(user.id)).toEqual({ n: 0 })
    }
  })
})

describe('a single connection', () => {
  on('pg')('pg', () => {
    // node-postgres warns of a query that is sent while another one runs, and its next version rejects it.
    test('never has two queries of one operation at a time', async () => {
      const { url, close } = await openPg()
      onTestFinished(close)
      const client = new NodePg.Client(url)
      await client.connect()
      onTestFinished(() => client.end())
      let running = 0
      let most = 0
      const counted = new Proxy(client, {
        get: (target, name) =>
          name === 'query'
            ? async (...query: [string]) => {
                most = Math.max(most, ++running)
                return target.query(...query).finally(() => running--)
              }
            : Reflect.get(target, name),
      })
      const adapter = DrizzleAdapter(drizzleNodePg({ client: counted }), pgSchema)
      const user = await adapter.createUser({ email: 'a@example.com' })
      await adapter.createSession({ sessionToken: 's', userId: user.id, expires: new Date() })
      expect(await adapter.deleteUser(user.id)).toEqual(user)
      expect(most).toBe(1)
    })
  })
})

/** Runs each operation once. */
async function runEach(adapter: object) {
  const all = { ...operations, ...extensions }
  for (const operation of Object.values(all)) await operation.run(adapter as Adapter, await seedPerson(adapter as Adapter, operation))
}

describe('a database with replicas', () => {
  // The replica has no tables, so every statement that reached it would fail.
  on('sqlite')('sqlite', () => {
    test('is only used through its primary', async () => {
      const [primary, replica] = [await openSqlite(), await openSqlite({ migrations: [] })]
      onTestFinished(primary.close)
      onTestFinished(replica.close)
      const adapter = DrizzleAdapter(lite.withReplicas(primary.db, [replica.db]), sqliteSchema)
      await runEach(adapter)
    })
  })
  on('pg')('pg', () => {
    test('is only used through its primary', async () => {
      const [primary, replica] = [await openPg(), await openPg({ migrations: [] })]
      onTestFinished(primary.close)
      onTestFinished(replica.close)
      const adapter = DrizzleAdapter(pg.withReplicas(primary.db, [replica.db]), pgSchema)
      await runEach(adapter)
    })
  })
  on('mysql')('mysql', () => {
    test('is only used through its primary', async () => {
      const [primary, replica] = [await openMysql(), await openMysql({ migrations: [] })]
      onTestFinished(primary.close)
      onTestFinished(replica.close)
      const adapter = DrizzleAdapter(my.withReplicas(primary.db, [replica.db]), mysqlSchema)
      await runEach(adapter)
    })
  })
})

/** A cache that keeps every result forever, and is never invalidated. */
class StaleCache extends Cache {
  readonly kept = new Map<string, unknown[]>()
  override strategy = () => 'all' as const
  override get = async (key: string) => this.kept.get(key)
  override put = async (key: string, response: unknown[]) => void this.kept.set(key, response)
  override onMutate = async () => {}
}

describe('a database that caches every query', () => {
  on('pg')('pg', () => {
    test('is always queried without the cache', async () => {
      const { client, close } = await openPg()
      onTestFinished(close)
      const cache = new StaleCache()
      const db = drizzlePg({ client, cache })
      await expectCacheUnused(DrizzleAdapter(db, pgSchema), cache, () => db.select().from(pgSchema.usersTable))
    })
  })
  on('mysql')('mysql', () => {
    test('is always queried without the cache', async () => {
      const { client, close } = await openMysql()
      onTestFinished(close)
      const cache = new StaleCache()
      const db = drizzleMysql({ client, cache })
      await expectCacheUnused(DrizzleAdapter(db, mysqlSchema), cache, () => db.select().from(mysqlSchema.usersTable))
    })
  })
})

async function expectCacheUnused(
  adapter: ReturnType<typeof DrizzleAdapter<typeof pgSchema | typeof mysqlSchema>>,
  cache: StaleCache,
  appQuery: () => PromiseLike<unknown>,
) {
  await runEach(adapter)
  expect(cache.kept.size).toBe(0)
  // To check the cache itself: a query of the app does end up in it.
  await appQuery()
  expect(cache.kept.size).toBe(1)
}

describe('a transaction', () => {
  on('pg')('pg', () => {
    test('can be used as a database, and can be rolled back', async () => {
      const { db, close } = await openPg()
      onTestFinished(close)
      await expectRollback((run) => db.transaction(async (tx) => run(DrizzleAdapter(tx, pgSchema))), DrizzleAdapter(db, pgSchema))
    })
  })
  on('mysql')('mysql', () => {
    test('can be used as a database, and can be rolled back', async () => {
      const { db, close } = await openMysql()
      onTestFinished(close)
      await expectRollback((run) => db.transaction(async (tx) => run(DrizzleAdapter(tx, mysqlSchema))), DrizzleAdapter(db, mysqlSchema))
    })
  })
})

type AnyAdapter = ReturnType<typeof DrizzleAdapter<typeof pgSchema>>

async function expectRollback(transaction: (run: (adapter: object) => Promise<void>) => Promise<unknown>, outside: object) {
  const run = async (inside: object) => {
    const adapter = inside as AnyAdapter
    const user = await adapter.createUser({ id: 'u1', email: 'tx@example.com' })
    // Lookups that find nothing must not abort the transaction, whatever the key.
    for (const key of ['nobody', 'a\0b', '\ud800', 'x'.repeat(100_000)]) expect(await adapter.getUser(key)).toBeNull()
    await adapter.createSession({ sessionToken: 's', userId: user.id, expires: new Date() })
    expect(await adapter.getSessionAndUser('s')).toMatchObject({ user: { id: 'u1' } })
    // An error keeps its kind, even if it aborts the transaction.
    const other = await adapter.createUser({ email: 'other@example.com' })
    await expect(adapter.updateUser({ id: other.id, email: 'tx@example.com' })).rejects.toMatchObject({ kind: 'duplicate' })
    throw new Error('undo')
  }
  await expect(transaction(run)).rejects.toThrow('undo')
  expect(await (outside as AnyAdapter).getUser('u1')).toBeNull()
}

on('sqlite')('two copies of Drizzle', () => {
  test('work together: one of the app, and one in the adapter’s own node_modules', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'two-copies-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const name = process.env.DRIZZLE === 'drizzle 1.0' ? 'drizzle-orm-v1' : 'drizzle-orm'
    // Node.js needs none of the type declarations, maps and CommonJS files, which are most of Drizzle.
    const isNeeded = (file: string) => !/\.(d\.[cm]?ts|map|cjs)$/.test(file)
    const copy = (from: string, to: string) => cp(join(root, from), join(folder, to), { recursive: true, filter: isNeeded })
    await copy(`node_modules/${name}`, 'node_modules/drizzle-orm')
    await copy(`node_modules/${name}`, 'node_modules/drizzle-auth-adapter/node_modules/drizzle-orm')
    await copy('dist', 'node_modules/drizzle-auth-adapter/dist')
    await copy('package.json', 'node_modules/drizzle-auth-adapter/package.json')
    for (const driver of ['better-sqlite3', 'bindings', 'file-uri-to-path']) await copy(`node_modules/${driver}`, `node_modules/${driver}`)
    await copy('migrations/sqlite/0000_default_tables.sql', 'tables.sql')
    await writeFile(
      join(folder, 'app.mjs'),
      `
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
      console.log(JSON.stringify({ found: await adapter.getSessionAndUser('s'), id: user.id }))
    `,
    )
    const { found, id } = JSON.parse(execFileSync(process.execPath, ['app.mjs'], { cwd: folder, encoding: 'utf8' }))
    expect(found).toEqual({
      session: { sessionToken: 's', userId: id, expires: '1970-01-01T00:00:00.001Z' },
      user: { id, email: 'a@example.com', emailVerified: null },
    })
    expect(await readFile(join(folder, 'node_modules/drizzle-orm/package.json'), 'utf8')).toContain('"drizzle-orm"')
  })
})
