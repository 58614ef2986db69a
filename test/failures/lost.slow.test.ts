import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg } from '../helpers/databases.js'
import { openPool } from '../helpers/pool.js'
import { openProxy } from '../helpers/proxy.js'
import * as mysqlSchema from '../schema/mysql.js'
import * as pgSchema from '../schema/pg.js'

type AnyAdapter = ReturnType<typeof DrizzleAdapter<typeof pgSchema>>

/** An operation on rows of its own. */
interface Prepared {
  run(adapter: AnyAdapter): Promise<unknown>
  /** Whether what it writes is in the database, asked on another connection. */
  isDone?(): Promise<boolean>
}

// The statements of an operation, with RETURNING and on MySQL: (r)ead or (d)elete without an answer, run again; (w)rite, not.
const read = { returning: 'r', mysql: 'r' }
const create = { returning: 'w', mysql: 'w' }
const update = { returning: 'w', mysql: 'wr' }
const remove = { returning: 'w', mysql: 'rw' }

type Operations = Record<string, { returning: string; mysql: string; prepare(direct: AnyAdapter): Promise<Prepared> }>

const id = () => crypto.randomUUID()
const newUser = () => ({ id: id(), email: `${id()}@example.com`, name: 'Ada', emailVerified: null, image: null })
const aUser = (direct: AnyAdapter) => direct.createUser(newUser())
const newAccount = async (direct: AnyAdapter) => ({
  userId: (await aUser(direct)).id,
  type: 'oauth' as const,
  provider: 'p',
  providerAccountId: id(),
})
const anAccount = async (direct: AnyAdapter) => direct.linkAccount(await newAccount(direct))
const newSession = async (direct: AnyAdapter) => ({ userId: (await aUser(direct)).id, sessionToken: id(), expires: new Date(0) })
const aSession = async (direct: AnyAdapter) => direct.createSession(await newSession(direct))
const newToken = () => ({ identifier: id(), token: id(), expires: new Date(0) })
const newAuthenticator = async (direct: AnyAdapter) => ({
  credentialID: id(),
  userId: (await aUser(direct)).id,
  providerAccountId: 'a',
  credentialPublicKey: 'k',
  counter: 0,
  credentialDeviceType: 'd',
  credentialBackedUp: true,
})
const anAuthenticator = async (direct: AnyAdapter) => direct.createAuthenticator(await newAuthenticator(direct))

