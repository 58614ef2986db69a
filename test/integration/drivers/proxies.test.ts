import { inspect } from 'node:util'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { drizzle as drizzleSqlite } from 'drizzle-orm/sqlite-proxy'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg } from '../../support/databases.js'
import { openPool } from '../../support/pool.js'
import * as mysqlTables from '../../support/schema/mysql.js'
import * as pgTables from '../../support/schema/pg.js'
import * as sqliteTables from '../../support/schema/sqlite.js'

const throughJson = (value: unknown) => JSON.parse(JSON.stringify(value))

describe.runIf(inject('dialects').includes('pg'))('a proxy that sends dates as JSON', () => {
  test('returns every date as it was stored', async () => {
    const { url, close } = await openPg()
    const client = openPool({ connectionString: url, max: 1 })
    onTestFinished(async () => {
      await client.end()
      await close()
    })
    const db = drizzlePg(async (text, values) => {
      const { rows } = await client.query({ text, values, rowMode: 'array' })
      return { rows: throughJson(rows) }
    })
    const adapter = DrizzleAdapter(db, pgTables)
    const expires = new Date('2031-05-06T07:08:09.123Z')
    const user = await adapter.createUser({ email: 'ada@example.com', emailVerified: expires })
    const session = await adapter.createSession({ sessionToken: 's', userId: user.id, expires })
    expect(session.expires).toEqual(expires)
    expect(await adapter.getSessionAndUser('s')).toEqual({ session, user })
    await adapter.createVerificationToken({ identifier: 'i', token: 't', expires })
    expect(await adapter.useVerificationToken({ identifier: 'i', token: 't' })).toEqual({ identifier: 'i', token: 't', expires })
  })
})

describe.runIf(inject('dialects').includes('sqlite'))('a proxy that puts values into the code of its errors', () => {
  test('makes calls fail without them', async () => {
    const db = drizzleSqlite(async (_sql, values) => {
      throw Object.assign(new Error('refused'), { code: `REFUSED ${values.join()}` })
    })
    const failure = await DrizzleAdapter(db, sqliteTables)
      .getUserByEmail('ada@example.com')
      .catch((error) => error)
    expect(failure).toMatchObject({ name: 'AdapterOperationError', operation: 'getUserByEmail' })
    expect(inspect(failure)).not.toContain('ada@example.com')
  })
})

describe.runIf(inject('dialects').includes('mysql'))('a proxy that sends bytes as JSON', () => {
  test('returns every text as it was stored', async () => {
    const { client, close } = await openMysql()
    onTestFinished(close)
    const db = drizzleMysql(async (sql, values, method) => {
      const [result] = await client.query({ sql, values, rowsAsArray: method === 'all' })
      return { rows: throughJson(method === 'all' ? result : [result]) }
    })
    const adapter = DrizzleAdapter(db, mysqlTables)
    const user = await adapter.createUser({ id: 'ada', email: 'jos\u00e9@example.com' })
    expect(user).toMatchObject({ id: 'ada', email: 'jos\u00e9@example.com' })
    expect(await adapter.getUser('ada')).toEqual(user)
  })
})
