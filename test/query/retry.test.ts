import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Failure } from '../../src/query/errors.js'
import { withRetry } from '../../src/query/retry.js'

// When a statement is tried again, and how long it waits. test/failures/retry.slow.test.ts provokes the failures on servers.

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(1)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Fails so many times, and then returns its parameters. Remembers when it was called. */
function failing(times: number, failure: Failure, { isSynchronous = false } = {}) {
  const begin = Date.now()
  const calls: number[] = []
  const run = (parameters: string) => {
    calls.push(Date.now() - begin)
    if (calls.length > times) return isSynchronous ? parameters : Promise.resolve(parameters)
    if (isSynchronous) throw failure
    return Promise.reject(failure)
  }
  return { run, calls }
}

async function outcomeOf(result: unknown) {
  const outcome = Promise.resolve(result).catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  return outcome
}

const conflict = new Failure('conflict', {}, 'always')
const lost = new Failure('unreachable', {}, 'reads')
const duplicate = new Failure('duplicate')

describe.each([true, false])('a driver that is synchronous: %s', (isSynchronous) => {
  test('waits twice as long before each try, and at most a second', async () => {
    const { run, calls } = failing(9, conflict, { isSynchronous })
    expect(await outcomeOf(withRetry(run, 'write', {})('parameters'))).toBe('parameters')
    expect(calls.map((time, index) => time - (calls[index - 1] ?? 0))).toEqual([0, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000])
  })

  test('is tried no more often than the limit says', async () => {
    for (const tries of [1, 2, 5]) {
      const { run, calls } = failing(Number.POSITIVE_INFINITY, conflict, { isSynchronous })
      expect(await outcomeOf(withRetry(run, 'write', { tries })('p'))).toBe(conflict)
      expect(calls).toHaveLength(tries)
    }
  })

  test('is tried no longer than the limit says, and not at all if a wait would exceed it', async () => {
    for (const [within, times] of [
      [19, [0]],
      [20, [0, 20]],
      [59, [0, 20]],
      [60, [0, 20, 60]],
    ] as const) {
      const { run, calls } = failing(Number.POSITIVE_INFINITY, conflict, { isSynchronous })
      expect(await outcomeOf(withRetry(run, 'write', { within })('p'))).toBe(conflict)
      expect(calls).toEqual(times)
    }
  })

  test('has fifteen tries and six seconds by default', async () => {
    const { run, calls } = failing(Number.POSITIVE_INFINITY, conflict, { isSynchronous })
    expect(await outcomeOf(withRetry(run, 'read', {})('p'))).toBe(conflict)
    expect(calls.at(-1)).toBe(5260)
    vi.mocked(Math.random).mockReturnValue(-0.9)
    const quick = failing(Number.POSITIVE_INFINITY, conflict, { isSynchronous })
    await outcomeOf(withRetry(quick.run, 'read', {})('p'))
    expect(quick.calls).toHaveLength(15)
  })

  test('is not tried again after a failure that does not allow it', async () => {
    const { run, calls } = failing(1, duplicate, { isSynchronous })
    expect(await outcomeOf(withRetry(run, 'read', {})('p'))).toBe(duplicate)
    expect(calls).toEqual([0])
  })

  test.each([
    ['read', 2],
    ['repeatable-delete', 2],
    ['write', 1],
    ['write-for-user', 1],
    ['delete', 1],
  ] as const)('that loses its connection: a %s has %i tries', async (purpose, tries) => {
    const { run, calls } = failing(1, lost, { isSynchronous })
    const outcome = await outcomeOf(withRetry(run, purpose, {})('p'))
    expect(outcome).toBe(tries === 2 ? 'p' : lost)
    // The first millisecond belongs to postgres.js.
    expect(calls).toEqual([0, 21].slice(0, tries))
  })

  test('waits for half the time at least', async () => {
    vi.mocked(Math.random).mockReturnValue(0)
    const { run, calls } = failing(2, conflict, { isSynchronous })
    await outcomeOf(withRetry(run, 'write', {})('p'))
    expect(calls).toEqual([0, 10, 30])
  })

  test('has a single try without limits', async () => {
    const { run } = failing(1, conflict, { isSynchronous })
    expect(withRetry(run, 'read', false)).toBe(run)
  })
})

test('what a synchronous driver returns comes without a promise', () => {
  for (const result of ['row', undefined, null, 0]) expect(withRetry(() => result, 'read', {})('p')).toBe(result)
})

test('the failure of the last try is the one that is thrown', async () => {
  const failures = [conflict, duplicate]
  const run = () => Promise.reject(failures.shift())
  expect(await outcomeOf(withRetry(run, 'write', {})('p'))).toBe(duplicate)
})