const operations = {
  createUser: {
    ...create,
    async prepare(direct) {
      const user = newUser()
      return { run: (adapter) => adapter.createUser(user), isDone: async () => (await direct.getUserByEmail(user.email)) !== null }
    },
  },
  getUser: {
    ...read,
    async prepare(direct) {
      const user = await aUser(direct)
      return { run: (adapter) => adapter.getUser(user.id) }
    },
  },
  getUserByEmail: {
    ...read,
    async prepare(direct) {
      const user = await aUser(direct)
      return { run: (adapter) => adapter.getUserByEmail(user.email) }
    },
  },
  getUserByAccount: {
    ...read,
    async prepare(direct) {
      const account = await anAccount(direct)
      return { run: (adapter) => adapter.getUserByAccount(account) }
    },
  },
  updateUser: {
    ...update,
    async prepare(direct) {
      const user = await aUser(direct)
      return {
        run: (adapter) => adapter.updateUser({ id: user.id, name: 'Eva' }),
        isDone: async () => (await direct.getUser(user.id))?.name === 'Eva',
      }
    },
  },
  deleteUser: {
    ...remove,
    async prepare(direct) {
      const { userId } = await aSession(direct)
      return { run: (adapter) => adapter.deleteUser(userId), isDone: async () => (await direct.getUser(userId)) === null }
    },
  },
  linkAccount: {
    ...create,
    async prepare(direct) {
      const account = await newAccount(direct)
      return { run: (adapter) => adapter.linkAccount(account), isDone: async () => (await direct.getUserByAccount(account)) !== null }
    },
  },
  unlinkAccount: {
    ...remove,
    async prepare(direct) {
      const account = await anAccount(direct)
      return { run: (adapter) => adapter.unlinkAccount(account), isDone: async () => (await direct.getUserByAccount(account)) === null }
    },
  },
  getAccount: {
    ...read,
    async prepare(direct) {
      const { provider, providerAccountId } = await anAccount(direct)
      return { run: (adapter) => adapter.getAccount(providerAccountId, provider) }
    },
  },
  createSession: {
    ...create,
    async prepare(direct) {
      const session = await newSession(direct)
      return {
        run: (adapter) => adapter.createSession(session),
        isDone: async () => (await direct.getSessionAndUser(session.sessionToken)) !== null,
      }
    },
  },
  getSessionAndUser: {
    ...read,
    async prepare(direct) {
      const { sessionToken } = await aSession(direct)
      return { run: (adapter) => adapter.getSessionAndUser(sessionToken) }
    },
  },
  updateSession: {
    ...update,
    async prepare(direct) {
      const { sessionToken } = await aSession(direct)
      const expires = new Date('2030-01-01')
      return {
        run: (adapter) => adapter.updateSession({ sessionToken, expires }),
        isDone: async () => (await direct.getSessionAndUser(sessionToken))?.session.expires.getTime() === expires.getTime(),
      }
    },
  },
  deleteSession: {
    ...remove,
    async prepare(direct) {
      const { sessionToken } = await aSession(direct)
      return {
        run: (adapter) => adapter.deleteSession(sessionToken),
        isDone: async () => (await direct.getSessionAndUser(sessionToken)) === null,
      }
    },
  },
  createVerificationToken: {
    ...create,
    async prepare(direct) {
      const token = newToken()
      return {
        run: (adapter) => adapter.createVerificationToken(token),
        isDone: async () => (await direct.createVerificationToken(token).catch(({ kind }) => kind)) === 'duplicate',
      }
    },
  },
  useVerificationToken: {
    ...remove,
    async prepare(direct) {
      const token = await direct.createVerificationToken(newToken())
      return {
        run: (adapter) => adapter.useVerificationToken(token),
        // Where it can be used by somebody else, it was not used, and it is put back.
        async isDone() {
          if ((await direct.useVerificationToken(token)) === null) return true
          await direct.createVerificationToken(token)
          return false
        },
      }
    },
  },
  createAuthenticator: {
    ...create,
    async prepare(direct) {
      const authenticator = await newAuthenticator(direct)
      return {
        run: (adapter) => adapter.createAuthenticator(authenticator),
        isDone: async () => (await direct.listAuthenticatorsByUserId(authenticator.userId)).length === 1,
      }
    },
  },
  getAuthenticator: {
    ...read,
    async prepare(direct) {
      const { credentialID } = await anAuthenticator(direct)
      return { run: (adapter) => adapter.getAuthenticator(credentialID) }
    },
  },
  listAuthenticatorsByUserId: {
    ...read,
    async prepare(direct) {
      const { userId } = await anAuthenticator(direct)
      return { run: (adapter) => adapter.listAuthenticatorsByUserId(userId) }
    },
  },
  updateAuthenticatorCounter: {
    ...update,
    async prepare(direct) {
      const { credentialID } = await anAuthenticator(direct)
      return {
        run: (adapter) => adapter.updateAuthenticatorCounter(credentialID, 7),
        isDone: async () => (await direct.getAuthenticator(credentialID))?.counter === 7,
      }
    },
  },
} satisfies Operations

