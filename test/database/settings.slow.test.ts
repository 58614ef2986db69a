import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { casesFor } from 'drizzle-auth-adapter/testing'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { afterEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../helpers/databases.js'
import * as mysqlSchema from '../schema/mysql.js'
import * as pgSchema from '../schema/pg.js'
import * as sqliteSchema from '../schema/sqlite.js'

const dialects = inject('dialects')
const zones = ['Asia/Kolkata', 'America/St_Johns', 'Pacific/Kiritimati', 'UTC']
const processZone = process.env.TZ

afterEach(() => {
  process.env.TZ = processZone ?? ''
  if (processZone === undefined) delete process.env.TZ
})

async function runDateCases(adapter: object) {
  const cases = casesFor(adapter).filter(({ name }) => name.startsWith('dates keep'))
  expect(cases).not.toEqual([])
  for (const { run } of cases) await run(adapter)
}

/** Writes a date in one time zone, and expects the same instant in all others. */
async function expectSameInstant(adapters: object[]) {
  const [first, ...others] = adapters as ReturnType<typeof DrizzleAdapter<typeof pgSchema>>[]
  if (!first) return
  const expires = new Date('2026-03-29T01:30:00.123Z')
  process.env.TZ = 'America/New_York'
  const user = await first.createUser({ email: `${crypto.randomUUID()}@example.com`, emailVerified: expires })
  const { sessionToken } = await first.createSession({ sessionToken: crypto.randomUUID(), userId: user.id, expires })
  for (const other of [first, ...others]) {
    for (const zone of zones) {
      process.env.TZ = zone
      expect(await other.getSessionAndUser(sessionToken)).toMatchObject({ session: { expires }, user: { emailVerified: expires } })
    }
  }
}

describe('time zones', () => {
  test.runIf(dialects.includes('sqlite'))('of the process do not matter on SQLite', async () => {
    const { db, close } = await openSqlite()
    onTestFinished(close)
    const adapter = DrizzleAdapter(db, sqliteSchema)
    for (const zone of zones) {
      process.env.TZ = zone
      await runDateCases(adapter)
    }
    await expectSameInstant([adapter])
  })

  test.runIf(dialects.includes('pg'))('of the process and of the connection do not matter on PostgreSQL', async () => {
    const { url, close } = await openPg()
    onTestFinished(close)
    const clients = zones.map((TimeZone) => postgres(url, { max: 1, connection: { TimeZone } }))
    onTestFinished(async () => void (await Promise.all(clients.map((client) => client.end()))))
    const adapters = clients.map((client) => DrizzleAdapter(drizzlePg({ client }), pgSchema))
    for (const adapter of adapters) {
      for (const zone of zones) {
        process.env.TZ = zone
        await runDateCases(adapter)
      }
    }
    await expectSameInstant(adapters)
  })

  test.runIf(dialects.includes('mysql'))('of the process, the connection and the server do not matter on MySQL', async () => {
    const { url, exec, close } = await openMysql()
    onTestFinished(close)
    const clients = ['+05:30', '-03:30', '+13:00', '+00:00'].map((zone) => {
      const client = mysql.createPool({ uri: url, connectionLimit: 1, timezone: zone as '+05:30' })
      client.pool.on('connection', (connection) => connection.query(`set time_zone = '${zone}'`))
      return client
    })
    onTestFinished(async () => void (await Promise.all(clients.map((client) => client.end()))))
    const adapters = clients.map((client) => DrizzleAdapter(drizzleMysql({ client }), mysqlSchema))
    for (const adapter of adapters) {
      for (const zone of zones) {
        process.env.TZ = zone
        await runDateCases(adapter)
      }
    }
    await expectSameInstant(adapters)
    // The server's time zone applies to connections that set none. It is changed only on a server that the tests have started.
    if (/^mysql:\/\/root@127\.0\.0\.1/.test(url) && !process.env.MYSQL_URL) {
      await exec(`set global time_zone = '-11:00'`)
      onTestFinished(() => exec(`set global time_zone = 'SYSTEM'`))
      const client = mysql.createPool({ uri: url, connectionLimit: 1 })
      onTestFinished(() => client.end())
      await expectSameInstant([...adapters, DrizzleAdapter(drizzleMysql({ client }), mysqlSchema)])
    }
  })
})

describe.runIf(dialects.includes('mysql'))('sql_mode', () => {
  // The mode without strictness, and all modes that change how statements are parsed.
  test.each(['', 'TRADITIONAL,ANSI,NO_BACKSLASH_ESCAPES'])('%o does not break the contract', async (mode) => {
    const { url, close } = await openMysql()
    onTestFinished(close)
    const client = mysql.createPool({ uri: url, connectionLimit: 10 })
    client.pool.on('connection', (connection) => connection.query(`set sql_mode = '${mode}'`))
    onTestFinished(() => client.end())
    const adapter = DrizzleAdapter(drizzleMysql({ client }), mysqlSchema)
    for (const c of casesFor(adapter))
      await c.run(adapter).catch((error) => Promise.reject(new Error(`${c.name}: ${error.message}`, { cause: error })))
    // A server that is not in strict mode would cut off a key that is too long.
    const tooLong = 'x'.repeat(1021)
    await expect(adapter.createUser({ email: tooLong })).rejects.toMatchObject({ kind: 'too-long', column: 'email' })
    expect(await adapter.getUserByEmail(tooLong.slice(0, 1020))).toBeNull()
    const user = await adapter.createUser({ email: 'a@example.com' })
    const authenticator = {
      credentialID: 'c',
      userId: user.id,
      providerAccountId: 'a',
      credentialPublicKey: 'k',
      counter: 2 ** 32,
      credentialDeviceType: 'd',
      credentialBackedUp: true,
    }
    await expect(adapter.createAuthenticator(authenticator)).rejects.toMatchObject({ kind: 'invalid', column: 'counter' })
    await expect(adapter.createAuthenticator({ ...authenticator, counter: -1 })).rejects.toMatchObject({
      kind: 'invalid',
      column: 'counter',
    })
  })
})
