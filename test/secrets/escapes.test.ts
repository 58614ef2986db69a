import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { protectSecrets } from 'drizzle-auth-adapter/secrets'
import { drizzle } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql } from '../helpers/databases.js'
import * as schema from '../schema/mysql.js'
import { inAnHour, secretsOf } from './modes.js'

// mysql2 writes values into the statement, and escapes them for the default sql_mode only.
describe.runIf(inject('dialects').includes('mysql'))('keys at the end of a batch, in the sql_mode', () => {
  test.each(['', 'NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'])('%o', async (mode) => {
    const { url, close } = await openMysql()
    onTestFinished(close)
    const client = mysql.createPool({ uri: url, connectionLimit: 2 })
    client.pool.on('connection', (connection) => connection.query(`set sql_mode = '${mode}'`))
    onTestFinished(() => client.end())
    const db = drizzle({ client })
    const adapter = DrizzleAdapter(db, schema)
    const { id: userId } = await adapter.createUser({ email: 'ada@example.com' })
    const keys = ["a' or 1=1 -- ", "b\\' or 1=1 -- ", "c\\\\' or ''='", 'd\\', "e' or sleep(9) or '", 'f"', 'g']
    for (const key of keys) {
      await adapter.createSession({ sessionToken: key, userId, expires: inAnHour() })
      await adapter.linkAccount({ userId, type: 'oauth', provider: key, providerAccountId: key, access_token: `token ${key}` })
    }
    const secrets = secretsOf('migrating')
    const settings = { secrets, batch: 1, pause: 0 }
    expect(await protectSecrets(db, schema, settings)).toEqual({ sessions: keys.length, accounts: keys.length, finished: true })
    const protectedAdapter = DrizzleAdapter(db, schema, { secrets: secretsOf('final') })
    for (const key of keys) {
      expect((await protectedAdapter.getSessionAndUser(key))?.user.id).toBe(userId)
      expect(await protectedAdapter.getAccount(key, key)).toMatchObject({ access_token: `token ${key}` })
    }
  })
})
