import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { adapterContract, casesFor } from 'drizzle-auth-adapter/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openSqlite } from '../../support/databases.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'
import { memoryAdapter } from '../../unit/testing/memory.js'

type AccountChanges = Parameters<Adapter['updateAccount']>[0] & { userId?: string; scope?: string | null }

const casesBeyond = (adapter: object) => casesFor(adapter).filter(({ topic }) => topic === 'beyond the contract')

test('an adapter without operations beyond the contract has no cases for them', () => {
  expect(casesBeyond(memoryAdapter())).toEqual([])
  expect(adapterContract.some(({ topic }) => topic === 'beyond the contract')).toBe(false)
})

describe.runIf(inject('dialects').includes('sqlite'))('the cases beyond the contract', () => {
  let opened: { adapter: Adapter; close(): Promise<void> }
  beforeAll(async () => {
    const { db, close } = await openSqlite()
    opened = { adapter: DrizzleAdapter(db, sqliteSchema) as unknown as Adapter, close }
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
