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
  const cases = casesFor(adapter).filter(({ name }) => name.includes(' stores dates '))
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
