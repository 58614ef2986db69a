import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openPg } from './databases.js'
import { openPool } from './pool.js'
import * as tables from './schema/pg.js'

describe.runIf(inject('dialects').includes('pg'))('a proxy that sends dates as JSON writes them', () => {
  // 0.45 makes invalid dates of them, 1.0 without codecs leaves them text. Neither would ever expire.
  test('gives no session and no token whose expiry cannot be told', async () => {
    const { url, close } = await openPg()
    const client = openPool({ connectionString: url, max: 1 })
    onTestFinished(async () => {
      await client.end()
      await close()
    })
    const db = drizzle(async (text, values) => {
      const { rows } = await client.query({ text, values, rowMode: 'array' })
      return { rows: JSON.parse(JSON.stringify(rows)) }
    })
    const adapter = DrizzleAdapter(db, tables)
    const user = await adapter.createUser({ email: 'ada@example.com' })
    const garbled = { kind: 'garbled', column: 'expires' }
    const session = { sessionToken: 's', userId: user.id, expires: new Date() }
    await expect(adapter.createSession(session)).rejects.toMatchObject(garbled)
    await expect(adapter.getSessionAndUser('s')).rejects.toMatchObject(garbled)
    await expect(adapter.createVerificationToken({ identifier: 'i', token: 't', expires: new Date() })).rejects.toMatchObject(garbled)
    await expect(adapter.useVerificationToken({ identifier: 'i', token: 't' })).rejects.toMatchObject(garbled)
  })
})
