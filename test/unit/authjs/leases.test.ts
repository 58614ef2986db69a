import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Refresh } from '../../../src/authjs/index.js'
import { AccessTokenError, accessTokens } from '../../../src/authjs/index.js'
import { slotsOf } from '../../../src/authjs/lease.js'
import { DrizzleAdapter } from '../../../src/index.js'
import { AdapterOperationError } from '../../../src/query/errors.js'
import { defineTables } from '../../../src/sqlite/index.js'
import { createTable } from '../../support/ddl.js'

// How callers on several machines wait for each other: the clock is the test's, and one of them runs at a time.

const now = 1_800_000_000_000
const lease = 30_000
const tables = defineTables()
const key = { provider: 'demo', providerAccountId: '42' }
const old = { access_token: 'old access', refresh_token: 'old refresh', expires_at: now / 1000 + 10 }
const renewed = async () => ({ access_token: 'new access', refresh_token: 'new refresh', expires_in: 3_600 })
const down = async () => Promise.reject(new AccessTokenError('unreachable', 'down'))

let client: Database.Database
let adapter: ReturnType<typeof DrizzleAdapter<typeof tables>>
let userId: string
/** The requests to the provider that are under way: after how long they are aborted, and what aborts them. */
let timeouts: { milliseconds: number; abort: () => void }[]
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now })
  timeouts = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const controller = new AbortController()
    timeouts.push({ milliseconds, abort: () => controller.abort() })
    return controller.signal
  })
  client = new Database(':memory:')
  const { usersTable, accountsTable, verificationTokensTable } = tables
  client.exec(createTable(usersTable, '"'))
  client.exec(createTable(accountsTable, '"', ['primary key (provider, "providerAccountId")']))
  client.exec(createTable(verificationTokensTable, '"', ['primary key (identifier, token)']))
  adapter = DrizzleAdapter(drizzle({ client }), tables)
  userId = (await adapter.createUser({ email: 'ada@example.com' })).id
  await adapter.linkAccount({ userId, type: 'oauth', ...key, ...old })
})
afterEach(() => {
  client.close()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Lease = { identifier: string; token: string; expires: number }
const leases = () => client.prepare('select * from "verificationToken" order by token').all() as Lease[]
const store = (tokens: object) => adapter.updateAccount({ ...key, ...tokens })

/** An instance of the app. It records when it tries to get a lease. */
function newInstance(demo: Refresh, over: object = {}, options: object = {}) {
  const tries = new Set<number>()
  const createVerificationToken: typeof adapter.createVerificationToken = (token) => {
    tries.add(Date.now() - now)
    return adapter.createVerificationToken(token)
  }
  const tokens = accessTokens({ ...adapter, createVerificationToken, ...over }, { providers: { demo }, ...options })
  const get = () => tokens.get(userId, 'demo').catch((error) => error)
  return { get, tries }
}

const turn = async () => {
  for (let count = 0; count < 5; count++) await new Promise(setImmediate)
}

/** Waits until something has happened, at most for five seconds of the real clock. */
async function waitUntil(isTrue: () => boolean, step: () => unknown = () => {}): Promise<void> {
  for (const end = performance.now() + 5_000; ; await step()) {
    await turn()
    if (isTrue()) return
    if (performance.now() > end) expect.fail('nothing happened')
  }
}

/** Lets the time pass until the work is done. A function is called at each step. */
async function settle<T>(work: Promise<T>, step: () => unknown = () => {}): Promise<T> {
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  const pass = async () => {
    await step()
    await vi.advanceTimersToNextTimerAsync()
  }
  await waitUntil(() => isDone, pass)
  return work
}

/** Somebody has the lease, and asks a provider that does not answer until the request is aborted or made to fail. */
async function takeLease(options: object = {}) {
  let fail = () => {}
  const request = new Promise<never>((_, reject) => {
    fail = () => reject(new Error('down'))
  })
  const holder = newInstance(() => request, {}, options)
  const before = timeouts.length
  const outcome = holder.get()
  await waitUntil(() => timeouts.length > before)
  return { fail, abort: () => timeouts[before]?.abort(), outcome }
}

const slot = 10_000
const skew = 10_000

describe('the slots of a lease', () => {
  test('are shared by all that could ask at the same moment, if their clocks differ by ten seconds at most', () => {
    const random = (limit: number) => Math.floor(Math.random() * limit)
    for (let count = 0; count < 10_000; count++) {
      const [one, other] = [1_000 + random(60_000), 1_000 + random(60_000)]
      const [begin, ahead] = [now + random(slot), random(2 * skew + 1) - skew]
      // A moment at which both may ask, by the clock of the first.
      const moment = begin + random(one)
      const otherBegin = moment + ahead - random(other)
      const slots = new Set(slotsOf(begin, one))
      expect(slotsOf(otherBegin, other).some((each) => slots.has(each))).toBe(true)
    }
  })

  test('are rows that show no token, and are kept for a minute after they have passed', async () => {
    await takeLease()
    const rows = leases()
    expect(rows).toHaveLength(5)
    for (const [index, { identifier, token, expires }] of rows.entries()) {
      expect(token).toMatch(new RegExp(`^[\\w-]{43} ${now / slot + index}$`))
      expect(identifier).toBe(`token refresh ${token}`)
      expect(expires).toBe(now + (index + 1) * slot + 60_000)
    }
  })

  test('are free again after a success, and after a failure', async () => {
    expect(await settle(newInstance(down).get())).toMatchObject({ kind: 'unreachable' })
    expect(leases()).toEqual([])
    expect(await settle(newInstance(renewed).get())).toBe('new access')
    expect(leases()).toEqual([])
  })

  test('are all given back if one of them is taken', async () => {
    await takeLease()
    const { token } = leases()[3] as Lease
    client.prepare('delete from "verificationToken" where token <> ?').run(token)
    const { get, tries } = newInstance(() => expect.fail('the provider was asked'))
    const work = get()
    await waitUntil(() => tries.size === 1 && leases().length === 1)
    expect(leases()).toMatchObject([{ token }])
    await settle(work, () => store({ access_token: 'their access' }))
  })

  test('fail like the database, and are not waited for then', async () => {
    for (const failure of [
      new AdapterOperationError('createVerificationToken', 'denied'),
      Object.assign(new Error('x'), { kind: 'duplicate' }),
    ]) {
      const demo = vi.fn(renewed)
      expect(await settle(newInstance(demo, { createVerificationToken: () => Promise.reject(failure) }).get())).toBe(failure)
      expect(demo).not.toHaveBeenCalled()
    }
  })
})

describe('who waits for another', () => {
  const unused = () => expect.fail('the provider was asked')

  test('looks again after 25 milliseconds, then less and less often, and returns the token of the other', async () => {
    await takeLease()
    const { get, tries } = newInstance(unused)
    const token = await settle(get(), () => Date.now() - now >= 1_000 && store({ access_token: 'their access' }))
    expect(token).toBe('their access')
    expect([...tries]).toEqual([0, 25, 75, 175, 375, 625, 875, 1_125])
  })

  test('returns the same token if it was given more time', async () => {
    await takeLease()
    expect(await settle(newInstance(unused).get(), () => store({ expires_at: old.expires_at + 1 }))).toBe('old access')
  })

  test('asks with the latest refresh token', async () => {
    const holder = await takeLease()
    const demo = vi.fn(renewed)
    const work = newInstance(demo).get()
    await store({ refresh_token: 'their refresh', access_token: null })
    holder.fail()
    expect(await settle(work)).toBe('new access')
    expect(demo).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ refresh_token: 'their refresh' }), expect.anything())
  })

  test('gets an error if the account, or its refresh token, is removed', async () => {
    const holder = await takeLease()
    const [one, other] = [newInstance(unused).get(), newInstance(unused).get()]
    await store({ refresh_token: null })
    holder.fail()
    expect(await settle(one)).toMatchObject({ kind: 'no-refresh-token' })
    await adapter.unlinkAccount(key)
    expect(await settle(other)).toMatchObject({ kind: expect.stringMatching(/^no-/) })
  })

  test.each([1_000, 30_000])('asks when the slots of a holder that died have passed, with a lease of %i milliseconds', async (duration) => {
    vi.setSystemTime(now + 7_000)
    await takeLease({ lease: duration })
    const end = 7_000 + duration + skew
    const { get } = newInstance(renewed)
    expect(await settle(get())).toBe('new access')
    expect(Date.now() - now).toBeGreaterThan(end)
    expect(Date.now() - now).toBeLessThan(end + slot + 250)
  })

  test('asks at once when the holder has failed', async () => {
    const holder = await takeLease()
    const work = settle(newInstance(renewed).get(), () => Date.now() - now > 500 && holder.fail())
    expect(await work).toBe('new access')
    expect(Date.now() - now).toBeLessThan(1_000)
  })

  test('does not ask if somebody was done before its lease began', async () => {
    const taken: typeof adapter.createVerificationToken = async (token) => {
      await store({ access_token: 'their access', refresh_token: 'their refresh' })
      return adapter.createVerificationToken(token)
    }
    expect(await settle(newInstance(unused, { createVerificationToken: taken }).get())).toBe('their access')
  })

  test('is not let in by a holder that is released after its time', async () => {
    const first = await takeLease()
    vi.setSystemTime(now + lease + skew + slot)
    await takeLease()
    const held = leases().length
    first.fail()
    await first.outcome
    await turn()
    expect(leases()).toHaveLength(held - 5)
    const { get, tries } = newInstance(unused)
    const work = get()
    await waitUntil(() => tries.size > 0)
    await settle(work, () => tries.size > 3 && store({ access_token: 'their access' }))
  })
})

