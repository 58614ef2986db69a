import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { secretsOf, tokensOf } from './modes.js'
import type { Store } from './stores.js'
import { openStore } from './stores.js'

const operations = 400

/** A pseudorandom number generator with a fixed seed, so that each run is the same. */
function randomNumbers(seed: number): () => number {
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31
  }
}

describe.each(inject('dialects'))('a long random run on %s', (dialect) => {
  let store: Store
  beforeAll(async () => {
    store = await openStore(dialect)
  })
  afterAll(() => store.close())

  test.each(['migrating', 'final'] as const)('leaves no raw token in the tables after any operation, at %s', async (mode) => {
    const adapter = store.adapter(secretsOf(mode))
    const random = randomNumbers(20_261_115)
    const pick = <T>(items: Iterable<T>): T | undefined => [...items][Math.floor(random() * [...items].length)]
    /** Every raw token that was ever used. */
    const tokens = new Set<string>()
    const users = new Set<string>()
    const sessions = new Map<string, { sessionToken: string; userId: string; expires: Date }>()
    const accounts = new Map<string, { provider: string; providerAccountId: string; userId: string; type: 'oauth' }>()
    const date = () => new Date(Date.now() + Math.floor(random() * 1e9))

    const steps: Record<string, () => Promise<unknown>> = {
      async createUser() {
        users.add((await adapter.createUser({ email: `${crypto.randomUUID()}@example.com` })).id)
      },
      async createSession() {
        const userId = pick(users)
        if (!userId) return
        const session = { sessionToken: crypto.randomUUID(), userId, expires: date() }
        tokens.add(session.sessionToken)
        sessions.set(session.sessionToken, session)
        expect(await adapter.createSession(session)).toEqual(session)
      },
      async getSessionAndUser() {
        const session = pick(sessions.values())
        if (session) expect((await adapter.getSessionAndUser(session.sessionToken))?.session).toEqual(session)
      },
      async updateSession() {
        const session = pick(sessions.values())
        if (!session) return
        session.expires = date()
        expect(await adapter.updateSession({ sessionToken: session.sessionToken, expires: session.expires })).toEqual(session)
      },
      async deleteSession() {
        const session = pick(sessions.values())
        if (!session || random() < 0.5) return
        sessions.delete(session.sessionToken)
        expect(await adapter.deleteSession(session.sessionToken)).toEqual(session)
      },
      async linkAccount() {
        const userId = pick(users)
        if (!userId) return
        const own = tokensOf(String(random()))
        for (const token of Object.values(own)) tokens.add(token)
        const account = { userId, type: 'oauth' as const, provider: 'p', providerAccountId: crypto.randomUUID(), ...own }
        accounts.set(account.providerAccountId, account)
        expect(await adapter.linkAccount(account)).toEqual(account)
      },
      async getAccount() {
        const account = pick(accounts.values())
        if (account) expect(await adapter.getAccount(account.providerAccountId, 'p')).toEqual(account)
      },
      async unlinkAccount() {
        const account = pick(accounts.values())
        if (!account || random() < 0.5) return
        accounts.delete(account.providerAccountId)
        expect(await adapter.unlinkAccount(account)).toEqual(account)
      },
      async deleteUser() {
        const id = pick(users)
        if (!id || random() < 0.7) return
        users.delete(id)
        await adapter.deleteUser(id)
        for (const [token, { userId }] of sessions) if (userId === id) sessions.delete(token)
        for (const [key, { userId }] of accounts) if (userId === id) accounts.delete(key)
      },
      // A failed operation must not store a token, either.
      async fail() {
        const session = { sessionToken: crypto.randomUUID(), userId: 'nobody', expires: date() }
        tokens.add(session.sessionToken)
        await expect(adapter.createSession(session)).rejects.toMatchObject({ kind: 'unknown-user' })
      },
    }

    const counts: Record<string, number> = {}
    for (let step = 0; step < operations; step++) {
      const name = step < 5 ? 'createUser' : (pick(Object.keys(steps)) as string)
      await (steps[name] as () => Promise<unknown>)()
      counts[name] = (counts[name] ?? 0) + 1
      const dump = JSON.stringify([await store.rows('session'), await store.rows('account')])
      const found = [...tokens].filter((token) => dump.includes(token))
      expect(found, `after ${name}, step ${step}`).toEqual([])
    }
    expect(Object.keys(counts).sort()).toEqual(Object.keys(steps).sort())
    // No stored value works as a session token.
    const stored = [...(await store.rows('session')), ...(await store.rows('account'))].flatMap((row) => Object.values(row))
    const values = stored.filter((value): value is string => typeof value === 'string')
    expect(values.some((value) => value.startsWith('s1.')) && values.some((value) => value.startsWith('e1.'))).toBe(true)
    for (const value of values) expect(await adapter.getSessionAndUser(value)).toBeNull()
  })
})
