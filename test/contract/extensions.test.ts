import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { adapterContract, casesFor } from 'drizzle-auth-adapter/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../support/databases.js'
import * as mysqlSchema from '../support/schema/mysql.js'
import * as pgSchema from '../support/schema/pg.js'
import * as sqliteSchema from '../support/schema/sqlite.js'
import { memoryAdapter } from './memory.js'

const open = {
  sqlite: async () => adapterWith(await openSqlite(), sqliteSchema),
  pg: async () => adapterWith(await openPg(), pgSchema),
  mysql: async () => adapterWith(await openMysql(), mysqlSchema),
}

const adapterWith = ({ db, close }: { db: unknown; close(): Promise<void> }, tables: object) => ({
  adapter: DrizzleAdapter(db as never, tables as typeof sqliteSchema) as unknown as Adapter,
  close,
})

type AccountChanges = Parameters<Adapter['updateAccount']>[0] & { userId?: string; scope?: string | null }

const casesBeyond = (adapter: object) => casesFor(adapter).filter(({ topic }) => topic === 'beyond the contract')

test('an adapter without operations beyond the contract has no cases for them', () => {
  expect(casesBeyond(memoryAdapter())).toEqual([])
  expect(adapterContract.some(({ topic }) => topic === 'beyond the contract')).toBe(false)
})

describe.each(inject('dialects'))('the cases beyond the contract, on %s', (dialect) => {
  let opened: Awaited<ReturnType<(typeof open)[typeof dialect]>>
  beforeAll(async () => {
    opened = await open[dialect]()
  })
  afterAll(() => opened.close())

  const faults: Record<string, (sound: Adapter) => Partial<Record<keyof Adapter, unknown>>> = {
    'listAccounts returns one account': (sound) => ({ listAccounts: async (id: string) => (await sound.listAccounts(id)).slice(0, 1) }),
    'updateAccount ignores null': (sound) => ({
      updateAccount: ({ scope, ...changes }: AccountChanges, options?: object) =>
        sound.updateAccount({ ...changes, ...(scope && { scope }) }, options),
    }),
    'updateAccount ignores another userId': (sound) => ({
      updateAccount: ({ userId: _, ...changes }: AccountChanges, options?: object) => sound.updateAccount(changes, options),
    }),
    'updateAccount ignores unlessChanged': (sound) => ({ updateAccount: (changes: AccountChanges) => sound.updateAccount(changes) }),
    'listSessions does not mark the current session': (sound) => ({
      listSessions: async (id: string, options: object) =>
        (await sound.listSessions(id, options)).map((each) => ({ ...each, current: false })),
    }),
    'revokeSession returns true for unknown ids': (sound) => ({
      revokeSession: async (userId: string, id: string) => (await sound.revokeSession(userId, id)) || id !== '',
    }),
    'revokeSessions ignores except': (sound) => ({ revokeSessions: (userId: string) => sound.revokeSessions(userId) }),
  }

  test.each(Object.entries(faults))('notice that %s', async (_, fault) => {
    const adapter = { ...opened.adapter, ...fault(opened.adapter) }
    const results = await Promise.allSettled(casesBeyond(adapter).map(({ run }) => run(adapter)))
    expect(results.filter(({ status }) => status === 'rejected')).not.toEqual([])
  })
})
