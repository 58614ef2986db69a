import { expect, test, vi } from 'vitest'
import { progressOn, some } from '../../../src/commands/progress.js'

test.each([
  [1, '1 session'],
  [1_234_567, '1,234,567 sessions'],
])('%i is written as %s', (count, text) => {
  expect(some(count, 'session')).toBe(text)
})

test.each([
  [false, 'sessions: 1,200 deleted\n'],
  [true, ''],
])('a log gets a line every few seconds, unless --quiet is %s', async (quiet, expected) => {
  vi.useFakeTimers()
  let written = ''
  const output = { write: (text: string) => (written += text) }
  const totals = () => expect.fail('only a terminal needs them')
  const progress = await progressOn({ stdout: output, stderr: output, env: {}, cwd: '/' }, quiet, 'deleted', totals)
  progress.show('sessions', 200)
  vi.advanceTimersByTime(5_000)
  for (const done of [1_200, 1_400]) progress.show('sessions', done)
  progress.end()
  vi.useRealTimers()
  expect(written).toBe(expected)
})
