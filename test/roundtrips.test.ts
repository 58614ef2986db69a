import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from './databases.js'
import type { DialectName } from './dialects.js'
import * as mysqlSchema from './schema/mysql.js'
import * as pgSchema from './schema/pg.js'
import * as sqliteSchema from './schema/sqlite.js'
import { openWire } from './wire.js'

type AnyAdapter = ReturnType<typeof DrizzleAdapter<typeof pgSchema>>
interface Counted {
  adapter: AnyAdapter
  count(run: () => Promise<unknown>): Promise<number>
}

const open: Record<DialectName, () => Promise<Counted>> = {
  // SQLite has no wire: each statement is one.
  async sqlite() {
    let statements = 0
    const { db, close } = await openSqlite({ logger: { logQuery: () => statements++ } })
    onTestFinished(close)
    const count = async (run: () => Promise<unknown>) => {
      const before = statements
      await run()
      return statements - before
    }
    return { adapter: DrizzleAdapter(db, sqliteSchema) as unknown as AnyAdapter, count }
  },
  async pg() {
    const { url, close } = await openPg()
    onTestFinished(close)
    const wire = await openWire(url)
    onTestFinished(wire.close)
    const client = postgres(wire.url, { max: 1, fetch_types: false })
    onTestFinished(() => client.end())
    return { adapter: DrizzleAdapter(drizzlePg({ client }), pgSchema), count: wire.count }
  },
  async mysql() {
    const { url, close } = await openMysql()
    onTestFinished(close)
    const wire = await openWire(url)
    onTestFinished(wire.close)
    const client = mysql.createPool({ uri: wire.url, connectionLimit: 1 })
    onTestFinished(() => client.end())
    return { adapter: DrizzleAdapter(drizzleMysql({ client }), mysqlSchema) as unknown as AnyAdapter, count: wire.count }
  },
}

/** Each operation, ready to be called on rows of its own, with what it takes on databases with RETURNING and on MySQL. */
function operations(adapter: AnyAdapter): Record<string, { prepare(): Promise<() => Promise<unknown>>; returning: number; mysql: number }> {
  const user = () => adapter.createUser({ id: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.com` })
  const newAccount = async () => ({
    userId: (await user()).id,
    type: 'oauth' as const,
    provider: 'p',
    providerAccountId: crypto.randomUUID(),
  })
  const account = async () => adapter.linkAccount(await newAccount())
  const newSession = async () => ({ userId: (await user()).id, sessionToken: crypto.randomUUID(), expires: new Date() })
  const session = async () => adapter.createSession(await newSession())
  const newToken = () => ({ identifier: crypto.randomUUID(), token: crypto.randomUUID(), expires: new Date() })
  const newAuthenticator = async () => ({
    credentialID: crypto.randomUUID(),
    userId: (await user()).id,
    providerAccountId: 'a',
    credentialPublicKey: 'k',
    counter: 0,
    credentialDeviceType: 'd',
    credentialBackedUp: true,
  })
  const authenticator = async () => adapter.createAuthenticator(await newAuthenticator())
  const read = { returning: 1, mysql: 1 }
  const write = { returning: 1, mysql: 2 }
  const create = { returning: 1, mysql: 1 }
  return {
    createUser: { ...create, prepare: async () => user },
    getUser: {
      ...read,
      prepare: async () =>
        (
          (u) => () =>
            adapter.getUser(u.id)
        )(await user()),
    },
    getUserByEmail: {
      ...read,
      prepare: async () =>
        (
          (u) => () =>
            adapter.getUserByEmail(u.email)
        )(await user()),
    },
    getUserByAccount: {
      ...read,
      prepare: async () =>
        (
          (a) => () =>
            adapter.getUserByAccount(a)
        )(await account()),
    },
    updateUser: {
      ...write,
      prepare: async () =>
        (
          (u) => () =>
            adapter.updateUser({ id: u.id, name: 'x' })
        )(await user()),
    },
    deleteUser: {
      returning: 4,
      mysql: 5,
      prepare: async () =>
        (
          (u) => () =>
            adapter.deleteUser(u.id)
        )(await user()),
    },
    linkAccount: {
      ...create,
      prepare: async () =>
        (
          (a) => () =>
            adapter.linkAccount(a)
        )(await newAccount()),
    },
    unlinkAccount: {
      ...write,
      prepare: async () =>
        (
          (a) => () =>
            adapter.unlinkAccount(a)
        )(await account()),
    },
    getAccount: {
      ...read,
      prepare: async () =>
        (
          (a) => () =>
            adapter.getAccount(a.providerAccountId, a.provider)
        )(await account()),
    },
    createSession: {
      ...create,
      prepare: async () =>
        (
          (s) => () =>
            adapter.createSession(s)
        )(await newSession()),
    },
    getSessionAndUser: {
      ...read,
      prepare: async () =>
        (
          (s) => () =>
            adapter.getSessionAndUser(s.sessionToken)
        )(await session()),
    },
    updateSession: {
      ...write,
      prepare: async () =>
        (
          (s) => () =>
            adapter.updateSession({ ...s, expires: new Date(0) })
        )(await session()),
    },
    deleteSession: {
      ...write,
      prepare: async () =>
        (
          (s) => () =>
            adapter.deleteSession(s.sessionToken)
        )(await session()),
    },
    createVerificationToken: {
      ...create,
      prepare: async () =>
        (
          (t) => () =>
            adapter.createVerificationToken(t)
        )(newToken()),
    },
    useVerificationToken: {
      ...write,
      prepare: async () =>
        (
          (t) => () =>
            adapter.useVerificationToken(t)
        )(await adapter.createVerificationToken(newToken())),
    },
    createAuthenticator: {
      ...create,
      prepare: async () =>
        (
          (a) => () =>
            adapter.createAuthenticator(a)
        )(await newAuthenticator()),
    },
    getAuthenticator: {
      ...read,
      prepare: async () =>
        (
          (a) => () =>
            adapter.getAuthenticator(a.credentialID)
        )(await authenticator()),
    },
    listAuthenticatorsByUserId: {
      ...read,
      prepare: async () =>
        (
          (a) => () =>
            adapter.listAuthenticatorsByUserId(a.userId)
        )(await authenticator()),
    },
    updateAuthenticatorCounter: {
      ...write,
      prepare: async () =>
        (
          (a) => () =>
            adapter.updateAuthenticatorCounter(a.credentialID, 1)
        )(await authenticator()),
    },
  }
}

describe.each(inject('dialects'))('round trips on %s', (dialect) => {
  test('are as few as they can be, for each operation', async () => {
    const { adapter, count } = await open[dialect]()
    const all = operations(adapter)
    expect(Object.keys(all)).toEqual(Object.keys(adapter))
    const counted: Record<string, number> = {}
    const expected: Record<string, number> = {}
    for (const [name, { prepare, returning, mysql }] of Object.entries(all)) {
      // The first call of a kind makes the driver prepare its statement; what counts is every call after it.
      await (await prepare())()
      const run = await prepare()
      counted[name] = await count(run)
      expected[name] = dialect === 'mysql' ? mysql : returning
    }
    // postgres.js sends what removes a user's belongings together.
    if (dialect === 'pg') expected.deleteUser = 2
    expect(counted).toEqual(expected)
  })

  test('are none for a key that no row can have', async () => {
    const { adapter, count } = await open[dialect]()
    await adapter.getUser('x')
    expect(await count(() => adapter.getUser('\ud800'))).toBe(0)
  })
})
