import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Output } from '../../../src/cli/command.js'
import { number, progressOn, some } from '../../../src/cli/progress.js'

/** An output that remembers what was written. */
const outputOf = (more: Partial<Output> = {}) => {
  const written: string[] = []
  return { written, write: (text: string) => written.push(text), ...more }
}

const contextOf = (stderr: Output, TERM?: string) => ({ stdout: outputOf(), stderr, env: { TERM }, cwd: '/' })

const barsOn = (stderr: Output, totals: Record<string, number>) => progressOn(contextOf(stderr), false, 'deleted', () => totals)

/** What a terminal of so many columns shows. */
async function drawn(what: string, done: number, total: number, columns?: number): Promise<string> {
  const stderr = outputOf({ isTTY: true, columns })
  const progress = await barsOn(stderr, { [what]: total })
  progress.show(what, done)
  const text = stderr.written.join('')
  expect(text.startsWith('\r') && text.endsWith('\x1b[K')).toBe(true)
  return text.slice(1, -3)
}

test.each([
  [0, '0 sessions'],
  [1, '1 session'],
  [2, '2 sessions'],
  [1_234_567, '1,234,567 sessions'],
])('%i are written as %s', (count, text) => {
  expect(some(count, 'session')).toBe(text)
  expect(text).toContain(number(count))
})

describe('a bar', () => {
  test.each([
    [0, 48, `${'░'.repeat(24)}   0 %  0 of 48`],
    [1, 48, `${'█'.repeat(1)}${'░'.repeat(23)}   2 %  1 of 48`],
    [24, 48, `${'█'.repeat(12)}${'░'.repeat(12)}  50 %  24 of 48`],
    [47, 48, `${'█'.repeat(24)}  97 %  47 of 48`],
    [48, 48, `${'█'.repeat(24)} 100 %  48 of 48`],
    [0, 0, `${'█'.repeat(24)} 100 %  0 of 0`],
    [1_200, 2_400, `${'█'.repeat(12)}${'░'.repeat(12)}  50 %  1,200 of 2,400`],
  ])('shows %i of %i', async (done, total, text) => {
    expect(await drawn('sessions', done, total, 100)).toBe(`sessions            ${text}`)
  })

  test('never shows less than what is done', async () => {
    expect(await drawn('sessions', 50, 48, 100)).toContain('100 %  50 of 50')
    const stderr = outputOf({ isTTY: true, columns: 100 })
    const progress = await barsOn(stderr, {})
    progress.show('sessions', 3)
    expect(stderr.written.join('')).toContain('100 %  3 of 3')
  })

  test.each([
    [61, `sessions            ${'█'.repeat(12)}${'░'.repeat(12)}  50 %  24 of 48`],
    [59, `sessions            ${'█'.repeat(11)}${'░'.repeat(11)}  50 %  24 of 48`],
    [41, `sessions            ██░░  50 %  24 of 48`],
    [40, 'sessions  50 %  24 of 48'],
    [25, 'sessions  50 %  24 of 48'],
    [24, 'sessions  50 %  24 of 4'],
    [2, 's'],
    [1, ''],
    // Some terminals do not tell.
    [0, `sessions            ${'█'.repeat(12)}${'░'.repeat(12)}  50 %  24 of 48`],
    [undefined, `sessions            ${'█'.repeat(12)}${'░'.repeat(12)}  50 %  24 of 48`],
  ])('shrinks with a terminal of %s columns', async (columns, text) => {
    expect(await drawn('sessions', 24, 48, columns)).toBe(text)
  })

  test('has the width of 80 columns where the terminal does not tell', async () => {
    const long = 'a title that is longer than most of them'
    expect(await drawn(long, 24, 48)).toHaveLength(79)
    expect(await drawn(long, 24, 48, 80)).toBe(await drawn(long, 24, 48))
  })

  test('begins a line for each thing, and one at the end', async () => {
    const stderr = outputOf({ isTTY: true, columns: 20 })
    const progress = await barsOn(stderr, { a: 2, b: 2 })
    progress.end()
    expect(stderr.written).toEqual([])
    progress.show('a', 1)
    progress.show('a', 2)
    progress.show('b', 2)
    progress.end()
    progress.end()
    expect(stderr.written.filter((text) => text === '\n' || text.startsWith('\r')).map((text) => text[0])).toEqual([
      '\r',
      '\r',
      '\n',
      '\r',
      '\n',
    ])
    expect(stderr.written).toHaveLength(5)
    progress.show('b', 2)
    expect(stderr.written).toHaveLength(6)
  })
})

describe('lines', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test.each([
    ['without a terminal', {}, 'xterm'],
    ['on a terminal that cannot redraw a line', { isTTY: true }, 'dumb'],
  ])('are written every five seconds %s, and nothing is counted for them', async (_title, more, term) => {
    const stderr = outputOf(more)
    const totals = vi.fn(() => ({}))
    const progress = await progressOn(contextOf(stderr, term), false, 'deleted', totals)
    for (let second = 0; second < 12; second++) {
      progress.show('sessions', 1_000 * second)
      vi.advanceTimersByTime(1_000)
    }
    progress.end()
    expect(stderr.written).toEqual(['sessions: 5,000 deleted\n', 'sessions: 10,000 deleted\n'])
    expect(totals).not.toHaveBeenCalled()
  })
})

test('a quiet command shows nothing', async () => {
  const stderr = outputOf({ isTTY: true, columns: 80 })
  const progress = await progressOn(contextOf(stderr), true, 'deleted', () => expect.unreachable())
  progress.show('sessions', 1)
  progress.end()
  expect(stderr.written).toEqual([])
})
