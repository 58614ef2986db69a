import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql } from '../helpers/databases.js'
import * as tables from '../schema/mysql.js'

async function openWithoutAutocommit() {
  const { db, url, run, close } = await openMysql()
  onTestFinished(close)
  const client = mysql.createPool({ uri: url, connectionLimit: 1 })
  onTestFinished(() => client.end())
  client.pool.on('connection', (connection) => connection.query('set autocommit = 0'))
  return { db: drizzle({ client }), witness: DrizzleAdapter(db, tables), client, run }
}

describe.runIf(inject('dialects').includes('mysql'))('on a connection with autocommit off', () => {
  test('every write fails, because it would be lost when the connection ends', async () => {
    const { db, witness, client, run } = await openWithoutAutocommit()
    const adapter = DrizzleAdapter(db, tables, { retry: false })
    await witness.createUser({ id: 'u', email: 'ada@example.com' })
    const session = await witness.createSession({ sessionToken: 's', userId: 'u', expires: new Date('2031-01-01') })
    const token = await witness.createVerificationToken({ identifier: 'i', token: 't', expires: session.expires })
    const writes: Record<string, () => Promise<unknown>> = {
      createUser: () => adapter.createUser({ email: 'eve@example.com' }),
      updateUser: () => adapter.updateUser({ id: 'u', name: 'Ada' }),
      updateSession: () => adapter.updateSession({ sessionToken: 's', expires: new Date('2032-01-01') }),
      deleteSession: () => adapter.deleteSession('s'),
      useVerificationToken: () => adapter.useVerificationToken({ identifier: 'i', token: 't' }),
      deleteUser: () => adapter.deleteUser('u'),
    }
    for (const [operation, write] of Object.entries(writes)) {
      await expect(write(), operation).rejects.toMatchObject({ message: expect.stringContaining('autocommit') })
      await client.query('rollback')
    }
    expect(await witness.getSessionAndUser('s')).toMatchObject({ session, user: { id: 'u', name: null } })
    expect(await run('select count(*) as rows_ from user')).toEqual([{ rows_: 1 }])
    expect(await witness.useVerificationToken({ identifier: 'i', token: 't' })).toEqual(token)
  })

  test('a Drizzle transaction is committed as usual', async () => {
    const { db, witness } = await openWithoutAutocommit()
    await db.transaction(async (tx) => void (await DrizzleAdapter(tx, tables).createUser({ id: 'u', email: 'ada@example.com' })))
    expect(await witness.getUser('u')).toMatchObject({ email: 'ada@example.com' })
  })
})
