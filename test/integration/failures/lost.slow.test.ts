import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg } from '../../support/databases.js'
import { newPerson, operations, seedPerson } from '../../support/operations.js'
import { openPool } from '../../support/pool.js'
import { openProxy } from '../../support/proxy.js'
import { root } from '../../support/root.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'

type AnyAdapter = ReturnType<typeof DrizzleAdapter<typeof pgSchema>>

// The round trips of each operation, in order, on databases with RETURNING and on MySQL: r is a read, which is retried; w is a write, which
// is not. postgres.js lets the server describe (d) a statement that it does not keep, and then runs it.
const read = { returning: 'r', mysql: 'r' }
const create = { returning: 'w', mysql: 'wr' }
const update = { returning: 'w', mysql: 'wr' }
const remove = { returning: 'w', mysql: 'rw' }

const tripsOf: Record<keyof typeof operations, { returning: string; mysql: string }> = {
  createUser: create,
  getUser: read,
  getUserByEmail: read,
  updateUser: update,
  linkAccount: create,
  getAccount: read,
  getUserByAccount: read,
  createSession: create,
  getSessionAndUser: read,
  updateSession: update,
  createVerificationToken: create,
  useVerificationToken: remove,
  createAuthenticator: create,
  getAuthenticator: read,
  listAuthenticatorsByUserId: read,
  updateAuthenticatorCounter: update,
  deleteSession: remove,
  unlinkAccount: remove,
  deleteUser: remove,
}

/** An adapter whose only connection goes through a proxy that can drop it, and one that is connected directly. */
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
      // Without a timeout, postgres.js 3.4 waits forever for the end of a connection that was reset.
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

function tripsWith(driver: keyof typeof drivers, name: keyof typeof operations): string {
  if (driver === 'postgres.js' && name === 'deleteUser') return 'dw'
  return tripsOf[name][drivers[driver] === 'mysql' ? 'mysql' : 'returning']
}

const chosen = (Object.keys(drivers) as (keyof typeof drivers)[]).filter((name) => inject('dialects').includes(drivers[name]))

describe.each(chosen)('a lost connection of %s', (driver) => {
  test.each(['request', 'answer'] as const)(
    'at the %s of a round trip: each operation is retried or throws as documented',
    async (lost) => {
      const { adapter, direct, proxy } = await openPair(driver)
      for (const name of Object.keys(tripsOf) as (keyof typeof operations)[]) {
        const operation = operations[name]
        const trips = tripsWith(driver, name)
        for (const [index, trip] of [...trips].entries()) {
          const label = `${name}, ${lost} of round trip ${index + 1}`
          // The first call opens the connection, and prepares the statements where the driver does so.
          await operation.run(adapter, await seedPerson(direct, operation))
          const counted = await seedPerson(direct, operation)
          expect(await proxy.count(async () => operation.run(adapter, counted)), name).toBe(trips.length)

          const person = await seedPerson(direct, operation)
          proxy.loseAt(index + 1, lost)
          const answer = await Promise.resolve(operation.run(adapter, person)).catch((error) => error)
          if (trip === 'r') {
            expect(answer, label).not.toBeInstanceOf(Error)
            expect(answer, label).toBeTruthy()
            if (operation.isDone) expect(await operation.isDone(direct, person), label).toBe(true)
          } else {
            expect(answer, label).toMatchObject({ name: 'AdapterOperationError', operation: name, kind: 'unreachable' })
            expect(await operation.isDone?.(direct, person), label).toBe(lost === 'answer' && trip === 'w')
          }
        }
      }
    },
  )

  test.each(['request', 'answer'] as const)('at the %s: no token is used twice, and no row is created twice', async (lost) => {
    const { adapter, direct, proxy } = await openPair(driver)
    await adapter.useVerificationToken(await direct.createVerificationToken(newPerson().token))
    const token = await direct.createVerificationToken(newPerson().token)
    proxy.loseAt(tripsWith(driver, 'useVerificationToken').length, lost)
    await expect(adapter.useVerificationToken(token)).rejects.toMatchObject({ kind: 'unreachable' })
    const answers = [await adapter.useVerificationToken(token), await direct.useVerificationToken(token)]
    expect(answers).toEqual(lost === 'answer' ? [null, null] : [token, null])

    const { user } = newPerson()
    await adapter.createUser(newPerson().user)
    proxy.loseAt(1, lost)
    await expect(adapter.createUser(user)).rejects.toMatchObject({ kind: 'unreachable' })
    const again = await adapter.createUser(user).catch(({ kind }) => kind)
    expect(again).toEqual(lost === 'answer' ? 'duplicate' : user)
    expect(await direct.getUserByEmail(user.email)).toEqual(user)
  })
})

test('docs/errors.md says for each operation whether it is retried', async () => {
  const text = await readFile(join(root, 'docs', 'errors.md'), 'utf8')
  const rows = text.split('\n').filter((line) => /^\| `\w+`.*\| (retried|throws)/.test(line))
  const documented = new Map(
    rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => [name, row.split('|')[2]?.trim()])),
  )
  const expected = Object.entries(tripsOf).map(([name, { mysql }]) => [name, mysql === 'r' ? 'retried' : 'throws'])
  expect(new Map([...documented].sort())).toEqual(new Map((expected as [string, string][]).sort()))
})
