import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Refresh } from '../../src/authjs/index.js'
import { AccessTokenError, accessTokens } from '../../src/authjs/index.js'
import { DrizzleAdapter } from '../../src/index.js'
import { AdapterOperationError } from '../../src/query/errors.js'
import { defineTables } from '../../src/sqlite/index.js'
import { createTable } from '../helpers/ddl.js'

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
  const tries: number[] = []
  const createVerificationToken: typeof adapter.createVerificationToken = (token) => {
    tries.push(Date.now() - now)
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

/** Somebody has taken the lease of these tokens, and does not answer. */
async function takeLease() {
  const taken = newInstance(() => new Promise<never>(() => {}))
  void taken.get()
  await waitUntil(() => leases().length > 0)
}

describe('the lease', () => {
  test('is a row that shows no token, and stays for twenty leases', async () => {
    await settle(newInstance(renewed).get())
    const [row, ...others] = leases()
    expect(others).toEqual([])
    expect(row).toEqual({ identifier: expect.stringMatching(/^token refresh [\w-]{43}$/), token: 'lease 1', expires: now + 20 * lease })
    await store({ ...old, refresh_token: 'other refresh' })
    await settle(newInstance(renewed, {}, { lease: 5_000 }).get())
    expect(new Set(leases().map(({ identifier }) => identifier)).size).toBe(2)
    expect(leases().map(({ expires }) => expires)).toContain(now + 100_000)
  })

  test.each(['access_token', 'refresh_token', 'id_token'])('is another for every %s', async (field) => {
    await settle(newInstance(down, { useVerificationToken: async () => null }).get())
    await store({ [field]: 'another' })
    await settle(newInstance(down, { useVerificationToken: async () => null }).get())
    expect(new Set(leases().map(({ identifier }) => identifier)).size).toBe(2)
  })

  test('fails like the database, and is not waited for then', async () => {
    for (const failure of [
      new AdapterOperationError('createVerificationToken', 'denied'),
      Object.assign(new Error('x'), { kind: 'duplicate' }),
    ]) {
      const demo = vi.fn(renewed)
      expect(await settle(newInstance(demo, { createVerificationToken: () => Promise.reject(failure) }).get())).toBe(failure)
      expect(demo).not.toHaveBeenCalled()
    }
  })

  test('of a failure is released while it lasts', async () => {
    expect(await settle(newInstance(down).get())).toMatchObject({ kind: 'unreachable' })
    expect(leases()).toEqual([])
  })

  test.each([
    [lease - 1, 0],
    [lease, 1],
    [lease + 1, 1],
  ])('of a failure after %i milliseconds leaves so many rows: %i', async (milliseconds, rows) => {
    const late = async () => {
      vi.setSystemTime(now + milliseconds)
      return down()
    }
    await settle(newInstance(late).get())
    expect(leases()).toHaveLength(rows)
  })
})

describe('who waits for another', () => {
  test('looks again after 25 milliseconds, then less and less often, and returns the token of the other', async () => {
    await takeLease()
    const { get, tries } = newInstance(() => expect.fail('the provider was asked'))
    const token = await settle(get(), () => Date.now() - now >= 1_000 && store({ access_token: 'their access' }))
    expect(token).toBe('their access')
    expect(tries).toEqual([0, 25, 75, 175, 375, 625, 875, 1_125])
  })

  test.each([{ refresh_token: 'theirs' }, { id_token: 'theirs' }])('returns the access token, whatever has changed: %j', async (change) => {
    await takeLease()
    const { get } = newInstance(() => expect.fail('the provider was asked'))
    expect(await settle(get(), () => store(change))).toBe('old access')
  })

  test('gets an error where the other has removed the token, or the account', async () => {
    await takeLease()
    const { get } = newInstance(() => expect.fail('the provider was asked'))
    expect(await settle(get(), () => store({ access_token: null }))).toMatchObject({ kind: 'no-refresh-token' })
    await store(old)
    expect(await settle(get(), () => adapter.unlinkAccount(key))).toMatchObject({ kind: 'no-account' })
  })

  test('takes over when the lease is over', async () => {
    await takeLease()
    const { get, tries } = newInstance(renewed)
    expect(await settle(get())).toBe('new access')
    expect(tries.at(-1)).toBeGreaterThan(lease)
    expect(tries.at(-1)).toBeLessThan(lease + 500)
    expect(leases().map(({ token }) => token)).toEqual(['lease 1', 'lease 2'])
  })

  test('does not take over before more time than the lease has passed', async () => {
    await takeLease()
    const { get, tries } = newInstance(renewed, {}, { lease: 1_125 })
    expect(await settle(get())).toBe('new access')
    expect(tries.slice(-3)).toEqual([875, 1_125, 1_375])
    expect(leases()).toMatchObject([{ token: 'lease 1' }, { token: 'lease 2', expires: now + 1_375 + 20 * 1_125 }])
  })

  test('takes over at once when the lease is released', async () => {
    await takeLease()
    const { get } = newInstance(renewed)
    expect(await settle(get(), () => Date.now() - now > 500 && client.exec('delete from "verificationToken"'))).toBe('new access')
    expect(Date.now() - now).toBeLessThan(1_000)
  })

  test('does not ask where somebody was done before the lease began', async () => {
    const taken: typeof adapter.createVerificationToken = async (token) => {
      await store({ access_token: 'their access', refresh_token: 'their refresh' })
      return adapter.createVerificationToken(token)
    }
    const demo = vi.fn(renewed)
    expect(await settle(newInstance(demo, { createVerificationToken: taken }).get())).toBe('their access')
    expect(demo).not.toHaveBeenCalled()
  })

  test('waits once for a holder that died, until the row could be gone', async () => {
    await takeLease()
    const held = new Set<unknown>()
    const { get, tries } = newInstance(() => {
      held.add(leases().at(-1)?.token)
      return down()
    })
    await settle(get())
    const begin = tries.at(-1) as number
    tries.length = 0
    for (let time = 0; time < 3; time++) await settle(get())
    expect(tries).toEqual([begin, begin, begin])
    // Half the time for which rows are kept.
    vi.setSystemTime(now + begin + 10 * lease - 1)
    await settle(get())
    expect(tries).toHaveLength(4)
    vi.setSystemTime(now + begin + 10 * lease)
    await settle(get())
    expect(tries.length).toBeGreaterThan(20)
    // A lease that others would not wait for could be had beside theirs.
    expect([...held]).toEqual(['lease 2'])
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

  test('that takes too long is given up, whatever becomes of it', async () => {
    let answer = (_: object) => {}
    const { get } = newInstance(
      () =>
        new Promise<object>((resolve) => {
          answer = resolve
        }),
    )
    const work = get()
    await waitUntil(() => timeouts.length > 0)
    timeouts[0]?.abort()
    expect(await settle(work)).toMatchObject({ kind: 'unreachable' })
    answer(await renewed())
    await turn()
    expect(await adapter.getAccount('42', 'demo')).toMatchObject(old)
  })

  test.each([
    [26_999, 1],
    [27_000, 0],
    [40_000, 0],
  ])('of a process that was paused for %i milliseconds is made so often: %i', async (pause, times) => {
    const demo = vi.fn(renewed)
    let reads = 0
    const listAccounts: typeof adapter.listAccounts = (id) => {
      // After the lease was taken.
      if (++reads === 2) vi.setSystemTime(now + pause)
      return adapter.listAccounts(id)
    }
    const outcome = await settle(newInstance(demo, { listAccounts }).get())
    expect(outcome).toEqual(times ? 'new access' : expect.objectContaining({ kind: 'unreachable' }))
    expect(demo).toHaveBeenCalledTimes(times)
    expect(timeouts.map(({ milliseconds }) => milliseconds)).toEqual(times ? [1] : [])
  })
})
