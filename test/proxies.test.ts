import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg } from './databases.js'
import { openPool } from './pool.js'
import * as mysqlTables from './schema/mysql.js'
import * as pgTables from './schema/pg.js'

const sent = (value: unknown) => JSON.parse(JSON.stringify(value))

describe.runIf(inject('dialects').includes('pg'))('a proxy that sends dates as JSON writes them', () => {
  // 0.45 makes invalid dates of them, 1.0 without codecs leaves them text. Neither would ever expire.
  test('gives no session and no token whose expiry cannot be told', async () => {
    const { url, close } = await openPg()
    const client = openPool({ connectionString: url, max: 1 })
    onTestFinished(async () => {
      await client.end()
      await close()
    })
    const db = drizzlePg(async (text, values) => {
      const { rows } = await client.query({ text, values, rowMode: 'array' })
      return { rows: sent(rows) }
    })
    const adapter = DrizzleAdapter(db, pgTables)
    const user = await adapter.createUser({ email: 'ada@example.com' })
    const garbled = { kind: 'garbled', column: 'expires' }
    const session = { sessionToken: 's', userId: user.id, expires: new Date() }
    await expect(adapter.createSession(session)).rejects.toMatchObject(garbled)
    await expect(adapter.getSessionAndUser('s')).rejects.toMatchObject(garbled)
    await expect(adapter.createVerificationToken({ identifier: 'i', token: 't', expires: new Date() })).rejects.toMatchObject(garbled)
    await expect(adapter.useVerificationToken({ identifier: 'i', token: 't' })).rejects.toMatchObject(garbled)
  })
})

describe.runIf(inject('dialects').includes('mysql'))('a proxy that sends bytes as JSON writes them', () => {
  test('is told so', async () => {
    const { client, close } = await openMysql()
    onTestFinished(close)
    const db = drizzleMysql(async (sql, values, method) => {
      const [result] = await client.query({ sql, values, rowsAsArray: method === 'all' })
      return { rows: sent(method === 'all' ? result : [result]) }
    })
    const adapter = DrizzleAdapter(db, mysqlTables)
    const { id } = await adapter.createUser({ email: 'ada@example.com' })
    await expect(adapter.getUser(id)).rejects.toMatchObject({ kind: 'garbled' })
  })
})