describe('a request to the provider', () => {
  test.each([
    [undefined, 27_000],
    [10_000, 9_000],
  ])('with a lease of %s has %i milliseconds', async (given, milliseconds) => {
    await settle(newInstance(renewed, {}, given ? { lease: given } : {}).get())
    expect(timeouts).toMatchObject([{ milliseconds }])
  })

  test('that takes too long is given up, and nobody else asks before it has ended', async () => {
    const holder = await takeLease()
    holder.abort()
    expect(await holder.outcome).toMatchObject({ kind: 'unreachable' })
    expect(leases()).toHaveLength(5)
    const demo = vi.fn(renewed)
    const work = settle(newInstance(demo).get(), () => {
      if (Date.now() - now > 1_000) holder.fail()
      else expect(demo).not.toHaveBeenCalled()
    })
    expect(await work).toBe('new access')
  })

  test.each([
    [26_999, 1],
    [27_000, 0],
    [40_000, 0],
  ])('of a process that was paused for %i milliseconds is made so often: %i', async (pause, times) => {
    const demo = vi.fn(renewed)
    const getAccount: typeof adapter.getAccount = (...parameters) => {
      // After the lease was taken.
      vi.setSystemTime(now + pause)
      return adapter.getAccount(...parameters)
    }
    const outcome = await settle(newInstance(demo, { getAccount }).get())
    expect(outcome).toEqual(times ? 'new access' : expect.objectContaining({ kind: 'unreachable' }))
    expect(demo).toHaveBeenCalledTimes(times)
    expect(timeouts.map(({ milliseconds }) => milliseconds)).toEqual(times ? [1] : [])
  })
})
