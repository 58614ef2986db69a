import { drizzle as drizzleProxy } from 'drizzle-orm/mysql-proxy'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { makeAdapter, openMysql } from '../../support/databases.js'
import { openProxy } from '../../support/proxy.js'
import * as mysqlSchema from '../../support/schema/mysql.js'

const dialects = inject('dialects')

describe.runIf(dialects.includes('mysql'))('on MySQL', () => {
  test('a write in a transaction whose connection is lost did not happen', async () => {
    const { url, run, close } = await openMysql()
    onTestFinished(close)
    const proxy = await openProxy(url)
    onTestFinished(proxy.close)
    const client = mysql.createPool({ uri: proxy.url, connectionLimit: 1 })
    onTestFinished(() => client.end())
    const db = drizzleMysql({ client } as never) as unknown as { transaction(run: (tx: object) => Promise<void>): Promise<void> }
    await makeAdapter(db, mysqlSchema).getUser('ada')
    let failure: unknown
    const committed = db.transaction(async (tx) => {
      // At the read of the row that was written.
      proxy.loseAt(2, 'request')
      failure = await makeAdapter(tx, mysqlSchema)
        .createUser({ email: 'ada@example.com' })
        .catch((error) => error)
    })
    await expect(committed).rejects.toThrow()
    expect(failure).toMatchObject({ kind: 'unreachable', written: false })
    expect(await run('select * from user')).toEqual([])
  })

  test('a proxy without a cache: a write is repeated after a refused connection', async () => {
    const { client, close } = await openMysql()
    onTestFinished(close)
    let refuse = false
    const db = drizzleProxy(async (sql, values, method) => {
      if (refuse && sql.startsWith('insert')) {
        refuse = false
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      }
      const [result] = await client.query({ sql, values, rowsAsArray: method === 'all' })
      return { rows: method === 'all' ? (result as unknown as unknown[]) : [result] }
    })
    const adapter = makeAdapter(db, mysqlSchema)
    expect(await adapter.getUser('ada')).toBeNull()
    refuse = true
    expect(await adapter.createUser({ id: 'ada', email: 'ada@example.com' })).toMatchObject({ id: 'ada' })
  })
})
