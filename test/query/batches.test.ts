import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { checkBatches, rest } from '../../src/batches.js'
import { AdapterConfigError } from '../../src/query/errors.js'

const names = ['batch', 'pause', 'signal', 'onProgress', 'before']
const check = (options: unknown) => checkBatches('sweep', options as object, names)

function rejects(options: unknown, ...words: string[]) {
  let error: unknown
  try {
    check(options)
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(AdapterConfigError)
  for (const word of ['sweep: ', ...words]) expect((error as Error).message).toContain(word)
}

describe('options of work in batches', () => {
  test('have defaults', () => {
    expect(check({})).toEqual({ batch: 200, pause: 100, signal: undefined })
    const { signal } = new AbortController()
    expect(check({ batch: 1, pause: 0, signal, onProgress: () => {}, before: 1 })).toEqual({ batch: 1, pause: 0, signal })
  })

  test('are an object, with these names alone', () => {
    for (const options of [null, undefined, 5, 'batch']) rejects(options, 'object')
    rejects({ batch: 1, batchSize: 1 }, 'no option batchSize', 'batch, pause, signal, onProgress, before')
  })

  test.each([
    ['batch', [1, 5000], [0, -1, 1.5, Number.NaN, '10', null, 2 ** 53]],
    ['pause', [0, 0.5, 2 ** 31 - 1], [-1, Number.NaN, 2 ** 31, 'x', {}]],
    ['signal', [undefined, new AbortController().signal], [{}, null, true, 'abort']],
    ['onProgress', [undefined, () => {}, async () => {}], [null, 1, {}, 'print']],
  ])('are checked: %s', (name, right, wrong) => {
    for (const value of right) expect(check({ [name]: value })).toMatchObject({ batch: expect.any(Number) })
    for (const value of wrong) rejects({ [name]: value }, name)
  })
})

describe('the pause between two batches', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** How many milliseconds it takes, if the signal is aborted after so many. */
  async function timeOf(milliseconds: number, stop: AbortController | undefined, abortAfter?: number) {
    const begin = Date.now()
    let time: number | undefined
    void rest(milliseconds, stop?.signal).then(() => {
      time = Date.now() - begin
    })
    if (abortAfter !== undefined) setTimeout(() => stop?.abort(), abortAfter)
    await Promise.resolve()
    // Even without a pause, other work has its turn.
    expect(time).toBeUndefined()
    await vi.runAllTimersAsync()
    return time
  }

  test('takes as long as it is asked to', async () => {
    expect(await timeOf(100, undefined)).toBe(100)
    expect(await timeOf(0, undefined)).toBeLessThan(2)
    expect(await timeOf(100, new AbortController())).toBe(100)
  })

  test('ends when the signal is aborted', async () => {
    expect(await timeOf(100, new AbortController(), 30)).toBe(30)
    expect(await timeOf(100, new AbortController(), 130)).toBe(100)
  })

  test('is short if the signal was aborted before', async () => {
    const stop = new AbortController()
    stop.abort()
    expect(await timeOf(100, stop)).toBeLessThan(2)
  })

  test('leaves no timer and no listener behind', async () => {
    const stop = new AbortController()
    const add = vi.spyOn(stop.signal, 'addEventListener')
    const remove = vi.spyOn(stop.signal, 'removeEventListener')
    const resting = rest(100, stop.signal)
    stop.abort()
    await resting
    expect(vi.getTimerCount()).toBe(0)
    expect(remove.mock.calls).toEqual(add.mock.calls)
  })
})
