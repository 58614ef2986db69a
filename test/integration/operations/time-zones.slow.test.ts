import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { afterEach, expect, inject, onTestFinished, test } from 'vitest'
import type { AnyAdapter } from '../../support/databases.js'
import { makeAdapter, openDatabase, openMysql, openPg } from '../../support/databases.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'

const dialects = inject('dialects')
const zones = ['Asia/Kolkata', 'America/St_Johns', 'Pacific/Kiritimati', 'UTC']
const processZone = process.env.TZ

afterEach(() => {
  if (processZone === undefined) delete process.env.TZ
  else process.env.TZ = processZone
})

/** Writes a date in each time zone of the process and of the connections, and expects the same instant in all others. */
async function expectSameInstant(adapters: AnyAdapter[]) {
  // In the hour that daylight saving time skips in Europe.
  const expires = new Date('2026-03-29T01:30:00.123Z')
  for (const writer of adapters) {
    process.env.TZ = 'America/New_York'
    const user = await writer.createUser({ email: `${crypto.randomUUID()}@example.com`, emailVerified: expires })
    const { sessionToken } = await writer.createSession({ sessionToken: crypto.randomUUID(), userId: user.id, expires })
    for (const reader of adapters) {
      for (const zone of zones) {
        process.env.TZ = zone
        expect(await reader.getSessionAndUser(sessionToken)).toMatchObject({ session: { expires }, user: { emailVerified: expires } })
      }
    }
  }
}

test.runIf(dialects.includes('sqlite'))('the time zone of the process does not matter on SQLite', async () => {
  const { adapter, close } = await openDatabase('sqlite')
  onTestFinished(close)
  await expectSameInstant([adapter()])
})

test.runIf(dialects.includes('pg'))('the time zones of the process and of the connection do not matter on PostgreSQL', async () => {
  const { url, close } = await openPg()
  onTestFinished(close)
  const adapters = zones.map((TimeZone) => {
    const client = postgres(url, { max: 1, connection: { TimeZone } })
    onTestFinished(() => client.end())
    return makeAdapter(drizzlePg({ client }), pgSchema)
  })
  await expectSameInstant(adapters)
})

test.runIf(dialects.includes('mysql'))('the time zones of the process and of the connection do not matter on MySQL', async () => {
  const { url, close } = await openMysql()
  onTestFinished(close)
  const adapters = (['+05:30', '-03:30', '+13:00', 'local'] as const).map((zone) => {
    const client = mysql.createPool({ uri: url, connectionLimit: 1, timezone: zone })
    client.pool.on('connection', (connection) => connection.query(`set time_zone = '${zone === 'local' ? '-11:00' : zone}'`))
    onTestFinished(() => client.end())
    return makeAdapter(drizzleMysql({ client }), mysqlSchema)
  })
  await expectSameInstant(adapters)
})
