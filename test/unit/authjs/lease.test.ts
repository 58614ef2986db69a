import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Refresh } from '../../../src/authjs/index.js'
import { accessTokens } from '../../../src/authjs/index.js'
import { slotsOf } from '../../../src/authjs/lease.js'
import { DrizzleAdapter } from '../../../src/index.js'
import { defineTables } from '../../../src/sqlite/index.js'
import { tableSet } from '../../support/table-sets.js'

// How callers on several machines wait for each other, with a clock that the test controls. test/auth/authjs.test.ts has
// several instances on each database.

const now = 1_800_000_000_000
const lease = 30_000
const { migrations } = tableSet('sqlite')
const tables = defineTables()
const key = { provider: 'demo', providerAccountId: '42' }
const old = { access_token: 'old access', refresh_token: 'old refresh', expires_at: now / 1000 + 10 }
const renewed = async () => ({ access_token: 'new access', refresh_token: 'new refresh', expires_in: 3_600 })

let client: Database.Database
let adapter: ReturnType<typeof DrizzleAdapter<typeof tables>>
let userId: string
/** Aborts the requests to the provider, in their order. */
let aborts: (() => void)[]
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now })
  aborts = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController()
    aborts.push(() => controller.abort())
    return controller.signal
  })
  client = new Database(':memory:')
  for (const statement of migrations) client.exec(statement)
  adapter = DrizzleAdapter(drizzle({ client }), tables)
  userId = (await adapter.createUser({ email: 'ada@example.com' })).id
  await adapter.linkAccount({ userId, type: 'oauth', ...key, ...old })
})
afterEach(() => {
  client.close()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const leases = () => client.prepare('select token from "verificationToken" order by token').all() as { token: string }[]
const store = (tokens: object) => adapter.updateAccount({ ...key, ...tokens })

/** The result of an instance of the app that asks for the token. */
const get = (demo: Refresh, over: object = {}, options: object = {}) =>
  accessTokens({ ...adapter, ...over }, { providers: { demo }, ...options })
    .get(userId, 'demo')
    .catch((error) => error)

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

/** An instance takes the lease, and asks a provider that does not answer until the request is aborted or made to fail. */
async function takeLease(options: object = {}) {
  let fail = () => {}
  const request = new Promise<never>((_, reject) => {
    fail = () => reject(new Error('down'))
  })
  const before = aborts.length
  const outcome = get(() => request, {}, options)
  await waitUntil(() => aborts.length > before)
  return { fail, abort: () => aborts[before]?.(), outcome }
}

const slot = 10_000
const skew = 10_000
const unused = () => expect.fail('the provider was asked')

describe('the slots of a lease', () => {
  test('overlap for all callers that could ask at the same moment, if their clocks differ by ten seconds at most', () => {
    // A linear congruential generator, so that every run tests the same moments.
    let state = 1
    const random = (limit: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * limit)
    }
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

  test('are all released if one of them is taken', async () => {
    await takeLease()
    const token = leases()[3]?.token
    client.prepare('delete from "verificationToken" where token <> ?').run(token)
    const seen: unknown[] = []
    const getAccount: typeof adapter.getAccount = (...parameters) => {
      seen.push(leases())
      return adapter.getAccount(...parameters)
    }
    await settle(get(unused, { getAccount }), () => store({ access_token: 'their access' }))
    expect(seen[0]).toEqual([{ token }])
  })

  test('of another holder stay if a holder releases its own too late', async () => {
    const first = await takeLease()
    vi.setSystemTime(now + lease + skew + slot)
    await takeLease()
    const held = leases().length
    first.fail()
    await first.outcome
    await turn()
    expect(leases()).toHaveLength(held - 5)
    let steps = 0
    expect(await settle(get(unused), () => ++steps > 3 && store({ access_token: 'their access' }))).toBe('their access')
  })
})

describe('a caller that waits', () => {
  test('returns the token that another caller stored', async () => {
    await takeLease()
    const token = await settle(get(unused), () => Date.now() - now >= 1_000 && store({ access_token: 'their access' }))
    expect(token).toBe('their access')
    expect(Date.now() - now).toBeLessThan(1_500)
  })

  test('asks at once with the latest refresh token when the holder has failed', async () => {
    const holder = await takeLease()
    const demo = vi.fn(renewed)
    const work = get(demo)
    await store({ refresh_token: 'their refresh', access_token: null })
    holder.fail()
    expect(await settle(work)).toBe('new access')
    expect(demo).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ refresh_token: 'their refresh' }), expect.anything())
    expect(Date.now() - now).toBeLessThan(1_000)
    expect(leases()).toEqual([])
  })

  test.each([1_000, 30_000])('asks when the slots of a holder that died have passed, with a lease of %i milliseconds', async (duration) => {
    vi.setSystemTime(now + 7_000)
    await takeLease({ lease: duration })
    const end = 7_000 + duration + skew
    expect(await settle(get(renewed))).toBe('new access')
    expect(Date.now() - now).toBeGreaterThan(end)
    expect(Date.now() - now).toBeLessThan(end + slot + 250)
  })

  test('does not ask if another caller was done before its own lease began', async () => {
    const createVerificationToken: typeof adapter.createVerificationToken = async (token) => {
      await store({ access_token: 'their access', refresh_token: 'their refresh' })
      return adapter.createVerificationToken(token)
    }
    expect(await settle(get(unused, { createVerificationToken }))).toBe('their access')
  })
})

describe('a request to the provider', () => {
  test('that takes too long is given up, and nobody else asks before it has ended', async () => {
    const holder = await takeLease()
    holder.abort()
    expect(await holder.outcome).toMatchObject({ kind: 'unreachable' })
    expect(await settle(get(renewed), () => Date.now() - now > 1_000 && holder.fail())).toBe('new access')
    expect(Date.now() - now).toBeGreaterThan(1_000)
  })

  test.each([
    [26_999, 'new access'],
    [27_000, expect.objectContaining({ kind: 'unreachable' })],
  ])('is made only in the first nine tenths of the lease: a process paused for %i milliseconds', async (pause, expected) => {
    const demo = vi.fn(renewed)
    const getAccount: typeof adapter.getAccount = (...parameters) => {
      // After the lease was taken.
      vi.setSystemTime(now + pause)
      return adapter.getAccount(...parameters)
    }
    expect(await settle(get(demo, { getAccount }))).toEqual(expected)
    expect(demo).toHaveBeenCalledTimes(expected === 'new access' ? 1 : 0)
    expect(AbortSignal.timeout).toHaveBeenCalledTimes(expected === 'new access' ? 1 : 0)
  })
})
