import { setTimeout as sleep } from 'node:timers/promises'
import type { Refresh } from 'drizzle-auth-adapter/authjs'
import { AccessTokenError, accessTokens, refreshWith } from 'drizzle-auth-adapter/authjs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { secretsOf } from '../../integration/secrets/modes.js'
import type { Store } from '../../integration/secrets/stores.js'
import { openStore } from '../../integration/secrets/stores.js'
import { startAuthorizationServer } from './server.js'

// Several machines, each with an adapter of its own, on real databases. test/unit/authjs/leases.test.ts has the cases that depend on the clock.

const lease = 4_000
const soon = () => Math.floor(Date.now() / 1000) + 10
const later = () => Math.floor(Date.now() / 1000) + 600

describe.each(inject('dialects'))('accessTokens on %s', (dialect) => {
  let store: Store
  let server: Awaited<ReturnType<typeof startAuthorizationServer>>
  beforeAll(async () => {
    store = await openStore(dialect)
    server = await startAuthorizationServer()
  })
  afterAll(async () => {
    await server.close()
    await store.close()
  })

  const open = () => store.adapter(secretsOf('final'))

  async function newAccount(tokens: object) {
    const { id: userId } = await open().createUser({ email: `${crypto.randomUUID()}@example.com` })
    const key = { provider: 'demo', providerAccountId: crypto.randomUUID() }
    await open().linkAccount({ userId, type: 'oauth', ...key, access_token: 'a0', expires_at: soon(), ...tokens })
    return {
      userId,
      key,
      read: () => open().getAccount(key.providerAccountId, key.provider),
      expire: () => open().updateAccount({ ...key, expires_at: soon() }),
    }
  }

  /** A provider that notices if a refresh token is sent twice. Its requests go as planned; those beyond the plan succeed at once. */
  function newProvider(plan: { takes: number; fails?: boolean }[], rotates = true) {
    const provider = { requests: 0, isReused: false }
    const inUse = new Set<string>()
    const refresh: Refresh = async ({ refresh_token }) => {
      const number = ++provider.requests
      const { takes = 0, fails = false } = plan[number - 1] ?? {}
      if (inUse.has(refresh_token)) provider.isReused = true
      if (provider.isReused) throw new AccessTokenError('revoked')
      inUse.add(refresh_token)
      await sleep(takes)
      if (fails || !rotates) inUse.delete(refresh_token)
      if (fails) throw new AccessTokenError('unreachable')
      const tokens = rotates ? { access_token: `a${number}`, refresh_token: `r${number}` } : { access_token: 'a0', refresh_token: 'r0' }
      return { ...tokens, expires_in: 3_600 }
    }
    return Object.assign(provider, { refresh })
  }

  const newMachines = (demo: Refresh) => [1, 2, 3].map(() => accessTokens(open(), { providers: { demo }, lease }))
  const outcome = (work: Promise<string>) => work.catch((error) => error.kind)

  test('fifty callers on three machines: the provider is asked once, and everybody gets its answer', async () => {
    const { userId, read, expire } = await newAccount({ refresh_token: await server.issue(), scope: 'openid' })
    const machines = newMachines(refreshWith(server))
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, index) => machines[index % 3]?.get(userId, 'demo')))
    expect(server.requests).toHaveLength(1)
    const account = await read()
    expect(new Set(tokens)).toEqual(new Set([account?.access_token]))
    expect(account?.access_token).not.toBe('a0')
    expect(account?.expires_at).toBeGreaterThan(later())
    // The grant was not revoked: the stored refresh token works.
    await expire()
    expect(await machines[0]?.get(userId, 'demo')).not.toBe(account?.access_token)
    expect(server.requests).toHaveLength(2)
  })

  test('after a request that failed late, the other machines ask one after the other', async () => {
    const { userId } = await newAccount({ refresh_token: 'r0' })
    const provider = newProvider([{ takes: lease * 0.6, fails: true }, { takes: lease * 0.7 }])
    const outcomes = await Promise.all(newMachines(provider.refresh).map((machine) => outcome(machine.get(userId, 'demo'))))
    expect(outcomes.sort()).toEqual(['a2', 'a2', 'unreachable'])
    expect(provider).toMatchObject({ requests: 2, isReused: false })
  })

  test('a provider that gives the same tokens more time is asked once, and nobody waits the next time', async () => {
    const { userId, expire } = await newAccount({ refresh_token: 'r0' })
    const provider = newProvider([], false)
    const machines = newMachines(provider.refresh)
    for (let time = 1; time <= 3; time++) {
      const begin = Date.now()
      expect(await Promise.all(machines.map((machine) => outcome(machine.get(userId, 'demo'))))).toEqual(['a0', 'a0', 'a0'])
      expect(provider.requests).toBe(time)
      expect(Date.now() - begin).toBeLessThan(lease)
      await expire()
    }
  })

  test('tokens that were stored during the request are kept and returned', async () => {
    const { userId, key, read } = await newAccount({ refresh_token: 'r0' })
    const newer = { access_token: 'newer', refresh_token: 'newer', expires_at: later() }
    const demo = async () => {
      await open().updateAccount({ ...key, ...newer })
      return { access_token: 'stale', refresh_token: 'stale' }
    }
    expect(await newMachines(demo)[0]?.get(userId, 'demo')).toBe('newer')
    expect(await read()).toMatchObject(newer)
  })
})
