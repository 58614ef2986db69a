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

  test('pass for this adapter', async () => {
    const cases = casesBeyond(opened.adapter)
    expect(cases).toHaveLength(7)
    for (const c of cases) await c.run(opened.adapter)
  })

  /** For each case, the change of an adapter that only this case notices. */
  const faults: Record<string, (sound: Adapter) => Partial<Record<keyof Adapter, unknown>>> = {
    'listAccounts gives the accounts of this user alone': (sound) => ({
      listAccounts: async (id: string) => (await sound.listAccounts(id)).slice(0, 1),
    }),
    'updateAccount changes what it is given, clears what is null, and creates nothing': (sound) => ({
      updateAccount: ({ scope, ...changes }: { scope?: string | null; provider: string; providerAccountId: string }, options?: object) =>
        sound.updateAccount({ ...changes, ...(scope && { scope }) }, options),
    }),
    'updateAccount never gives an account to another user': (sound) => ({
      updateAccount: ({ userId: _, ...changes }: { userId?: string; provider: string; providerAccountId: string }, options?: object) =>
        sound.updateAccount(changes, options),
    }),
    'of many who replace the same tokens at once, unlessChanged lets one': (sound) => ({
      updateAccount: (changes: Parameters<Adapter['updateAccount']>[0]) => sound.updateAccount(changes),
    }),
    'listSessions gives unexpired sessions, latest expiry first, and no token': (sound) => ({
      listSessions: async (id: string, options: object) =>
        (await sound.listSessions(id, options)).map((each) => ({ ...each, current: false })),
    }),
    'revokeSession deletes one session, of that user alone': (sound) => ({
      revokeSession: async (userId: string, id: string) => (await sound.revokeSession(userId, id)) || id !== '',
    }),
    'revokeSessions deletes all sessions of that user, but for one': (sound) => ({
      revokeSessions: (userId: string) => sound.revokeSessions(userId),
    }),
  }

  test('each fail for one broken adapter, for which no other case fails', async () => {
    expect(Object.keys(faults)).toEqual(casesBeyond(opened.adapter).map(({ name }) => name))
    for (const [name, broken] of Object.entries(faults)) {
      const adapter = { ...opened.adapter, ...broken(opened.adapter) }
      const failed: string[] = []
      for (const c of casesBeyond(adapter)) await c.run(adapter).catch(() => failed.push(c.name))
      expect(failed).toEqual([name])
    }
  })
})