/** An adapter whose only connection goes through a proxy that can lose it, and one with connections of its own. */
async function openPair(driver: string) {
  const { url, db, close } = await (driver === 'mysql2' ? openMysql() : openPg())
  onTestFinished(close)
  const proxy = await openProxy(url)
  onTestFinished(proxy.close)
  const connect = () => {
    if (driver === 'mysql2') {
      const client = mysql.createPool({ uri: proxy.url, connectionLimit: 1 })
      onTestFinished(() => client.end())
      return DrizzleAdapter(drizzleMysql({ client }), mysqlSchema) as unknown as AnyAdapter
    }
    if (driver === 'postgres.js') {
      const client = postgres(proxy.url, { max: 1, fetch_types: false })
      // After a reset connection postgres.js 3.4 waits for its end in vain.
      onTestFinished(() => client.end({ timeout: 1 }))
      return DrizzleAdapter(drizzlePg({ client }), pgSchema)
    }
    const client = openPool({ connectionString: proxy.url, max: 1 })
    onTestFinished(() => client.end())
    return DrizzleAdapter(drizzleNodePg({ client }), pgSchema)
  }
  const direct = DrizzleAdapter(db as never, (driver === 'mysql2' ? mysqlSchema : pgSchema) as typeof pgSchema)
  return { adapter: connect(), direct: direct as AnyAdapter, proxy }
}

const drivers = { 'postgres.js': 'pg', 'node-postgres': 'pg', mysql2: 'mysql' } as const
const chosen = (Object.keys(drivers) as (keyof typeof drivers)[]).filter((name) => inject('dialects').includes(drivers[name]))

describe.each(chosen)('a connection of %s that is lost', (driver) => {
  const shape = drivers[driver] === 'mysql' ? 'mysql' : 'returning'

  test.each(['request', 'answer'] as const)('with the %s of a statement: each operation does as documented', async (lost) => {
    const { adapter, direct, proxy } = await openPair(driver)
    for (const [name, operation] of Object.entries(operations as Operations)) {
      const statements = operation[shape]
      for (const [index, statement] of [...statements].entries()) {
        const what = `${name}, ${lost} of statement ${index + 1}`
        // The first call makes a connection, and what the driver asks of the server once for each statement.
        await (await operation.prepare(direct)).run(adapter)
        expect(await proxy.count(async () => (await operation.prepare(direct)).run(adapter)), name).toBe(statements.length)

        const { run, isDone } = await operation.prepare(direct)
        proxy.loseAt(index + 1, lost)
        const answer = await run(adapter).catch((error) => error)
        if (statement !== 'w') {
          expect(answer, what).not.toBeInstanceOf(Error)
          expect(answer, what).toBeTruthy()
          if (isDone) expect(await isDone(), what).toBe(true)
        } else {
          expect(answer, what).toMatchObject({ name: 'AdapterOperationError', operation: name, kind: 'unreachable' })
          expect(await isDone?.(), what).toBe(lost === 'answer')
        }
      }
    }
  })

  test.each(['request', 'answer'] as const)('with the %s gives no token twice, and no row twice', async (lost) => {
    const { adapter, direct, proxy } = await openPair(driver)
    await adapter.useVerificationToken(await direct.createVerificationToken(newToken()))
    const token = await direct.createVerificationToken(newToken())
    proxy.loseAt(operations.useVerificationToken[shape].length, lost)
    await expect(adapter.useVerificationToken(token)).rejects.toMatchObject({ kind: 'unreachable' })
    const answers = [await adapter.useVerificationToken(token), await direct.useVerificationToken(token)]
    expect(answers).toEqual(lost === 'answer' ? [null, null] : [token, null])

    const user = newUser()
    await adapter.createUser(newUser())
    proxy.loseAt(1, lost)
    await expect(adapter.createUser(user)).rejects.toMatchObject({ kind: 'unreachable' })
    const again = await adapter.createUser(user).catch(({ kind }) => kind)
    expect(again).toEqual(lost === 'answer' ? 'duplicate' : user)
    expect(await direct.getUserByEmail(user.email)).toEqual(user)
  })
})

test('the documentation says of each operation what it does then', async () => {
  const text = await readFile(join(import.meta.dirname, '../..', 'docs', 'errors.md'), 'utf8')
  const rows = text.split('\n').filter((line) => /^\| `\w+`.*\| (retried|throws)/.test(line))
  const said = new Map(
    rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => [name, row.split('|')[2]?.trim()])),
  )
  const expected = Object.entries(operations).map(([name, { mysql }]) => [name, mysql === 'r' ? 'retried' : 'throws'])
  expect(new Map([...said].sort())).toEqual(new Map((expected as [string, string][]).sort()))
})
