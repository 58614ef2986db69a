import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { adapterContract, casesFor } from 'drizzle-auth-adapter/testing'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { createTables, mysqlTables, pgTables, sqliteTables } from '../../support/loose.js'

async function open(dialect: DialectName) {
  if (dialect === 'pg') {
    const { db, close } = await openPg({ migrations: ['create extension citext', ...createTables(pgTables, '"')] })
    return { adapter: DrizzleAdapter(db, pgTables), close }
  }
  if (dialect === 'mysql') {
    const { db, close } = await openMysql({
      migrations: createTables(mysqlTables, '`', ' character set utf8mb4 collate utf8mb4_general_ci'),
    })
    return { adapter: DrizzleAdapter(db, mysqlTables), close }
  }
  const { db, close } = await openSqlite({ migrations: createTables(sqliteTables, '`') })
  return { adapter: DrizzleAdapter(db, sqliteTables), close }
}

describe.each(inject('dialects'))('tables with case-insensitive keys on %s', (dialect) => {
  test('fulfil the contract, and keys are compared exactly', async () => {
    const { adapter, close } = await open(dialect)
    onTestFinished(close)
    const cases = casesFor(adapter).filter(({ topic }) => topic !== 'storage')
    expect(cases.length).toBeGreaterThanOrEqual(adapterContract.filter(({ topic }) => topic !== 'storage').length)
    for (const c of cases) await c.run(adapter).catch((error) => Promise.reject(new Error(`${c.name}: ${error.message}`, { cause: error })))
  })

  test('a session whose userId differs from a user’s id in case belongs to nobody', async () => {
    const { adapter, close } = await open(dialect)
    onTestFinished(close)
    const user = await adapter.createUser({ id: 'AbCdEf', email: 'ada@example.com' })
    await adapter.createSession({ sessionToken: 'token', userId: user.id.toLowerCase(), expires: new Date() })
    await adapter.linkAccount({ userId: user.id.toLowerCase(), type: 'oauth', provider: 'p', providerAccountId: '1' })
    expect(await adapter.getSessionAndUser('token')).toBeNull()
    expect(await adapter.getUserByAccount({ provider: 'p', providerAccountId: '1' })).toBeNull()
  })
})
